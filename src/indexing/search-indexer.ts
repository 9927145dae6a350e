import type { Embedder } from '../core/embedder.ts'
import type { VaultPath } from '../core/ids.ts'
import type { FileContent, IndexWriter } from '../core/index-writer.ts'
import type { Flavor } from '../core/note.ts'
import type { SearchProgress } from '../core/search.ts'
import type { WordBatch } from '../core/search-writer.ts'
import type { FileKind, Vault } from '../core/vault.ts'
import { stemOf } from '../search/words/stem.ts'
import { type EmbeddingParts, EmbeddingQueue, firstOf } from './embedding-queue.ts'
import { type ReadNote, type RecentBytes, readNote, versionOf } from './search-document.ts'

export interface EmbeddingChoice {
  /** Opens the embedder, again after a failure. If omitted, notes are not embedded. */
  readonly openEmbedder?: () => Promise<Embedder>
  readonly mayEmbed?: ((path: string) => boolean) | undefined
  /** The embedder is faster than reading, so each note is read once for words and vectors. */
  readonly isEmbedderQuick?: boolean
}

export interface SearchParts extends Pick<EmbeddingParts, 'search' | 'deletesOtherVectors' | 'onWake'> {
  readonly vault: Vault
  readonly recent: Pick<RecentBytes, 'take'>
  readonly index: Pick<IndexWriter, 'contents' | 'descriptions'>
  readonly embedding: EmbeddingChoice
  readonly flavor: Flavor
  readonly kindOf: (path: string) => FileKind
  readonly onMismatch: (path: VaultPath) => void
}

export type StepResult = 'more' | 'waiting' | 'done'

interface OpenBatch {
  readonly words: WordBatch
  characters: number
  readonly versions: Map<number, { readonly version: number; readonly requestedVersion: number | undefined }>
}

const STEP_MS = 30
/** A batch becomes a segment of the keyword index, so its notes and characters are limited. */
const BATCH_NOTES = 2_000
const BATCH_CHARACTERS = 3 << 20
const READ_TOGETHER = 16
/** If there are more notes, words are indexed first, and notes are read again for vectors. */
const MAX_AT_ONCE = 10_000
/** Maximum number of notes in memory between word indexing and embedding. */
const MAX_READ = 256
/** Embedding starts when this many notes are in memory. */
const ENOUGH_READ = 128
/** The maximum length in UTF-16 units. Longer notes are read again. */
const MAX_READ_LENGTH = 1 << 15
/** The number of retries before waiting for the index to change. */
const MAX_DOUBTS = 4

/** An indexer that updates words, then vectors, a few milliseconds at a time. Steps must not overlap. */
export class SearchIndexer {
  readonly #parts: SearchParts
  readonly #requestedVersions = new Map<number, number>()
  readonly #files = new Map<number, FileContent>()
  #words = new Map<number, number>()
  /** Keys of notes with missing or outdated words, until these are committed. */
  readonly #wordQueue = new Set<number>()
  readonly #deletedKeys = new Set<number>()
  /** The number of times that each note differed from the index. */
  readonly #doubtCounts = new Map<number, number>()
  readonly #embedding: EmbeddingQueue | undefined
  readonly #notes = new Map<number, ReadNote>()
  #batch: OpenBatch | undefined
  #generation = 0
  #isLoaded = false
  #hasReleasedMemory = false
  #isCompact = false

  constructor(parts: SearchParts) {
    this.#parts = parts
    const { openEmbedder } = parts.embedding
    this.#embedding = openEmbedder && new EmbeddingQueue({ ...parts, openEmbedder, read: (keys) => this.#readOnce(keys) })
  }

