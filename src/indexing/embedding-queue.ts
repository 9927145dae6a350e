import type { Embedder } from '../core/embedder.ts'
import { isTransient, messageOf } from '../core/errors.ts'
import type { ChunkPlace, SearchProgress } from '../core/search.ts'
import type { EmbeddedText, NoteVectors, SearchWriter } from '../core/search-writer.ts'
import { chunkHash } from '../search/chunks.ts'
import { type Embedded, EmbeddingPace, EmbeddingRate, embedTexts } from './embed-texts.ts'
import type { ReadNote } from './search-document.ts'

export interface EmbeddingParts {
  readonly search: SearchWriter
  readonly openEmbedder: () => Promise<Embedder>
  /** Reads notes as they are now. Omits deleted ones. */
  readonly read: (keys: readonly number[]) => Promise<readonly ReadNote[]>
  /** True to delete the vectors of other embedders once this embedder's vectors are complete; see `SearchServiceParts.isEager`. */
  readonly supersedes: boolean
  /** Called when it is time for another `step`, after one has returned `waiting`. */
  readonly onWake: () => void
}

/** Number of notes whose vectors are stored at once. It is smaller while calls arrive, because the next call loads the new vectors. */
const STORE_NOTES = 256
const STORE_NOTES_URGENT = 64
/** Maximum time before finished vectors are stored, in milliseconds. A crash loses no more work than this. */
const STORE_MS = 5_000
/** Maximum number of notes whose vectors are loaded for reuse by other notes (about 10 MB). */
const MAX_SHARED_TEXTS = 5_000
/** First and longest delay before an embedder that failed is retried, in milliseconds. The delay doubles after each failure. */
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000
/** After this many transient failures in a row, callers do not wait for vectors any longer. */
const MAX_FAILURES = 3
/** Stored as the version of a note with a rejected text. It never matches, so another process will try again. */
const INCOMPLETE = 0
/** Maximum number of notes to read and embed at once, about 40 ms of work. It is smaller while calls arrive. */
const NOTES_AT_ONCE = 64
const NOTES_AT_ONCE_URGENT = 16
/** Number of notes to read together. A batch may be larger by up to this many notes. */
const READ_TOGETHER = 8

/** Maximum number of titles and aliases to embed per note. */
const MAX_NAMES = 64

interface Pending {
  readonly note: ReadNote
  /** The version that was requested when the note was read. */
  readonly wanted: number | undefined
  readonly chunks: readonly (ChunkPlace & { readonly hash: string })[]
  /** Hashes of the titles and aliases. */
  readonly names: readonly string[]
}

/** Vectors ready to be stored, and the version that was requested when their note was read. */
interface PreparedNote {
  readonly vectors: NoteVectors
  readonly wanted: number | undefined
}

type Outcome =
  | { readonly vectors: ReadonlyMap<string, Float32Array>; readonly refused: ReadonlyMap<string, string> }
  | { readonly error: unknown }

interface RefusedNote {
  readonly path: string
  readonly version: number
  readonly reason: string
}

/** Embeds the notes that lack vectors in the background, one batch at a time. */
export class EmbeddingQueue {
  readonly #parts: EmbeddingParts
  readonly #abort = new AbortController()
  readonly #requestedVersions = new Map<number, number>()
  /** The stored versions by key, or `undefined` until the embedder is open. */
  #storedVersions: Map<number, number> | undefined
  /** Keys of notes with missing or outdated vectors. A key is removed once its vectors have been committed. */
  readonly #queue = new Set<number>()
  #embedder: Embedder | undefined
  #isOpening = false
  /** Stored vectors of queued and deleted notes, by text hash. They are reused for equal texts. */
  #sharedVectors: ReadonlyMap<string, Float32Array> | undefined
  /** Notes with a text that the embedder rejected, by key. They are retried when they change. */
  readonly #refusals = new Map<number, RefusedNote>()
  /** Keys of deleted notes whose vectors are still stored. */
  readonly #dropped = new Set<number>()
  #pending: readonly Pending[] = []
  #isRunning = false
  #outcome: Outcome | undefined
  #ready: PreparedNote[] = []
  /** Keys of notes that are pending or ready. */
  readonly #inHand = new Set<number>()
  #readySince = 0
  #retryIn = FIRST_RETRY_MS
  #retryTimer: NodeJS.Timeout | undefined
  #problem: string | undefined
  /** Number of consecutive transient failures. */
  #failures = 0
  /** True if callers should not wait for vectors. */
  #isStuck = false
  /** True if the vectors of other embedders have been deleted. */
  #isAlone = false
  readonly #rate = new EmbeddingRate()
  readonly #pace = new EmbeddingPace()

