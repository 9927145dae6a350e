import type { ChunkPlace } from './search.ts'

/**
 * Receives a word: its folded form, its kind (0 a word, 1 a part of the word before it at the same position, 2 the last
 * character of a run in a script without spaces), its position (counted in words) and its UTF-16 offsets in its own
 * text. Positions never decrease.
 */
export type WordSink = (form: string, kind: number, position: number, start: number, end: number) => void

/** The words of a text: hands them over in order and returns how many there are. They are found while they are handed over, each time. */
export type AnalysedText = (sink: WordSink) => number

/** A note's words for the keyword index. */
export interface NoteWords {
  readonly key: number
  readonly path: string
  /** See `versionOf`. */
  readonly version: number
  /** Title and aliases. */
  readonly title: AnalysedText
  /** The text after the frontmatter, then headings, tags and values of properties. */
  readonly body: AnalysedText
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
  /** The title, then each alias. */
  readonly names: readonly EmbeddedText[]
}

/** Notes whose words are indexed at once; nothing of them is seen before `commit`. */
export interface WordBatch {
  /** Replaces what is indexed under each key; a batch puts a key at most once. */
  put(notes: readonly NoteWords[]): Promise<void>
  commit(): Promise<void>
}

/**
 * The writing side of search, for `indexing/` only. It derives from the files in the index and lives in a file of its
 * own, so damage or another embedding model never affects the graph. Notes have the keys of the index.
 */
export interface SearchWriter {
  /** The version of each note whose words are indexed, by key. */
  wordVersions(): Promise<ReadonlyMap<number, number>>
  /** The version of each note that has vectors of this embedder, by key. */
  vectorVersions(embedder: string): Promise<ReadonlyMap<number, number>>
  /** True if another process has written, or replaced the index, since the last call. */
  isOutdated(): Promise<boolean>
  /** Begins a batch; `stemOf` gives the stem of each form in it. */
  beginWords(stemOf: (form: string) => string): Promise<WordBatch>
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
   * Does a little of the engine's own work on what was written, such as making many small parts one.
   * @returns whether there is more to do.
   */
  maintain(): Promise<boolean>
  /** Does what can wait until nothing is asked. */
  tidy(): Promise<void>
  /** Throws everything away. */
  reset(): Promise<void>
  close(): Promise<void>
}
