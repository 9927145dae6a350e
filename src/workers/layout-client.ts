import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { NodeId } from '../core/ids.ts'
import type { LaidOutGraph, Layout, Layouts, LayoutUnderWay, MayMove } from '../core/insight/layouts.ts'
import { isRecord } from '../core/is-record.ts'
import { makeFolder } from '../core/make-folder.ts'

/** Computes places off the main thread. */
export interface LayoutRuns {
  /** `before` has `NaN` for notes without a place; absent: all are placed. */
  layOut(graph: Omit<LaidOutGraph, 'ids'>, before: Float32Array | undefined, how: LayoutHow): Promise<Float32Array>
}

export interface LayoutHow {
  /** Everything is placed again, and turned to resemble what was before. */
  readonly again: boolean
  /** Told now and then how much is done, 0–1. */
  onProgress(share: number): void
}

interface Kept {
  readonly ids: readonly NodeId[]
  readonly places: Float32Array
  /** Notes that were placed one by one, beside others. */
  readonly added: number
  /** Whether it was known what shall lie together when everything was placed. */
  readonly isGrouped: boolean
}

const FORMAT = 2

/** So many new notes are placed beside what is there; with more of them everything is laid out. */
const MOST_NEW = 2_000

/** Keeps the places of a vault's notes in a file that can be made again; where it cannot be written, for as long as the process runs. */
export class LayoutClient implements Layouts {
  readonly #file: string
  readonly #runs: LayoutRuns
  #kept: Kept | undefined
  #isRead = false
  #queue: Promise<unknown> = Promise.resolve()
  #underWay: LayoutUnderWay | undefined

  constructor(file: string, runs: LayoutRuns) {
    this.#file = file
    this.#runs = runs
  }

  hasPlaces(): boolean {
    if (!this.#isRead) this.#kept = readKept(this.#file)
    this.#isRead = true
    return this.#kept !== undefined
  }

  underWay(): LayoutUnderWay | undefined {
    return this.#underWay
  }

  /** One after the other: two that look at once see the same places. */
  layOut(graph: LaidOutGraph, mayMove: MayMove): Promise<Layout> {
    const made = this.#queue.then(() => this.#place(graph, mayMove))
    this.#queue = made.catch(() => {})
    return made
  }

  async #place({ ids, ...graph }: LaidOutGraph, mayMove: MayMove): Promise<Layout> {
    const kept = this.hasPlaces() ? this.#kept : undefined
    const before = kept === undefined ? undefined : placesFor(ids, kept)
    const missing = before === undefined ? ids.length : countMissing(before)
    // A first map is shown before communities are found; that one alone is made again by itself.
    const isRough = kept?.isGrouped === false && graph.levels.length > 0
    const isWhole = mayMove === 'all' || (isRough && mayMove === 'once')
    if (missing === 0 && before !== undefined && !isWhole) {
      if (kept !== undefined && kept.ids.length !== ids.length) this.#keep({ ...kept, ids, places: before })
      return { places: before, added: shareOf(this.#kept, ids.length), isRough }
    }
    // Where hardly any has a place, it is another vault by now.
    const isNew = before === undefined || missing > ids.length / 2
    // Very many would take minutes to be placed one by one.
    const isAll = isNew || isWhole || missing > MOST_NEW
    const places = await this.#run(graph, isNew ? undefined : before, isAll)
    const isGrouped = isAll ? graph.levels.length > 0 : (kept?.isGrouped ?? false)
    this.#keep({ ids, places, added: isAll ? 0 : (kept?.added ?? 0) + missing, isGrouped })
    return { places, added: shareOf(this.#kept, ids.length), isRough: isRough && !isAll }
  }

  async #run(graph: Omit<LaidOutGraph, 'ids'>, before: Float32Array | undefined, again: boolean): Promise<Float32Array> {
    let done = 0
    const onProgress = (share: number): void => {
      done = share
    }
    const ended = this.#runs.layOut(graph, before, { again, onProgress })
    this.#underWay = { share: () => done, ended }
    try {
      return await ended
    } finally {
      this.#underWay = undefined
    }
  }

  #keep(kept: Kept): void {
    this.#kept = kept
    const { ids, places, added, isGrouped } = kept
    const base64 = Buffer.from(places.buffer, places.byteOffset, places.byteLength).toString('base64')
    try {
      makeFolder(dirname(this.#file), { mkdirSync, dirname })
      const beside = `${this.#file}.${process.pid}.tmp`
      writeFileSync(beside, JSON.stringify({ format: FORMAT, added, isGrouped, ids, places: base64 }), { mode: 0o600 })
      renameSync(beside, this.#file)
    } catch {
      // It is kept in memory.
    }
  }
}

/** `undefined` where there is none, or it is damaged. */
function readKept(file: string): Kept | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isRecord(read) || read.format !== FORMAT || !Array.isArray(read.ids) || typeof read.places !== 'string') return undefined
    const bytes = Buffer.from(read.places, 'base64')
    if (bytes.length !== read.ids.length * 8) return undefined
    const places = new Float32Array(Uint8Array.from(bytes).buffer)
    if (!places.every(Number.isFinite)) return undefined
    const added = typeof read.added === 'number' ? read.added : 0
    return { ids: read.ids as readonly NodeId[], places, added, isGrouped: read.isGrouped === true }
  } catch {
    return undefined
  }
}

function placesFor(ids: readonly NodeId[], kept: Kept): Float32Array {
  const numberOf = new Map(kept.ids.map((id, at) => [id, at]))
  const places = new Float32Array(ids.length * 2).fill(Number.NaN)
  for (const [at, id] of ids.entries()) {
    const was = numberOf.get(id)
    if (was === undefined) continue
    places[at * 2] = kept.places[was * 2] ?? Number.NaN
    places[at * 2 + 1] = kept.places[was * 2 + 1] ?? Number.NaN
  }
  return places
}

function countMissing(places: Float32Array): number {
  let missing = 0
  for (let at = 0; at < places.length; at += 2) if (Number.isNaN(places[at])) missing++
  return missing
}

function shareOf(kept: Kept | undefined, notes: number): number {
  return kept === undefined || notes === 0 ? 0 : Math.min(1, kept.added / notes)
}
