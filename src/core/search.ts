import type { NodeId } from './ids.ts'

/** A note that has some of a question's words. */
export interface WordHit {
  readonly id: NodeId
  /** BM25 over title and text; compares within one answer only. */
  readonly score: number
  /** The weight (idf) of the words that this note has, as a share of the weight of all of them, 0–1. */
  readonly matched: number
}

export interface WordHits {
  /** Best first, then by id. */
  readonly hits: readonly WordHit[]
  /** The weight of the words that occur anywhere, as a share of the weight of all of them, 0–1. */
  readonly coverage: number
  /** The words that were looked up, and in how many notes each occurs. */
  readonly terms: readonly { readonly word: string; readonly notes: number }[]
}

/** A part of a note near to a vector. */
export interface ChunkHit {
  readonly id: NodeId
  /** Place among the note's chunks, from 0. */
  readonly chunk: number
  /** Cosine, −1–1. */
  readonly score: number
}

/** Where a chunk stands in its file. */
export interface ChunkPlace {
  /** UTF-16 offsets. */
  readonly start: number
  readonly end: number
  /** 1-based, both included. */
  readonly startLine: number
  readonly endLine: number
}

/** The vectors of a note's chunks. */
export interface NoteChunks {
  /** The first 16 hexadecimal digits of the SHA-256 of the text that the places are of. */
  readonly content: string
  /** In order; a vector is all zeros where the embedder knows nothing of the chunk. */
  readonly chunks: readonly (ChunkPlace & { readonly vector: Float32Array })[]
}

/** A title or alias near to a vector. */
export interface NameVectorHit {
  readonly id: NodeId
  readonly title: string
  readonly name: string
  /** Cosine, −1–1. */
  readonly score: number
}

/** The vectors of one embedder. */
export interface VectorState {
  readonly embedder: string
  /** Notes that have vectors. */
  readonly notes: number
  /** How they are compared now, in the engine's own word. */
  readonly index: string
  /** Why that, where the settings may have asked for another. */
  readonly reason?: string
}

/** How far the work behind the graph is that makes notes findable. */
export interface SearchProgress {
  /** Notes whose words are indexed, of all there are. */
  readonly words: Progress
  /** Notes whose meaning is indexed; absent without an embedder. */
  readonly vectors?: Progress & {
    /** The embedder's id, once it was opened. */
    readonly embedder?: string
    /** Estimated remaining time in ms; absent until it can be estimated. */
    readonly remaining?: number
  }
  /** Why it does not go on: a model that is missing, an endpoint that is down. */
  readonly message?: string
  /** It was given up, words too, until something changes; `message` says why. */
  readonly isStopped?: boolean
}

export interface Progress {
  readonly done: number
  readonly total: number
}

export interface FoundNote {
  readonly id: NodeId
  readonly title: string
  /** 0–1; absent where `find` was given no words. */
  readonly score?: number
}

export interface Found {
  readonly items: readonly FoundNote[]
  readonly total: number
}