  constructor(parts: EmbeddingParts) {
    this.#parts = parts
  }

  /** Why embedding has stalled or, once all notes have been tried, which ones could not be embedded. */
  get problem(): string | undefined {
    return this.#problem ?? (this.isThrough ? refusalOf(this.#refusals) : undefined)
  }

  /** True if all notes have been embedded, or if that is impossible for now. */
  get isSettled(): boolean {
    return this.#isStuck || (this.#storedVersions !== undefined && this.isThrough)
  }

  /** True if no note is waiting for vectors. */
  get isThrough(): boolean {
    return this.#queue.size === 0 && this.#inHand.size === 0
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** True if calls are arriving. */
  get isAsked(): boolean {
    return this.#pace.isAsked
  }

  /** Records that a call has arrived, so embedding slows down. */
  asked(): void {
    this.#pace.asked()
  }

  want(key: number, version: number): void {
    this.#sharedVectors = undefined
    this.#requestedVersions.set(key, version)
    if (this.#refusals.get(key)?.version !== version) this.#refusals.delete(key)
    if (this.#refusals.has(key) || this.#storedVersions?.get(key) === version) this.#queue.delete(key)
    else this.#queue.add(key)
  }

  drop(key: number): void {
    if (this.#storedVersions?.has(key)) this.#dropped.add(key)
    this.#requestedVersions.delete(key)
    this.#queue.delete(key)
    this.#refusals.delete(key)
    this.#storedVersions?.delete(key)
  }

  /** Records that the vectors of these deleted notes have been removed from the store. */
  forgot(keys: readonly number[]): void {
    for (const key of keys) this.#dropped.delete(key)
    this.#sharedVectors = undefined
  }

  progress(): NonNullable<SearchProgress['vectors']> {
    const queueLength = this.#queue.size
    const total = this.#requestedVersions.size
    const remaining = this.#rate.remaining(queueLength)
    return {
      done: this.#storedVersions === undefined ? 0 : Math.max(0, total - queueLength),
      total,
      // Before the stored versions are known, the progress does not name an embedder.
      ...(this.#embedder === undefined || this.#storedVersions === undefined ? undefined : { embedder: this.#embedder.id }),
      ...(remaining === undefined ? undefined : { remaining }),
    }
  }

  /** Reads the stored versions again, because another process may have written some. */
  async reload(): Promise<void> {
    if (this.#embedder === undefined) return
    this.#storedVersions = new Map(await this.#parts.search.vectorVersions(this.#embedder.id))
    for (const [key, version] of this.#requestedVersions) this.want(key, version)
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
      await this.#supersede(this.#embedder)
      return 'done'
    }
    await this.#start(this.#embedder)
    return 'waiting'
  }

  /** Closes the queue. Stores finished vectors first, because a slow model may have taken long to compute them. */
  async close(): Promise<void> {
    clearTimeout(this.#retryTimer)
    this.#abort.abort()
    try {
      if (this.#outcome !== undefined) this.#take(this.#outcome)
      if (this.#ready.length > 0) await this.#store()
    } catch {
      // If they cannot be stored, the next start embeds these notes again.
    } finally {
      await this.#embedder?.close()
    }
  }

  /** Deletes the vectors of other embedders. Searches used them until this embedder was complete. */
  async #supersede({ id }: Embedder): Promise<void> {
    if (!this.#parts.supersedes || this.#isAlone || this.#requestedVersions.size === 0) return
    await this.#parts.search.keepOnly(id)
    this.#isAlone = true
  }

  #open(): void {
    this.#isOpening = true
    this.#parts
      .openEmbedder()
      .then(
        async (embedder) => {
          if (this.#abort.signal.aborted) return await embedder.close()
          this.#embedder = embedder
          this.#recovered()
        },
        (error) => this.#retryLater(error),
      )
      .finally(() => {
        this.#isOpening = false
        this.#parts.onWake()
      })
  }

  /** Reads notes until a batch is full, and starts to embed the texts that have no known vector. */
  async #start(embedder: Embedder): Promise<void> {
    const pending: Pending[] = []
    const texts = new Map<string, string>()
    const maxNotes = this.#pace.isAsked ? NOTES_AT_ONCE_URGENT : NOTES_AT_ONCE
    const keys = firstOf(this.#queue, maxNotes, (key) => !this.#inHand.has(key))
    const knownVectors = await this.#knownVectors(embedder, keys)
    for (let from = 0; from < keys.length && texts.size < embedder.batch; from += READ_TOGETHER) {
      const batchKeys = keys.slice(from, from + READ_TOGETHER)
      const requestedVersions = new Map(batchKeys.map((key) => [key, this.#requestedVersions.get(key)]))
      const notes = await this.#parts.read(batchKeys)
      for (const note of notes) pending.push(prepare(note, requestedVersions.get(note.words.key), { known: knownVectors, texts }))
      // `read` omits deleted notes.
      const read = new Set(notes.map(({ words }) => words.key))
      for (const key of batchKeys) if (!read.has(key)) this.#queue.delete(key)
    }
    for (const { note } of pending) this.#inHand.add(note.words.key)
    this.#pending = pending
    this.#isRunning = true
    this.#embed(embedder, knownVectors, texts)
  }

  /**
   * Returns stored vectors that can be reused. Includes vectors of other queued or deleted notes, because a moved note has a new
   * key, and its old key may already belong to another note.
   */
  async #knownVectors(embedder: Embedder, keys: readonly number[]): Promise<ReadonlyMap<string, Float32Array>> {
    // The built-in embedder computes vectors faster than they can be read for other notes.
    if (embedder.id.startsWith('static:')) {
      const stored = keys.filter((key) => this.#storedVersions?.has(key))
      return await this.#parts.search.vectorsOf(embedder.id, stored)
    }
    this.#sharedVectors ??= await this.#parts.search.vectorsOf(
      embedder.id,
      [...this.#queue, ...this.#dropped].slice(0, MAX_SHARED_TEXTS),
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
      for (const { note } of pending) this.#inHand.delete(note.words.key)
      this.#retryLater(outcome.error)
      return
    }
    this.#recovered()
    if (this.#ready.length === 0) this.#readySince = performance.now()
    const { vectors, refused } = outcome
    const vectorsOf = (hash: string): readonly EmbeddedText[] => {
      const vector = vectors.get(hash)
      return vector === undefined ? [] : [{ hash, vector }]
    }
    for (const { note, wanted, chunks, names } of pending) {
      const { key, path, version } = note.words
      const embedded = chunks.flatMap((chunk) => vectorsOf(chunk.hash).map((text) => ({ ...chunk, ...text })))
      const reason = [...chunks.map(({ hash }) => hash), ...names]
        .map((hash) => refused.get(hash))
        .find((refusal) => refusal !== undefined)
      if (reason !== undefined && this.#requestedVersions.get(key) === version) this.#refusals.set(key, { path, version, reason })
      const stored = reason === undefined ? version : INCOMPLETE
      const entry = { key, path, version: stored, content: note.content, chunks: embedded, names: names.flatMap(vectorsOf) }
      this.#ready.push({ vectors: entry, wanted })
    }
  }

  #isWorthStoring(): boolean {
    if (this.#ready.length === 0) return false
    return (
      this.#queue.size <= this.#inHand.size ||
      this.#ready.length >= (this.#pace.isAsked ? STORE_NOTES_URGENT : STORE_NOTES) ||
      performance.now() - this.#readySince > STORE_MS
    )
  }

  async #store(): Promise<void> {
    // Do not store vectors of notes that were deleted in the meantime.
    const ready = this.#ready.filter(({ vectors }) => this.#requestedVersions.has(vectors.key))
    const stored = ready.map(({ vectors }) => vectors)
    // If this fails, the vectors stay in `#ready` for the next attempt.
    await this.#parts.search.putVectors(this.#embedder?.id ?? '', stored)
    for (const { vectors } of this.#ready) this.#inHand.delete(vectors.key)
    this.#ready = []
    for (const { vectors, wanted } of ready) {
      this.#storedVersions?.set(vectors.key, vectors.version)
      const now = this.#requestedVersions.get(vectors.key)
      if (now === wanted) this.#queue.delete(vectors.key)
      else if (now !== undefined) this.want(vectors.key, now)
    }
  }

  #recovered(): void {
    this.#problem = undefined
    this.#failures = 0
    this.#isStuck = false
    this.#retryIn = FIRST_RETRY_MS
  }

  #retryLater(error: unknown): void {
    if (this.#abort.signal.aborted) return
    this.#problem = messageOf(error)
    this.#failures++
    // Opening an embedder includes several retries, so do not make callers wait for more.
    this.#isStuck = this.#embedder === undefined || !isTransient(error) || this.#failures >= MAX_FAILURES
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined
      this.#parts.onWake()
    }, this.#retryIn)
    this.#retryTimer.unref()
    this.#retryIn = Math.min(MAX_RETRY_MS, this.#retryIn * 2)
  }
}

/** Splits a note into chunks and returns their hashes. Adds texts without a known vector to `texts`. */
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
  const chunks = note.chunks().map(({ start, end, startLine, endLine, text }) => ({
    start,
    end,
    startLine,
    endLine,
    hash: hashOf(text),
  }))
  return { note, wanted: requestedVersion, chunks, names: note.fields.title.slice(0, MAX_NAMES).map(hashOf) }
}

function outcomeOf(known: ReadonlyMap<string, Float32Array>, hashes: readonly string[], { vectors, refused }: Embedded): Outcome {
  const pairs = hashes.map((hash, at) => [hash, vectors[at]] as const)
  return {
    vectors: new Map([...known, ...pairs].flatMap(definedOnly)),
    refused: new Map(hashes.map((hash, at) => [hash, refused.get(at)] as const).flatMap(definedOnly)),
  }
}

/** Returns a message about notes that could not be embedded, or `undefined` if there are none. */
function refusalOf(refusals: ReadonlyMap<number, RefusedNote>): string | undefined {
  const [first] = refusals.values()
  if (first === undefined) return undefined
  const { path, reason } = first
  return refusals.size === 1
    ? `1 note could not be embedded: ${path}: ${reason}`
    : `${refusals.size} notes could not be embedded, for example ${path}: ${reason}`
}

/** Returns the first free keys, without copying all of them. */
export function firstOf(keys: Iterable<number>, count: number, isFree: (key: number) => boolean): readonly number[] {
  const first: number[] = []
  for (const key of keys) if (isFree(key) && first.push(key) >= count) break
  return first
}

function definedOnly<T>([hash, value]: readonly [string, T | undefined]): [string, T][] {
  return value === undefined ? [] : [[hash, value]]
}
