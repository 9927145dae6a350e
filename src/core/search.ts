import type { NodeId } from './ids.ts'

export interface WordHit {
  readonly id: NodeId
  /** BM25 score over title and text. Comparable only within one result. */
  readonly score: number
  /** Total weight (idf) of the query words found in this note, divided by the total weight of all query words, 0–1. */
  readonly matched: number
}

export interface WordHits {
  /** Best first; ties are ordered by id. */
  readonly hits: readonly WordHit[]
  /** Total weight of the query words that occur in any note, divided by the total weight of all query words, 0–1. */
  readonly coverage: number
  /** The words that were looked up, with the number of notes that contain each. */
  readonly terms: readonly { readonly word: string; readonly notes: number }[]
}

/** An indexed word whose spelling is close to that of a given word. */
export interface NearWord {
  /** Folded spelling. */
  readonly word: string
  readonly notes: number
}

export interface NoteLanguages {
  /** In the requested order. `undefined` if the language cannot be determined from the text, or the words are not indexed. */
  readonly codes: readonly (string | undefined)[]
  /** Number of the vault's notes in each language. */
  readonly notes: ReadonlyMap<string, number>
}

/** A chunk of a note that is similar to the query vector. */
export interface ChunkHit {
  readonly id: NodeId
  /** Index of the chunk within the note, from 0. */
  readonly chunk: number
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

export interface ChunkPlace {
  /** Offset in UTF-16 units. `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

export interface NoteChunks {
  /** First 16 hex digits of the SHA-256 of the text that the positions refer to. */
  readonly content: string
  /** In order. The vector is all zeros if the embedder recognizes nothing in the chunk. */
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
  /** The engine's name for the current index type. */
  readonly index: string
  /** Why this index type is used if the settings specify a different one. */
  readonly reason?: string
}

export interface SearchProgress {
  /** Progress of indexing words, in notes. */
  readonly words: Progress
  /** Progress of indexing vectors, in notes. Omitted if there is no embedder. */
  readonly vectors?: Progress & {
    /** The embedder's id, once the embedder is open. */
    readonly embedder?: string
    /** Estimated remaining time in milliseconds. Omitted until it can be estimated. */
    readonly remaining?: number
  }
  /** Why indexing is stalled, such as a missing model or an unreachable endpoint. */
  readonly message?: string
  /** True if all indexing, even of words, has stopped until something changes. `message` contains the reason. */
  readonly isStopped?: boolean
}

export interface Progress {
  readonly done: number
  readonly total: number
}

export interface FoundNote {
  readonly id: NodeId
  readonly title: string
  /** 0–1. Omitted if `find` was called without words. */
  readonly score?: number
}

export interface FoundPage {
  readonly items: readonly FoundNote[]
  readonly total: number
}
