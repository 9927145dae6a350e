import { hash as digest } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { base64 } from '../core/base64.ts'
import type { NodeId } from '../core/ids.ts'
import type { LaidOutGraph, Layout, Layouts, LayoutUnderWay, MayMove } from '../core/insight/layouts.ts'
import { isRecord } from '../core/is-record.ts'
import { makeFolder } from '../core/make-folder.ts'
import type { LaidOut } from '../insight/layout.ts'

export interface LayoutRuns {
  /** @param before previous positions, `NaN` for new notes; `undefined` to place all notes */
  layOut(graph: Omit<LaidOutGraph, 'ids'>, before: Float32Array | undefined, how: LayoutOptions): Promise<LaidOut>
}

export interface LayoutOptions {
  /** True to place all notes, and to rotate the result to match the previous layout. */
  readonly again: boolean
  /** A callback for progress, from 0 to 1. */
  onProgress(share: number): void
}

interface StoredLayout {
  readonly ids: readonly NodeId[]
  readonly places: Float32Array
  readonly regions: Int32Array
  /** The number of notes added one by one since the last full layout. */
  readonly added: number
  /** True if the last full layout has the current format and used communities. */
  readonly isGrouped: boolean
  /** The hash of the file's text. */
  readonly hash: string
}

export interface MapFiles {
  readonly layoutFile: string
  readonly pictureFile: string
}

const FORMAT = 5
/** Earlier formats with worse layouts, which are replaced as soon as notes may move. */
const EARLIER = new Set([3, 4, 5])

/** If more notes than this are new, all notes are placed again. */
const MAX_NEW = 2_000

/** A client for layouts. Positions are kept in a cache file, or in memory if the file cannot be written. */
export class LayoutClient implements Layouts {
  readonly #file: string
  readonly #pictureFile: string
  readonly #runs: LayoutRuns
  #stored: StoredLayout | undefined
  #reading: Promise<void> | undefined
  #queue: Promise<unknown> = Promise.resolve()
  #underWay: LayoutUnderWay | undefined

  constructor({ layoutFile, pictureFile }: MapFiles, runs: LayoutRuns) {
    this.#file = layoutFile
    this.#pictureFile = pictureFile
    this.#runs = runs
  }

