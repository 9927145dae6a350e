import type { Embedder } from '../core/embedder.ts'
import type { VaultPath } from '../core/ids.ts'
import type { FileContent, IndexWriter } from '../core/index-writer.ts'
import type { Flavour } from '../core/note.ts'
import type { SearchProgress } from '../core/search.ts'
import type { SearchWriter, WordBatch } from '../core/search-writer.ts'
import type { FileKind, Vault } from '../core/vault.ts'
import { stemOf } from '../search/words/stem.ts'
import { EmbeddingQueue, firstOf } from './embedding-queue.ts'
import type { RecentBytes } from './recent-bytes.ts'
import { type ReadNote, readNote, versionOf } from './search-document.ts'

export interface EmbeddingChoice {
  /** Opens the embedder. If omitted, notes are not embedded. A failure is retried later. */
  readonly openEmbedder?: () => Promise<Embedder>
  /** Checks whether a file's text may be embedded. If omitted, all text may be. */
  readonly mayEmbed?: ((path: string) => boolean) | undefined
  /** True if vectors are computed faster than notes are read, so each note is read only once for words and vectors. */
  readonly isEmbedderQuick?: boolean
}

export interface SearchParts {
  readonly vault: Vault
  readonly recent: Pick<RecentBytes, 'take'>
  readonly index: Pick<IndexWriter, 'contents' | 'descriptions'>
  readonly search: SearchWriter
  readonly embedding: EmbeddingChoice
  /** True to delete the vectors of other embedders once this embedder's vectors are complete. */
  readonly supersedes: boolean
  readonly flavour: Flavour
  readonly kindOf: (path: string) => FileKind
  /** Called if a file differs from the index, so it should be compared again. */
  readonly onMismatch: (path: VaultPath) => void
  /** Called once the event that `step` was waiting for has happened. */
  readonly onWake: () => void
}

/** A step's result. There is nothing to do until `onWake` is called (`waiting`) or until something changes (`done`). */
export type StepResult = 'more' | 'waiting' | 'done'

interface OpenBatch {
  readonly words: WordBatch
  characters: number
  readonly versions: Map<number, { readonly version: number; readonly wanted: number | undefined }>
}

/** Maximum duration of a step before yielding, in milliseconds. */
const STEP_MS = 30
/** Maximum notes and characters (half a million words) in a batch, which becomes a segment of the keyword index. */
const BATCH_NOTES = 2_000
const BATCH_CHARACTERS = 3 << 20
/** Number of notes read together. */
const READ_TOGETHER = 16
/** If the words of more notes than this are missing, words are indexed first and notes are read again for their vectors. */
const MAX_AT_ONCE = 10_000
/** Maximum number of notes to keep after their words were indexed, and the number from which embedding them is worthwhile. */
const MAX_READ = 256
const ENOUGH_READ = 128
/** Notes longer than this, in UTF-16 units, are not kept but read again. */
const MAX_READ_LENGTH = 1 << 15
/** How many times to reread a note that differs from the index before waiting for the index to change. */
const MAX_DOUBTS = 4

/**
 * Updates the search index to match the files, a few milliseconds at a time. Words come first, because they are faster, then
 * vectors. Comparing versions shows what work is left, so a crash loses at most one batch. Calls must not overlap.
 */
export class SearchIndexer {
  readonly #parts: SearchParts
  /** The current version of each note and canvas in the index, by key. */
  readonly #requestedVersions = new Map<number, number>()
  /**
   * Files of notes with outstanding work, by key. Cleared when idle. The versions are kept, so only the files of edited notes are
   * loaded then.
   */
  readonly #files = new Map<number, FileContent>()
  #words = new Map<number, number>()
  /** Keys of notes with missing or outdated words. A key is removed once its words have been committed. */
  readonly #wordQueue = new Set<number>()
  readonly #deletedKeys = new Set<number>()
  /** How often each note differed from the index when it was read. The next comparison may find that it matches after all. */
  readonly #doubtCounts = new Map<number, number>()
  readonly #embedding: EmbeddingQueue | undefined
  /** Notes that were read for their words and still need vectors, by key. */
  readonly #notes = new Map<number, ReadNote>()
  #batch: OpenBatch | undefined
  #generation = 0
  #isLoaded = false
  #hasRested = false
  #isCompact = false

