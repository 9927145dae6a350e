import type { ChunkPlace } from './search.ts'

/**
 * A callback for words. `kind`: 0 for a word, 1 for a part of the previous word at the same position, 2 for the last character of
 * a run in a script without spaces. `position` counts words and never decreases. `start` and `end` are UTF-16 offsets.
 */
export type WordSink = (form: string, kind: number, position: number, start: number, end: number) => void

/** Passes the words of a text to a sink and returns their number. Each call analyzes the text again. */
export type AnalyzedText = (sink: WordSink) => number

/** Returns the stem of a form in a note of this language. */
export type StemOf = (form: string, language?: string) => string

export interface NoteWords {
  readonly key: number
  readonly path: string
  /** The version of the note; see `versionOf`. */
  readonly version: number
  /** The language in ISO 639-1. It is omitted if the text does not determine one. */
  readonly language?: string | undefined
  readonly title: AnalyzedText
  /** The text after the frontmatter, then headings, tags and property values. */
  readonly body: AnalyzedText
}

export interface EmbeddedText {
  /** The first 16 bytes of the text's SHA-256, in hex. */
  readonly hash: string
  /** A unit vector. */
  readonly vector: Float32Array
}

/** A chunk and its vector, with a position as in `ChunkPlace`. */
export type EmbeddedChunk = EmbeddedText & ChunkPlace

export interface NoteVectors extends Pick<NoteWords, 'key' | 'path' | 'version'> {
  /** The SHA-256 of the file's bytes, in hex. */
  readonly content: string
  readonly chunks: readonly EmbeddedChunk[]
  readonly names: readonly EmbeddedText[]
}

/** Readers do not see the words until `commit`. */
export interface WordBatch {
  /** Adds notes and replaces existing entries. A note may be put once per batch. */
  put(notes: readonly NoteWords[]): Promise<void>
  commit(): Promise<void>
}

/**
 * The write interface of the search index, which only `indexing/` uses. The index has its own file, so damage or another
 * embedding model does not affect the graph. Notes have the same keys in both.
 */
export interface SearchWriter {
  /** Returns the versions of the notes with indexed words, by key. */
  wordVersions(): Promise<ReadonlyMap<number, number>>
  vectorVersions(embedder: string): Promise<ReadonlyMap<number, number>>
  /** True if another process has written to the index or replaced it since the last call. */
  isOutdated(): Promise<boolean>
  beginWords(stemOf: StemOf): Promise<WordBatch>
  /**
   * Returns stored vectors by the hash of the embedded text, so unchanged text is not embedded again. Zero vectors are left out,
   * because they may stand for rejected text.
   */
  vectorsOf(embedder: string, keys: readonly number[]): Promise<ReadonlyMap<string, Float32Array>>
  putVectors(embedder: string, notes: readonly NoteVectors[]): Promise<void>
  forget(keys: readonly number[]): Promise<void>
  /**
   * Removes the vectors of other embedders. Call when all notes have vectors of this embedder, because searches use the others
   * until then.
   */
  keepOnly(embedder: string): Promise<void>
  /** Runs a small step of maintenance, such as merging segments. @returns whether there are more steps */
  maintain(): Promise<boolean>
  /** Runs deferred maintenance. Callers should wait until the process is idle. */
  tidy(): Promise<void>
  reset(): Promise<void>
  close(): Promise<void>
}
