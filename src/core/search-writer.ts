import type { ChunkPlace } from './search.ts'

/** What a note says, for the keyword index. */
export interface NoteWords {
  readonly key: number
  readonly path: string
  /** See `versionOf`. */
  readonly version: number
  /** The title first, then aliases. */
  readonly names: readonly string[]
  readonly headings: readonly string[]
  /** The text after the frontmatter. */
  readonly body: string
  readonly tags: readonly string[]
  /** Values of properties, as text. */
  readonly properties: readonly string[]
}

/** One embedded text, known again by its hash. */
export interface EmbeddedText {
  /** The first 16 bytes of the text's SHA-256, hex. */
  readonly hash: string
  /** Unit length. */
  readonly vector: Float32Array
}

/** One embedded chunk, and where it stands: see `ChunkPlace`. */
export type EmbeddedChunk = EmbeddedText & ChunkPlace

/** The vectors of one note. */
export interface NoteVectors {
  readonly key: number
  readonly path: string
  readonly version: number
  /** SHA-256 of the file's bytes, hex. */
  readonly content: string
  /** In order. */
  readonly chunks: readonly EmbeddedChunk[]
  /** Of the title, then of each alias. */
  readonly names: readonly EmbeddedText[]
}

/** Notes on their way into the keyword index; nothing of them is seen before `commit`. */
export interface WordBatch {
  readonly notes: number
  has(key: number): boolean
  /** Takes the place of what is indexed of the note's key; a key is taken once a batch. */
  add(note: NoteWords): void
  commit(): Promise<void>
}

/**
 * The writing side of search, for `indexing/` only. It is derived from the files that the index names and lies in a file of its own, so
 * that neither damage nor another embedding model ever touches the graph. One transaction a call.
 */
export interface SearchWriter {
  /** The version of each note whose words are indexed, by key. */
  wordVersions(): Promise<ReadonlyMap<number, number>>
  /** The version of each note that has vectors of this embedder, by key. */
  vectorVersions(embedder: string): Promise<ReadonlyMap<number, number>>
  /** Whether another process wrote, or the index was replaced, since this was asked last. */
  isOutdated(): Promise<boolean>
  /** Collects notes whose words will be indexed at once. */
  startWords(): WordBatch
  /**
   * Vectors of this embedder that these keys have, by the hash of their text: what did not change is not embedded again. Without those of
   * zeros, which may stand for a text that was refused.
   */
  vectorsOf(embedder: string, keys: readonly number[]): Promise<ReadonlyMap<string, Float32Array>>
  putVectors(embedder: string, notes: readonly NoteVectors[]): Promise<void>
  /** Forgets files that are gone. */
  forget(keys: readonly number[]): Promise<void>
  /** Forgets the vectors of other embedders, which served until this one had them all. */
  keepOnly(embedder: string): Promise<void>
  /**
   * Makes what was written in many small parts one, a part at a time.
   * @returns whether there is more to do.
   */
  compact(): Promise<boolean>
  /** Does what can wait until nothing is asked. */
  tidy(): Promise<void>
  /** Throws everything away. */
  reset(): Promise<void>
  close(): Promise<void>
}
