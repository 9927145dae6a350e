import type { ChunkPlace } from './search.ts'

/**
 * Receives a word: its folded form, its kind (0 for a word, 1 for a part of the previous word at the same position, 2 for the last
 * character of a run in a script without spaces), its position in words, and its UTF-16 offsets in the text that contains it.
 * Positions never decrease.
 */
export type WordSink = (form: string, kind: number, position: number, start: number, end: number) => void

/** Passes the words of a text to the sink in order and returns their number. Each call analyzes the text again. */
export type AnalysedText = (sink: WordSink) => number

/** Returns the stem under which a form is stored in a note of the given language. */
export type StemOf = (form: string, language?: string) => string

export interface NoteWords {
  readonly key: number
  readonly path: string
  /** See `versionOf`. */
  readonly version: number
  /** ISO 639-1 code. Omitted if the language cannot be determined from the text. */
  readonly language?: string | undefined
  /** Title and aliases. */
  readonly title: AnalysedText
  /** The text after the frontmatter, followed by headings, tags and property values. */
  readonly body: AnalysedText
}

export interface EmbeddedText {
  /** First 16 bytes of the text's SHA-256, in hex. */
  readonly hash: string
  /** A unit vector. */
  readonly vector: Float32Array
}

/** An embedded chunk with its position; see `ChunkPlace`. */
export type EmbeddedChunk = EmbeddedText & ChunkPlace

export interface NoteVectors {
  readonly key: number
  readonly path: string
  readonly version: number
  /** Hex SHA-256 of the file's bytes. */
  readonly content: string
  readonly chunks: readonly EmbeddedChunk[]
  readonly names: readonly EmbeddedText[]
}

/** Notes whose words are indexed together. Nothing is visible until `commit`. */
export interface WordBatch {
  /** Replaces the index entries of the given notes. Each note may be put only once per batch. */
  put(notes: readonly NoteWords[]): Promise<void>
  commit(): Promise<void>
}

/**
 * The write interface of search, used only by `indexing/`. Search data is derived from indexed files and stored in a separate file,
 * so damage or a different embedding model never affects the graph. Notes have the same keys as in the index.
 */
export interface SearchWriter {
  /** Returns the version of each note whose words are indexed, by key. */
  wordVersions(): Promise<ReadonlyMap<number, number>>
  vectorVersions(embedder: string): Promise<ReadonlyMap<number, number>>
  /** Checks whether another process has written to the index or replaced it since the last call. */
  isOutdated(): Promise<boolean>
  beginWords(stemOf: StemOf): Promise<WordBatch>
  /**
   * Returns the vectors stored for the given keys, by the hash of the embedded text, so unchanged text is not embedded again. Zero
   * vectors are excluded, because they may represent rejected text.
   */
  vectorsOf(embedder: string, keys: readonly number[]): Promise<ReadonlyMap<string, Float32Array>>
  putVectors(embedder: string, notes: readonly NoteVectors[]): Promise<void>
  /** Removes deleted files. */
  forget(keys: readonly number[]): Promise<void>
  /**
   * Removes the vectors of all other embedders. Call this once this embedder has vectors for all notes, because the others are used
   * until then.
   */
  keepOnly(embedder: string): Promise<void>
  /**
   * Runs a small step of the engine's own maintenance, such as merging segments.
   * @returns whether there are more steps to run
   */
  maintain(): Promise<boolean>
  /** Runs deferred maintenance. Call this method when idle. */
  tidy(): Promise<void>
  reset(): Promise<void>
  close(): Promise<void>
}
