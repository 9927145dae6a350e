import type { NodeId } from './ids.ts'

export interface WordHit {
  readonly id: NodeId
  /** BM25 over title and text. Comparable only within one result. */
  readonly score: number
  /** Share of the total idf weight of the query words that occur in this note, 0–1. */
  readonly matched: number
}

export interface WordHits {
  /** Best first, then by id. */
  readonly hits: readonly WordHit[]
  /** Share of the total idf weight of the query words that occur in any note, 0–1. */
  readonly coverage: number
  /** Words that were looked up, with their numbers of notes. */
  readonly terms: readonly { readonly word: string; readonly notes: number }[]
}

export interface NearWord {
  /** Folded spelling. */
  readonly word: string
  readonly notes: number
}

export interface NoteLanguages {
  /** In order. `undefined` if the language is unclear or the words are not indexed. */
  readonly codes: readonly (string | undefined)[]
  /** Number of the vault's notes in each language. */
  readonly notes: ReadonlyMap<string, number>
}

export interface ChunkHit {
  readonly id: NodeId
  /** 0-based index within the note. */
  readonly chunk: number
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

export interface ChunkPlace {
  /** In UTF-16 units. `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

export interface NoteChunks {
  /** First 16 hex digits of the SHA-256 of the text that `start` and `end` refer to. */
  readonly content: string
  /** In order. Zero vectors stand for chunks that the embedder does not know. */
  readonly chunks: readonly (ChunkPlace & { readonly vector: Float32Array })[]
}

export interface NameVectorHit {
  readonly id: NodeId
  readonly title: string
  readonly name: string
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

export interface VectorState {
  readonly embedder: string
  readonly notes: number
  /** Index type, as named by the engine. */
  readonly index: string
  /** Why the index type differs from the settings. */
  readonly reason?: string
}

export interface SearchProgress {
  /** Counts notes, not words. */
  readonly words: Progress
  /** Counts notes, not vectors. Omitted if there is no embedder. */
  readonly vectors?: Progress & {
    readonly embedder?: string
    /** Estimated milliseconds left. Omitted if unknown. */
    readonly remaining?: number
  }
  /** Why indexing is stalled, such as a missing model or an unreachable endpoint. */
  readonly message?: string
  /** True if all indexing has stopped until something changes; see `message`. */
  readonly isStopped?: boolean
}

export interface Progress {
  readonly done: number
  readonly total: number
}

export interface FoundNote {
  readonly id: NodeId
  readonly title: string
  /** 0–1. Omitted for queries without words. */
  readonly score?: number
}

export interface FoundPage {
  readonly items: readonly FoundNote[]
  readonly total: number
}
