import type { NodeId } from './ids.ts'

export interface WordHit {
  readonly id: NodeId
  /** The BM25 score over title and text, which is comparable only within one result. */
  readonly score: number
  /** The share of the total idf weight of the query words that occur in this note, 0–1. */
  readonly matched: number
}

export interface WordHits {
  /** The best hits come first. Equal hits are ordered by id. */
  readonly hits: readonly WordHit[]
  /** The share of the total idf weight of the query words that occur in any note, 0–1. */
  readonly coverage: number
  /** The words that were looked up, with their numbers of notes. */
  readonly terms: readonly { readonly word: string; readonly notes: number }[]
}

export interface NearWord {
  /** The folded spelling of the word. */
  readonly word: string
  readonly notes: number
}

export interface NoteLanguages {
  /** One code per word, in order. The code is `undefined` if the language is unclear or the words are not indexed. */
  readonly codes: readonly (string | undefined)[]
  /** Number of the vault's notes in each language. */
  readonly notes: ReadonlyMap<string, number>
}

export interface ChunkHit {
  readonly id: NodeId
  /** The 0-based index within the note. */
  readonly chunk: number
  /** The cosine similarity, −1 to 1. */
  readonly score: number
}

export interface ChunkPlace {
  /** Offsets in UTF-16 units. `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** Line numbers are 1-based and inclusive. */
  readonly startLine: number
  readonly endLine: number
}

export interface NoteChunks {
  /** The first 16 hex digits of the SHA-256 of the text that `start` and `end` refer to. */
  readonly content: string
  /** The chunks in order. A zero vector stands for a chunk that the embedder does not know. */
  readonly chunks: readonly (ChunkPlace & { readonly vector: Float32Array })[]
}

export interface NameVectorHit {
  readonly id: NodeId
  readonly title: string
  readonly name: string
  /** The cosine similarity, −1 to 1. */
  readonly score: number
}

export interface VectorState {
  readonly embedder: string
  readonly notes: number
  /** The index type, as named by the engine. */
  readonly index: string
  /** The reason why the index type differs from the settings. */
  readonly reason?: string
}

export interface SearchProgress {
  /** The progress counts notes, not words. */
  readonly words: Progress
  /** The progress counts notes, not vectors. It is omitted if there is no embedder. */
  readonly vectors?: Progress & {
    readonly embedder?: string
    /** The estimated time left, in milliseconds. It is omitted if unknown. */
    readonly remaining?: number
  }
  /** The reason why indexing is stalled, such as a missing model or an unreachable endpoint. */
  readonly message?: string
  /** True if all indexing has stopped until something changes. `message` gives the reason. */
  readonly isStopped?: boolean
}

export interface Progress {
  readonly done: number
  readonly total: number
}

export interface FoundNote {
  readonly id: NodeId
  readonly title: string
  /** A score from 0 to 1. It is omitted for queries without words. */
  readonly score?: number
}

export interface FoundPage {
  readonly items: readonly FoundNote[]
  readonly total: number
}