  async hasPlaces(): Promise<boolean> {
    this.#reading ??= readStored(this.#file).then((stored) => {
      this.#stored = stored
    })
    await this.#reading
    return this.#stored !== undefined
  }

  underWay(): LayoutUnderWay | undefined {
    return this.#underWay
  }

  /** Computes a layout. Calls are serialized, so concurrent callers see the same positions. */
  layOut(graph: LaidOutGraph, mayMove: MayMove): Promise<Layout> {
    const layout = this.#queue.then(() => this.#place(graph, mayMove))
    this.#queue = layout.catch(() => {})
    return layout
  }

  async #place({ ids, ...graph }: LaidOutGraph, mayMove: MayMove): Promise<Layout> {
    const stored = (await this.hasPlaces()) ? this.#stored : undefined
    const before = stored === undefined ? undefined : placesFor(ids, stored)
    const missing = before === undefined ? ids.length : countMissing(before)
    // A layout is replaced without a request only if it has no communities or an earlier format.
    const isRough = stored?.isGrouped === false && graph.levels.length > 0
    const isWhole = mayMove === 'all' || (isRough && mayMove === 'once')
    if (missing === 0 && stored !== undefined && before !== undefined && !isWhole) {
      const regions = regionsFor({ ids, ...graph }, stored)
      if (stored.ids.length !== ids.length) await this.#keep({ ...stored, ids, places: before, regions })
      return { places: before, regions, added: shareOf(this.#stored, ids.length), isRough }
    }
    // A vault with mostly new notes is treated as new.
    const isNew = before === undefined || missing > ids.length / 2
    // Adding thousands of notes one by one would take minutes.
    const isAll = isNew || isWhole || missing > MAX_NEW
    // A layout without communities must not determine the rotation.
    const resembled = isNew || (isRough && isAll) ? undefined : before
    const { places, regions = regionsFor({ ids, ...graph }, stored) } = await this.#run(graph, resembled, isAll)
    const isGrouped = isAll ? graph.levels.length > 0 : (stored?.isGrouped ?? false)
    await this.#keep({ ids, places, regions, added: isAll ? 0 : (stored?.added ?? 0) + missing, isGrouped })
    return { places, regions, added: shareOf(this.#stored, ids.length), isRough: isRough && !isAll }
  }

  async #run(graph: Omit<LaidOutGraph, 'ids'>, before: Float32Array | undefined, isRepeat: boolean): Promise<LaidOut> {
    let doneShare = 0
    const onProgress = (share: number): void => {
      doneShare = share
    }
    const running = this.#runs.layOut(graph, before, { again: isRepeat, onProgress })
    this.#underWay = { share: () => doneShare, ended: running }
    try {
      return await running
    } finally {
      this.#underWay = undefined
    }
  }

  async #keep(stored: Omit<StoredLayout, 'hash'>): Promise<void> {
    const { ids, added, isGrouped } = stored
    const [places, regions] = [base64(stored.places), base64(stored.regions)]
    const text = JSON.stringify({ format: FORMAT, added, isGrouped, ids, places, regions })
    this.#stored = { ...stored, hash: digest('sha256', text, 'hex') }
    await replaceFile(this.#file, text)
  }

  async version(): Promise<string | undefined> {
    return (await this.hasPlaces()) ? `${FORMAT} ${this.#stored?.hash}` : undefined
  }

  /** A kept picture starts with a hash of its key and itself, because nobody would notice a damaged one. */
  async keptPicture(key: string): Promise<string | undefined> {
    const kept = await readFile(this.#pictureFile, 'utf8').catch(() => '')
    const json = kept.slice(SEAL)
    return kept.startsWith(sealOf(key, json)) ? json : undefined
  }

  async keepPicture(key: string, json: string): Promise<void> {
    await replaceFile(this.#pictureFile, sealOf(key, json) + json)
  }
}

/** The length of a seal, a hash in hexadecimal. */
const SEAL = 64

function sealOf(key: string, json: string): string {
  return digest('sha256', JSON.stringify(key) + json, 'hex')
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    makeFolder(dirname(file), { mkdirSync, dirname })
    await writeFile(draft, text, { mode: 0o600 })
    await rename(draft, file)
  } catch {
    // The next start computes it again.
  }
}

async function readStored(file: string): Promise<StoredLayout | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    const read: unknown = JSON.parse(text)
    if (!isRecord(read) || !Array.isArray(read.ids) || typeof read.places !== 'string') return undefined
    if (read.format !== FORMAT && !EARLIER.has(Number(read.format))) return undefined
    if (typeof read.regions !== 'string') return undefined
    const places = new Float32Array(bytesOf(read.places))
    const regions = new Int32Array(bytesOf(read.regions))
    if (places.length !== read.ids.length * 2 || regions.length !== read.ids.length) return undefined
    if (!places.every(Number.isFinite)) return undefined
    const added = typeof read.added === 'number' ? read.added : 0
    const isGrouped = read.isGrouped === true && read.format === FORMAT
    return { ids: read.ids as readonly NodeId[], places, regions, added, isGrouped, hash: digest('sha256', text, 'hex') }
  } catch {
    return undefined
  }
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, 'base64')).buffer
}

/** Returns regions. New notes get the most frequent region among their links. */
function regionsFor({ ids, offsets, targets }: LaidOutGraph, stored: StoredLayout | undefined): Int32Array {
  const numberOf = new Map(stored?.ids.map((id, at) => [id, at]))
  const regions = Int32Array.from(ids, (id) => stored?.regions[numberOf.get(id) ?? -1] ?? -1)
  for (const [note, region] of regions.entries()) {
    if (region >= 0) continue
    const counts = new Map<number, number>()
    let maxVotes = 0
    for (const other of targets.subarray(offsets[note], offsets[note + 1])) {
      const of = regions[other] ?? -1
      const count = (counts.get(of) ?? 0) + 1
      counts.set(of, count)
      if (of < 0 || count <= maxVotes) continue
      maxVotes = count
      regions[note] = of
    }
  }
  return regions
}

function placesFor(ids: readonly NodeId[], stored: StoredLayout): Float32Array {
  const numberOf = new Map(stored.ids.map((id, at) => [id, at]))
  const places = new Float32Array(ids.length * 2).fill(Number.NaN)
  for (const [at, id] of ids.entries()) {
    const numberBefore = numberOf.get(id)
    if (numberBefore === undefined) continue
    places[at * 2] = stored.places[numberBefore * 2] ?? Number.NaN
    places[at * 2 + 1] = stored.places[numberBefore * 2 + 1] ?? Number.NaN
  }
  return places
}

function countMissing(places: Float32Array): number {
  let missing = 0
  for (let at = 0; at < places.length; at += 2) if (Number.isNaN(places[at])) missing++
  return missing
}

function shareOf(stored: StoredLayout | undefined, notes: number): number {
  return stored === undefined || notes === 0 ? 0 : Math.min(1, stored.added / notes)
}
