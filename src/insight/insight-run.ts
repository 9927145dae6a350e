import { hash as digest } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { InsightCache, InsightKind } from '../core/insight/insight.ts'
import { folderOf } from '../core/paths.ts'
import type { NoteText } from '../core/texts.ts'
import { packCommunities, unpackCommunities } from './communities/community-names.ts'
import {
  computeInsight,
  computeLinks,
  INSIGHT_VERSION,
  type InsightResult,
  type InsightSource,
  type LinkResult,
} from './compute-insight.ts'
import { CorpusBuilder } from './corpus.ts'
import { decodeRecord, encodeRecord, type NoteRecord, noteRecord } from './note-record.ts'

export interface NoteFacts {
  /** The id without the vault's name, which may change. */
  readonly id: string
  /** The path has the original spelling of the folder. */
  readonly path: string
  /** The SHA-256 of the bytes in hex. It is empty for a file that was not read. */
  readonly hash: string
  readonly names: readonly string[]
  readonly isIgnored: boolean
}

export interface TextOfNote {
  readonly note: number
  readonly text: NoteText | undefined
}

interface Computed {
  readonly whole: InsightResult
  readonly links: LinkResult
}

export interface RunResult<Kind extends InsightKind = InsightKind> {
  readonly computed: Computed[Kind]
  readonly communitiesKept?: Uint8Array
  /** Indexes of the analyzed notes, sorted by id. */
  readonly order: Uint32Array
  /** The value is false if a text had an unexpected hash. */
  readonly isSettled: boolean
}

/** A stored result lacks the order of notes, because the next run may add them in another order. */
type StoredResult = Omit<RunResult, 'order'>

/** The links of a run. Its notes are numbered in order of insertion. */
export interface RunSubject {
  readonly kind: InsightKind
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  readonly languages?: readonly string[]
}

/** The number of records per write. Sorted writes are several times faster than random ones. */
const WRITE_BATCH = 2_000

export type RunPlan = { readonly result: RunResult } | { readonly lacking: Uint32Array }

/** Computes an insight from facts about all notes and the texts without a stored record. Earlier runs never affect the result. */
export class InsightRun {
  readonly #cache: InsightCache
  readonly #subject: RunSubject
  readonly #notes: NoteFacts[] = []
  #corpus = new CorpusBuilder()
  #addedCount = 0
  #recordOf: ((content: string) => Uint8Array | undefined) | undefined
  readonly #contents = new Set<string>()
  #isSettled = true
  readonly #unwritten = new Map<string, Uint8Array>()
  #order = new Uint32Array()
  #digest = ''

  constructor(cache: InsightCache, subject: RunSubject) {
    this.#cache = cache
    this.#subject = subject
  }

  addNotes(notes: readonly NoteFacts[]): void {
    for (const note of notes) this.#notes.push(note)
  }

  /** Plans the run. All notes must have been added. */
  plan(): RunPlan {
    const notes = this.#notes
    const taking = [...notes.keys()].filter((note) => notes[note]?.isIgnored === false)
    this.#order = Uint32Array.from(taking.sort((a, b) => ((notes[a] as NoteFacts).id < (notes[b] as NoteFacts).id ? -1 : 1)))
    const { offsets, targets } = this.#ordered()
    const facts = Array.from(this.#order, (note) => notes[note])
    this.#digest = digest(
      'sha256',
      JSON.stringify([INSIGHT_VERSION, this.#subject.kind, facts, [...offsets], [...targets]]),
      'hex',
    )
    const stored = this.#cache.result(this.#digest)
    if (stored !== undefined) return { result: { ...(deserialize(stored) as StoredResult), order: this.#order } }
    const lacking = new Set(this.#cache.missing([...new Set(facts.map((note) => note?.hash ?? ''))]))
    return { lacking: this.#order.filter((note) => lacking.has(notes[note]?.hash ?? '')) }
  }

  addTexts(texts: readonly TextOfNote[]): void {
    for (const { note, text } of texts) {
      this.#addKept(note)
      const record = text === undefined ? NO_WORDS : noteRecord(text, this.#subject.languages)
      if (text !== undefined) this.#unwritten.set(text.hash, encodeRecord(record))
      const content = text?.hash ?? ''
      if (content !== this.#notes[note]?.hash) this.#isSettled = false
      this.#add(note, content, record)
    }
    if (this.#unwritten.size >= WRITE_BATCH) this.#write()
  }

  #addKept(before?: number): void {
    while (this.#addedCount < this.#order.length) {
      const note = this.#order[this.#addedCount] as number
      if (note === before) return
      const { hash } = this.#notes[note] as NoteFacts
      this.#recordOf ??= this.#cache.records()
      const record = hash === '' ? undefined : this.#recordOf(hash)
      this.#add(note, hash, record === undefined ? NO_WORDS : decodeRecord(record))
    }
  }

  #add(note: number, content: string, record: NoteRecord): void {
    this.#contents.add(content)
    this.#corpus.add(record, (this.#notes[note] as NoteFacts).names)
    this.#addedCount++
  }

  #write(): void {
    if (this.#unwritten.size === 0) return
    this.#cache.keepRecords(new Map([...this.#unwritten].sort(([a], [b]) => (a < b ? -1 : 1))))
    this.#unwritten.clear()
  }

  /** @param former packed communities of the last run @param giveBack called after freeing much memory */
  finish(former?: Uint8Array, giveBack = (): void => {}): RunResult {
    this.#write()
    this.#addKept()
    const corpus = this.#corpus.build()
    this.#corpus = new CorpusBuilder()
    giveBack()
    const facts = Array.from(this.#order, (note) => this.#notes[note] as NoteFacts)
    const source: InsightSource = {
      ids: facts.map(({ id }) => id),
      names: facts.map(({ names }) => names),
      folders: facts.map(({ path }) => folderOf(path)),
      corpus,
      ...this.#ordered(),
    }
    const { kind } = this.#subject
    const result: StoredResult = {
      isSettled: this.#isSettled,
      ...(kind === 'links' ? { computed: computeLinks(source) } : wholeOf(source, former, giveBack)),
    }
    this.#cache.keepOnly(this.#contents)
    if (result.isSettled) this.#cache.keepResult(this.#digest, kind, serialize(result))
    return { ...result, order: this.#order }
  }

  #ordered(): Pick<InsightSource, 'offsets' | 'targets'> {
    const { offsets, targets } = this.#subject
    const places = new Int32Array(this.#notes.length).fill(-1)
    for (const [at, note] of this.#order.entries()) places[note] = at
    const ordered = new Uint32Array(this.#order.length + 1)
    const resultTargets = new Uint32Array(targets.length)
    let count = 0
    for (const [at, note] of this.#order.entries()) {
      const start = count
      for (const target of targets.subarray(offsets[note], offsets[note + 1])) {
        const place = places[target] as number
        if (place !== -1) resultTargets[count++] = place
      }
      resultTargets.subarray(start, count).sort()
      ordered[at + 1] = count
    }
    return { offsets: ordered, targets: resultTargets.slice(0, count) }
  }
}

function wholeOf(source: InsightSource, former: Uint8Array | undefined, giveBack: () => void) {
  const { result, kept } = computeInsight(source, former && unpackCommunities(former), giveBack)
  return { computed: result, communitiesKept: packCommunities(kept) }
}

const NO_WORDS = noteRecord({ text: '', bodyStart: 0 })