  constructor(parts: SearchParts) {
    this.#parts = parts
    const { supersedes } = parts
    const { openEmbedder } = parts.embedding
    this.#embedding =
      openEmbedder === undefined
        ? undefined
        : new EmbeddingQueue({
            search: parts.search,
            openEmbedder,
            supersedes,
            read: (keys) => this.#readOnce(keys),
            onWake: parts.onWake,
          })
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

  /** Drops the notes' paths and hashes, unless work remains. */
  rest(): void {
    const isBusy = !this.isComplete('words') || this.#deletedKeys.size + this.#doubtCounts.size > 0
    if (isBusy || this.#embedding?.isThrough === false) return
    this.#files.clear()
    this.#hasRested = true
  }

  async step(): Promise<StepResult> {
    if (!this.#isLoaded) return 'done'
    if (this.#wordQueue.size > 0 || this.#batch !== undefined) {
      if (this.#notes.size >= ENOUGH_READ && this.#embedding?.isAsked === false) {
        await this.#embedding.step()
        // Continue with words once these vectors have been computed.
        if (this.#embedding.isRunning) return 'waiting'
      }
      await this.#indexWords()
      return 'more'
    }
    const embedded = (await this.#embedding?.step()) ?? 'done'
    if (embedded === 'done') this.#notes.clear()
    if (embedded === 'more') return 'more'
    // Forget deleted notes last, because a moved note may reuse the vectors that are stored for its former path.
    if (embedded === 'done' && this.#deletedKeys.size > 0) {
      await this.#forgetGone()
      return 'more'
    }
    if (this.#isCompact) return embedded
    this.#isCompact = !(await this.#parts.search.maintain())
    return this.#isCompact ? embedded : 'more'
  }

  asked(): void {
    this.#embedding?.asked()
  }

  /** Checks whether the given kind of search covers all notes, or at least all that can currently be indexed. */
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
    // Excluded notes are never in results, so they need not be searchable.
    const hasText = file.hash !== '' && !file.excluded && this.#parts.kindOf(file.path) !== 'attachment'
    if (!hasText) {
      if (this.#requestedVersions.delete(file.key) || this.#words.has(file.key)) this.#deletedKeys.add(file.key)
      this.#files.delete(file.key)
      this.#wordQueue.delete(file.key)
      this.#embedding?.drop(file.key)
      return
    }
    this.#deletedKeys.delete(file.key)
    this.#requestedVersions.set(file.key, versionOf(file, this.#parts.flavour.mode))
    this.#files.set(file.key, file)
  }

  /** Reads what has already been indexed, by this process or another. */
  async #load(): Promise<void> {
    if (this.#hasRested) for (const file of (await this.#parts.index.contents(0)).files) this.#note(file)
    this.#hasRested = false
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
    if (this.#parts.embedding.mayEmbed?.(file.path) === false) this.#embedding?.drop(key)
    else this.#embedding?.want(key, requestedVersion)
  }

  async #forgetGone(): Promise<void> {
    const keys = [...this.#deletedKeys]
    this.#deletedKeys.clear()
    await this.#parts.search.forget(keys)
    for (const key of keys) this.#words.delete(key)
    this.#embedding?.forgot(keys)
  }

  async #indexWords(): Promise<void> {
    const started = performance.now()
    this.#batch ??= { words: await this.#parts.search.beginWords(stemOf), characters: 0, versions: new Map() }
    const batch = this.#batch
    while (batch.versions.size < BATCH_NOTES && batch.characters < BATCH_CHARACTERS) {
      // A note that changes while its batch waits to be committed goes into the next batch.
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
      // Commit what has been read, so the next attempt starts with the notes that could not be read.
      await this.#commitWords(batch)
      throw error
    }
    await this.#orReload(() => batch.words.put(notes.map(({ words }) => words)))
    for (const note of notes) {
      const { words, fields } = note
      batch.characters += fields.body.length
      batch.versions.set(words.key, { version: words.version, wanted: requestedVersions.get(words.key) })
      if (this.#isKept(note)) this.#notes.set(words.key, note)
    }
    // Notes that were not returned have been deleted.
    for (const key of keys) if (!batch.versions.has(key)) this.#wordQueue.delete(key)
  }

  async #commitWords({ words, versions }: OpenBatch): Promise<void> {
    this.#batch = undefined
    if (versions.size > 0) await this.#orReload(() => words.commit())
    for (const [key, { version, wanted }] of versions) {
      this.#words.set(key, version)
      if (this.#requestedVersions.get(key) === wanted) this.#wordQueue.delete(key)
      else this.#enqueue(key)
    }
    this.#isCompact = false
  }

  /** Runs a write. If it fails, the next attempt compares versions to find out what is missing. */
  async #orReload(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#batch = undefined
      this.#isLoaded = false
      throw error
    }
  }

  /** Checks whether to keep a note that was read for its words, because its vectors will be computed soon. */
  #isKept({ fields }: ReadNote): boolean {
    const isSoon = this.#parts.embedding.isEmbedderQuick === true && this.#embedding?.isAsked === false
    return isSoon && this.#wordQueue.size < MAX_AT_ONCE && this.#notes.size < MAX_READ && fields.body.length <= MAX_READ_LENGTH
  }

  /** Returns the notes, without reading again those that were kept. */
  async #readOnce(keys: readonly number[]): Promise<readonly ReadNote[]> {
    const notes = keys.map((key) => this.#notes.get(key))
    for (const key of keys) this.#notes.delete(key)
    const isCurrent = (note: ReadNote | undefined): note is ReadNote =>
      note !== undefined && this.#requestedVersions.get(note.words.key) === note.words.version
    return [...notes.filter(isCurrent), ...(await this.#read(keys.filter((_, at) => !isCurrent(notes[at]))))]
  }

  /** Reads notes from disk. Omits deleted notes and reports those that differ from the index. */
  async #read(keys: readonly number[]): Promise<readonly ReadNote[]> {
    const { index, vault, recent, flavour, kindOf } = this.#parts
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
      const note = isReadable ? readNote(source, bytes, flavour) : undefined
      if (note?.words.version !== this.#requestedVersions.get(key)) {
        this.#doubtCounts.set(key, (this.#doubtCounts.get(key) ?? 0) + 1)
        this.#parts.onMismatch(path)
      }
      return note === undefined ? [] : [note]
    })
  }
}
