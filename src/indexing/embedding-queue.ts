import type { Embedder } from '../core/embedder.ts'
import { isTransient, messageOf } from '../core/errors.ts'
import type { ChunkPlace, SearchProgress } from '../core/search.ts'
import type { EmbeddedText, NoteVectors, SearchWriter } from '../core/search-writer.ts'
import { chunkHash } from '../search/chunks.ts'
import { EmbeddingPace, EmbeddingRate, type EmbedResult, embedTexts } from './embed-texts.ts'
import type { ReadNote } from './search-document.ts'

export interface EmbeddingParts {
  readonly search: SearchWriter
  readonly openEmbedder: () => Promise<Embedder>
  readonly read: (keys: readonly number[]) => Promise<readonly ReadNote[]>
  /** If true, other embedders' vectors are deleted once this embedder's are complete; see `SearchServiceParts.isEager`. */
  readonly deletesOtherVectors: boolean
  /** A callback that runs when another `step` is due. */
  readonly onWake: () => void
}

/** The number of notes to store at once. It is smaller while calls arrive, because the next call loads the new vectors. */
const STORE_NOTES = 256
const STORE_NOTES_URGENT = 64
/** The maximum time between writes, in milliseconds. A crash loses at most this much work. */
const STORE_MS = 5_000
/** The maximum number of shared vectors, which take about 10 MB. */
const MAX_SHARED_TEXTS = 5_000
/** The first retry delay in milliseconds. It doubles after each failure. */
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000
/** After this many transient failures, callers no longer wait for vectors. */
const MAX_FAILURES = 3
/** Version of a note with a rejected text. It never matches, so the next process retries. */
const INCOMPLETE = 0
/** A batch takes about 40 ms. It is smaller while calls arrive. */
const NOTES_AT_ONCE = 64
const NOTES_AT_ONCE_URGENT = 16
const READ_TOGETHER = 8

const MAX_NAMES = 64

interface Pending {
  readonly note: ReadNote
  readonly requestedVersion: number | undefined
  readonly chunks: readonly (ChunkPlace & { readonly hash: string })[]
  readonly names: readonly string[]
}

interface PreparedNote {
  readonly vectors: NoteVectors
  readonly requestedVersion: number | undefined
}

type Outcome =
  | { readonly vectors: ReadonlyMap<string, Float32Array>; readonly refused: ReadonlyMap<string, string> }
  | { readonly error: unknown }

interface RefusedNote {
  readonly path: string
  readonly version: number
  readonly reason: string
}

/** A queue that embeds notes without vectors in the background. */
export class EmbeddingQueue {
  readonly #parts: EmbeddingParts
  readonly #abort = new AbortController()
  readonly #requestedVersions = new Map<number, number>()
  /** The stored versions by key. They are `undefined` until the embedder is open. */
  #storedVersions: Map<number, number> | undefined
  /** Keys of notes with missing or outdated vectors, until these are committed. */
  readonly #queue = new Set<number>()
  #embedder: Embedder | undefined
  #isOpening = false
  #sharedVectors: ReadonlyMap<string, Float32Array> | undefined
  /** The notes with a rejected text, by key. They are retried when they change. */
  readonly #refusals = new Map<number, RefusedNote>()
  readonly #removedKeys = new Set<number>()
  #pending: readonly Pending[] = []
  #isRunning = false
  #outcome: Outcome | undefined
  #ready: PreparedNote[] = []
  readonly #inProgress = new Set<number>()
  #readySince = 0
  #retryIn = FIRST_RETRY_MS
  #retryTimer: NodeJS.Timeout | undefined
  #problem: string | undefined
  #failures = 0
  /** If true, callers should not wait for vectors. */
  #isFailing = false
  #hasDeletedOtherVectors = false
  readonly #rate = new EmbeddingRate()
  readonly #pace = new EmbeddingPace()

  constructor(parts: EmbeddingParts) {
    this.#parts = parts
  }