  async refresh(): Promise<void> {
    const { index } = this.#parts
    let { generation, files } = await index.contents(this.#generation)
    if (generation < this.#generation) {
      this.#forgetIndex()
      ;({ generation, files } = await index.contents(0))
    }
    this.#generation = generation
    for (const file of files) this.#note(file)
    const isOutdated = await this.#parts.search.isOutdated()
    if (!this.#isLoaded || isOutdated) await this.#load()
    for (const { key } of files) this.#enqueue(key)
    for (const [key, times] of this.#doubtCounts) if (times < MAX_DOUBTS) this.#enqueue(key)
  }

  releaseMemory(): void {
    const isBusy = !this.isComplete('words') || this.#deletedKeys.size + this.#doubtCounts.size > 0
    if (isBusy || this.#embedding?.isFinished === false) return
    this.#files.clear()
    this.#hasReleasedMemory = true
  }

  async step(): Promise<StepResult> {
    if (!this.#isLoaded) return 'done'
    if (this.#wordQueue.size > 0 || this.#batch !== undefined) {
      if (this.#notes.size >= ENOUGH_READ && this.#embedding?.hasRecentCall === false) {
        await this.#embedding.step()
        // Indexing of words continues after these vectors are computed.
        if (this.#embedding.isRunning) return 'waiting'
      }
      await this.#indexWords()
      return 'more'
    }
    const embedded = (await this.#embedding?.step()) ?? 'done'
    if (embedded === 'done') this.#notes.clear()
    if (embedded === 'more') return 'more'
    // Forget deleted notes last, because moved notes may reuse their vectors.
    if (embedded === 'done' && this.#deletedKeys.size > 0) {
      await this.#forgetGone()
      return 'more'
    }
    if (this.#isCompact) return embedded
    this.#isCompact = !(await this.#parts.search.maintain())
    return this.#isCompact ? embedded : 'more'
  }

  onCall(): void {
    this.#embedding?.onCall()
  }

  isComplete(by: 'words' | 'meaning'): boolean {
    if (!this.#isLoaded || this.#wordQueue.size > 0 || this.#batch !== undefined) return false
    return by === 'words' || this.#embedding === undefined || this.#embedding.isSettled
  }

  progress(): SearchProgress {
    const total = this.#requestedVersions.size
    const embedding = this.#embedding?.progress()
    return {
      words: { done: this.#isLoaded ? Math.max(0, total - this.#wordQueue.size) : 0, total },
      ...(embedding === undefined ? undefined : { vectors: embedding }),
      ...(this.#embedding?.problem === undefined ? undefined : { message: this.#embedding.problem }),
    }
  }

  async close(): Promise<void> {
    await this.#embedding?.close()
  }

  #forgetIndex(): void {
    this.#generation = 0
    for (const key of this.#requestedVersions.keys()) this.#deletedKeys.add(key)
    this.#requestedVersions.clear()
    this.#files.clear()
    this.#doubtCounts.clear()
    this.#wordQueue.clear()
  }

  #note(file: FileContent): void {
    this.#doubtCounts.delete(file.key)
    // An excluded note needs no words, because search never returns it.
    const hasText = file.hash !== '' && !file.excluded && this.#parts.kindOf(file.path) !== 'attachment'
    if (!hasText) {
      if (this.#requestedVersions.delete(file.key) || this.#words.has(file.key)) this.#deletedKeys.add(file.key)
      this.#files.delete(file.key)
      this.#wordQueue.delete(file.key)
      this.#embedding?.remove(file.key)
      return
    }
    this.#deletedKeys.delete(file.key)
    this.#requestedVersions.set(file.key, versionOf(file, this.#parts.flavor.mode))
    this.#files.set(file.key, file)
  }

  /** Loads the stored versions, because another process may have indexed some notes. */
  async #load(): Promise<void> {
    if (this.#hasReleasedMemory) for (const file of (await this.#parts.index.contents(0)).files) this.#note(file)
    this.#hasReleasedMemory = false
    this.#words = new Map(await this.#parts.search.wordVersions())
    await this.#embedding?.reload()
    this.#isLoaded = true
    for (const key of this.#words.keys()) if (!this.#requestedVersions.has(key)) this.#deletedKeys.add(key)
    for (const key of this.#requestedVersions.keys()) this.#enqueue(key)
  }

  #enqueue(key: number): void {
    const requestedVersion = this.#requestedVersions.get(key)
    const file = this.#files.get(key)
    if (requestedVersion === undefined || file === undefined) return
    if (this.#words.get(key) === requestedVersion) this.#wordQueue.delete(key)
    else this.#wordQueue.add(key)
    if (this.#parts.embedding.mayEmbed?.(file.path) === false) this.#embedding?.remove(key)
    else this.#embedding?.request(key, requestedVersion)
  }

  async #forgetGone(): Promise<void> {
    const keys = [...this.#deletedKeys]
    this.#deletedKeys.clear()
    await this.#parts.search.forget(keys)
    for (const key of keys) this.#words.delete(key)
    this.#embedding?.onVectorsDeleted(keys)
  }

  async #indexWords(): Promise<void> {
    const started = performance.now()
    this.#batch ??= { words: await this.#parts.search.beginWords(stemOf), characters: 0, versions: new Map() }
    const batch = this.#batch
    while (batch.versions.size < BATCH_NOTES && batch.characters < BATCH_CHARACTERS) {
      // A note that changes before the commit goes into the next batch.
      const keys = firstOf(this.#wordQueue, READ_TOGETHER, (key) => !batch.versions.has(key))
      if (keys.length === 0) break
      await this.#readWords(batch, keys)
      if (performance.now() - started > STEP_MS) return
    }
    await this.#commitWords(batch)
  }

  async #readWords(batch: OpenBatch, keys: readonly number[]): Promise<void> {
    const requestedVersions = new Map(keys.map((key) => [key, this.#requestedVersions.get(key)]))
    let notes: readonly ReadNote[]
    try {
      notes = await this.#read(keys)
    } catch (error) {
      // Commit what has been read, so the next attempt continues with other notes.
      await this.#commitWords(batch)
      throw error
    }
    await this.#orReload(() => batch.words.put(notes.map(({ words }) => words)))
    for (const note of notes) {
      const { words, fields } = note
      batch.characters += fields.body.length
      batch.versions.set(words.key, { version: words.version, requestedVersion: requestedVersions.get(words.key) })
      if (this.#isKept(note)) this.#notes.set(words.key, note)
    }
    for (const key of keys) if (!batch.versions.has(key)) this.#wordQueue.delete(key)
  }

  async #commitWords({ words, versions }: OpenBatch): Promise<void> {
    this.#batch = undefined
    if (versions.size > 0) await this.#orReload(() => words.commit())
    for (const [key, { version, requestedVersion }] of versions) {
      this.#words.set(key, version)
      if (this.#requestedVersions.get(key) === requestedVersion) this.#wordQueue.delete(key)
      else this.#enqueue(key)
    }
    this.#isCompact = false
  }

  /** Runs a write. If it fails, all versions are compared again. */
  async #orReload(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#batch = undefined
      this.#isLoaded = false
      throw error
    }
  }

  /** Returns true if the note's vectors are computed soon. Other notes are not kept in memory. */
  #isKept({ fields }: ReadNote): boolean {
    const isSoon = this.#parts.embedding.isEmbedderQuick === true && this.#embedding?.hasRecentCall === false
    return isSoon && this.#wordQueue.size < MAX_AT_ONCE && this.#notes.size < MAX_READ && fields.body.length <= MAX_READ_LENGTH
  }

  async #readOnce(keys: readonly number[]): Promise<readonly ReadNote[]> {
    const notes = keys.map((key) => this.#notes.get(key))
    for (const key of keys) this.#notes.delete(key)
    const isCurrent = (note: ReadNote | undefined): note is ReadNote =>
      note !== undefined && this.#requestedVersions.get(note.words.key) === note.words.version
    return [...notes.filter(isCurrent), ...(await this.#read(keys.filter((_, at) => !isCurrent(notes[at]))))]
  }

  /** Reads notes, leaves out deleted ones, and reports those that differ from the index. */
  async #read(keys: readonly number[]): Promise<readonly ReadNote[]> {
    const { index, vault, recent, flavor, kindOf } = this.#parts
    if (keys.length === 0) return []
    const descriptions = await index.descriptions(keys)
    return keys.flatMap((key) => {
      const file = this.#files.get(key)
      if (file === undefined) return []
      const { path, hash } = file
      const recentBytes = recent.take(hash)
      const bytes = recentBytes ?? vault.read(path)
      const isReadable = bytes !== undefined && bytes !== 'unreadable'
      const source = { key, path, kind: kindOf(path), known: descriptions.get(key), hash: recentBytes && hash }
      const note = isReadable ? readNote(source, bytes, flavor) : undefined
      if (note?.words.version !== this.#requestedVersions.get(key)) {
        this.#doubtCounts.set(key, (this.#doubtCounts.get(key) ?? 0) + 1)
        this.#parts.onMismatch(path)
      }
      return note === undefined ? [] : [note]
    })
  }
}