  get problem(): string | undefined {
    return this.#problem ?? (this.isFinished ? refusalOf(this.#refusals) : undefined)
  }

  get isSettled(): boolean {
    return this.#isFailing || (this.#storedVersions !== undefined && this.isFinished)
  }

  get isFinished(): boolean {
    return this.#queue.size === 0 && this.#inProgress.size === 0
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  get hasRecentCall(): boolean {
    return this.#pace.hasRecentCall
  }

  /** Slows down embedding while calls arrive. */
  onCall(): void {
    this.#pace.onCall()
  }

  request(key: number, version: number): void {
    this.#sharedVectors = undefined
    this.#requestedVersions.set(key, version)
    if (this.#refusals.get(key)?.version !== version) this.#refusals.delete(key)
    if (this.#refusals.has(key) || this.#storedVersions?.get(key) === version) this.#queue.delete(key)
    else this.#queue.add(key)
  }

  remove(key: number): void {
    if (this.#storedVersions?.has(key)) this.#removedKeys.add(key)
    this.#requestedVersions.delete(key)
    this.#queue.delete(key)
    this.#refusals.delete(key)
    this.#storedVersions?.delete(key)
  }

  /** Reports that vectors have been deleted from the store. */
  onVectorsDeleted(keys: readonly number[]): void {
    for (const key of keys) this.#removedKeys.delete(key)
    this.#sharedVectors = undefined
  }

  progress(): NonNullable<SearchProgress['vectors']> {
    const queueLength = this.#queue.size
    const total = this.#requestedVersions.size
    const remaining = this.#rate.remaining(queueLength)
    return {
      done: this.#storedVersions === undefined ? 0 : Math.max(0, total - queueLength),
      total,
      // The embedder is omitted until the stored versions are known.
      ...(this.#embedder === undefined || this.#storedVersions === undefined ? undefined : { embedder: this.#embedder.id }),
      ...(remaining === undefined ? undefined : { remaining }),
    }
  }

  /** Loads the stored versions again, because another process may have written vectors. */
  async reload(): Promise<void> {
    if (this.#embedder === undefined) return
    this.#storedVersions = new Map(await this.#parts.search.vectorVersions(this.#embedder.id))
    for (const [key, version] of this.#requestedVersions) this.request(key, version)
  }

  async step(): Promise<'more' | 'waiting' | 'done'> {
    if (this.#isRunning || this.#isOpening || this.#retryTimer !== undefined) return 'waiting'
    if (this.#embedder === undefined) {
      this.#open()
      return 'waiting'
    }
    if (this.#storedVersions === undefined) await this.reload()
    if (this.#outcome !== undefined) this.#take(this.#outcome)
    if (this.#isWorthStoring()) await this.#store()
    if (this.#retryTimer !== undefined) return 'waiting'
    if (this.#queue.size === 0) {
      await this.#deleteOtherVectors(this.#embedder)
      return 'done'
    }
    await this.#start(this.#embedder)
    return 'waiting'
  }

  /** Stores finished vectors first, because slow models take long to compute them. */
  async close(): Promise<void> {
    clearTimeout(this.#retryTimer)
    this.#abort.abort()
    try {
      if (this.#outcome !== undefined) this.#take(this.#outcome)
      if (this.#ready.length > 0) await this.#store()
    } catch {
      // If storing failed, the next start embeds these notes again.
    } finally {
      await this.#embedder?.close()
    }
  }

  async #deleteOtherVectors({ id }: Embedder): Promise<void> {
    if (!this.#parts.deletesOtherVectors || this.#hasDeletedOtherVectors || this.#requestedVersions.size === 0) return
    await this.#parts.search.keepOnly(id)
    this.#hasDeletedOtherVectors = true
  }

  #open(): void {
    this.#isOpening = true
    this.#parts
      .openEmbedder()
      .then(
        async (embedder) => {
          if (this.#abort.signal.aborted) return await embedder.close()
          this.#embedder = embedder
          this.#resetFailures()
        },
        (error) => this.#retryLater(error),
      )
      .finally(() => {
        this.#isOpening = false
        this.#parts.onWake()
      })
  }

  /** Reads notes and embeds the texts that have no known vectors. */
  async #start(embedder: Embedder): Promise<void> {
    const pending: Pending[] = []
    const texts = new Map<string, string>()
    const maxNotes = this.#pace.hasRecentCall ? NOTES_AT_ONCE_URGENT : NOTES_AT_ONCE
    const keys = firstOf(this.#queue, maxNotes, (key) => !this.#inProgress.has(key))
    const knownVectors = await this.#knownVectors(embedder, keys)
    for (let from = 0; from < keys.length && texts.size < embedder.batch; from += READ_TOGETHER) {
      const batchKeys = keys.slice(from, from + READ_TOGETHER)
      const requestedVersions = new Map(batchKeys.map((key) => [key, this.#requestedVersions.get(key)]))
      const notes = await this.#parts.read(batchKeys)
      for (const note of notes) pending.push(prepare(note, requestedVersions.get(note.words.key), { known: knownVectors, texts }))
      // Deleted notes are missing from `read`.
      const read = new Set(notes.map(({ words }) => words.key))
      for (const key of batchKeys) if (!read.has(key)) this.#queue.delete(key)
    }
    for (const { note } of pending) this.#inProgress.add(note.words.key)
    this.#pending = pending
    this.#isRunning = true
    this.#embed(embedder, knownVectors, texts)
  }

  /** Returns known vectors by text, including those of deleted notes, because a moved note gets a new key. */
  async #knownVectors(embedder: Embedder, keys: readonly number[]): Promise<ReadonlyMap<string, Float32Array>> {
    // The built-in embedder is faster than reading stored vectors.
    if (embedder.id.startsWith('static:')) {
      const stored = keys.filter((key) => this.#storedVersions?.has(key))
      return await this.#parts.search.vectorsOf(embedder.id, stored)
    }
    this.#sharedVectors ??= await this.#parts.search.vectorsOf(
      embedder.id,
      [...this.#queue, ...this.#removedKeys].slice(0, MAX_SHARED_TEXTS),
    )
    return this.#sharedVectors
  }

  #embed(embedder: Embedder, knownVectors: ReadonlyMap<string, Float32Array>, texts: ReadonlyMap<string, string>): void {
    const started = performance.now()
    const finish = (outcome: Outcome): void => {
      this.#isRunning = false
      this.#outcome = outcome
      if (this.#abort.signal.aborted) return
      this.#rate.add(this.#pending.length, performance.now() - started)
      this.#parts.onWake()
    }
    embedTexts(embedder, [...texts.values()], { pace: this.#pace, signal: this.#abort.signal }).then(
      (embedded) => finish(outcomeOf(knownVectors, [...texts.keys()], embedded)),
      (error) => finish({ error }),
    )
  }

  #take(outcome: Outcome): void {
    const pending = this.#pending
    this.#outcome = undefined
    this.#pending = []
    if ('error' in outcome) {
      for (const { note } of pending) this.#inProgress.delete(note.words.key)
      this.#retryLater(outcome.error)
      return
    }
    this.#resetFailures()
    if (this.#ready.length === 0) this.#readySince = performance.now()
    const { vectors, refused } = outcome
    const vectorsOf = (hash: string): readonly EmbeddedText[] => {
      const vector = vectors.get(hash)
      return vector === undefined ? [] : [{ hash, vector }]
    }
    for (const { note, requestedVersion, chunks, names } of pending) {
      const { key, path, version } = note.words
      const embedded = chunks.flatMap((chunk) => vectorsOf(chunk.hash).map((text) => ({ ...chunk, ...text })))
      const reason = [...chunks.map(({ hash }) => hash), ...names]
        .map((hash) => refused.get(hash))
        .find((refusal) => refusal !== undefined)
      if (reason !== undefined && this.#requestedVersions.get(key) === version) this.#refusals.set(key, { path, version, reason })
      const stored = reason === undefined ? version : INCOMPLETE
      const entry = { key, path, version: stored, content: note.content, chunks: embedded, names: names.flatMap(vectorsOf) }
      this.#ready.push({ vectors: entry, requestedVersion })
    }
  }

  #isWorthStoring(): boolean {
    if (this.#ready.length === 0) return false
    return (
      this.#queue.size <= this.#inProgress.size ||
      this.#ready.length >= (this.#pace.hasRecentCall ? STORE_NOTES_URGENT : STORE_NOTES) ||
      performance.now() - this.#readySince > STORE_MS
    )
  }

  async #store(): Promise<void> {
    // A note may have been deleted since it was read.
    const ready = this.#ready.filter(({ vectors }) => this.#requestedVersions.has(vectors.key))
    const stored = ready.map(({ vectors }) => vectors)
    // If the write fails, `#ready` keeps the vectors for the next attempt.
    await this.#parts.search.putVectors(this.#embedder?.id ?? '', stored)
    for (const { vectors } of this.#ready) this.#inProgress.delete(vectors.key)
    this.#ready = []
    for (const { vectors, requestedVersion } of ready) {
      this.#storedVersions?.set(vectors.key, vectors.version)
      const now = this.#requestedVersions.get(vectors.key)
      if (now === requestedVersion) this.#queue.delete(vectors.key)
      else if (now !== undefined) this.request(vectors.key, now)
    }
  }

  #resetFailures(): void {
    this.#problem = undefined
    this.#failures = 0
    this.#isFailing = false
    this.#retryIn = FIRST_RETRY_MS
  }

  #retryLater(error: unknown): void {
    if (this.#abort.signal.aborted) return
    this.#problem = messageOf(error)
    this.#failures++
    // `openEmbedder` has retried already, so callers do not wait.
    this.#isFailing = this.#embedder === undefined || !isTransient(error) || this.#failures >= MAX_FAILURES
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined
      this.#parts.onWake()
    }, this.#retryIn).unref()
    this.#retryIn = Math.min(MAX_RETRY_MS, this.#retryIn * 2)
  }
}

function prepare(
  note: ReadNote,
  requestedVersion: number | undefined,
  { known, texts }: { readonly known: ReadonlyMap<string, Float32Array>; readonly texts: Map<string, string> },
): Pending {
  const hashOf = (text: string): string => {
    const hash = chunkHash(text)
    if (!known.has(hash)) texts.set(hash, text)
    return hash
  }
  const chunks = note.chunks().map(({ start, end, startLine, endLine, text }) => {
    return { start, end, startLine, endLine, hash: hashOf(text) }
  })
  return { note, requestedVersion, chunks, names: note.fields.title.slice(0, MAX_NAMES).map(hashOf) }
}

function outcomeOf(
  known: ReadonlyMap<string, Float32Array>,
  hashes: readonly string[],
  { vectors, refusals: refused }: EmbedResult,
): Outcome {
  const pairs = hashes.map((hash, at) => [hash, vectors[at]] as const)
  return {
    vectors: new Map([...known, ...pairs].flatMap(definedOnly)),
    refused: new Map(hashes.map((hash, at) => [hash, refused.get(at)] as const).flatMap(definedOnly)),
  }
}

function refusalOf(refusals: ReadonlyMap<number, RefusedNote>): string | undefined {
  const [first] = refusals.values()
  if (first === undefined) return undefined
  const { path, reason } = first
  return refusals.size === 1
    ? `1 note could not be embedded: ${path}: ${reason}`
    : `${refusals.size} notes could not be embedded, for example ${path}: ${reason}`
}

export function firstOf(keys: Iterable<number>, count: number, isFree: (key: number) => boolean): readonly number[] {
  const first: number[] = []
  for (const key of keys) if (isFree(key) && first.push(key) >= count) break
  return first
}

function definedOnly<T>([hash, value]: readonly [string, T | undefined]): [string, T][] {
  return value === undefined ? [] : [[hash, value]]
}
