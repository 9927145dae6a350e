import { RouxError } from '../../../core/errors.ts'

export interface VectorHit {
  readonly label: number
  /** Cosine of query and vector, −1 to 1. */
  readonly score: number
}

/** Vectors of unit length under small dense integers (slots), found by cosine. */
export interface VectorIndex {
  readonly size: number
  /** Replaces what the label had; throws a `RouxError` on a label, dimension or length that cannot be. */
  set(label: number, vector: Float32Array): void
  /** A missing label is not an error. */
  delete(label: number): void
  /** Best first by cosine, then label; only labels that `accept` allows. `accept` must not change the index. */
  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[]
  /** Gives the memory back; the index is empty and not to be used again. */
  close(): void
}

export type AcceptLabel = (label: number) => boolean

/** The fine vector of a label from where it is stored; `undefined` when it is not there. */
export type StoredVector = (label: number) => Float32Array | undefined

const MAX_DIMENSIONS = 4096

/** Throws unless vectors of this dimension can be held: an integer of 1–4096. */
export function requireDimensions(dimensions: number): number {
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MAX_DIMENSIONS) return dimensions
  throw new RouxError('INVALID_PARAMS', `Vectors cannot have ${dimensions} dimensions.`, {
    hint: `Choose an embedding model of 1 to ${MAX_DIMENSIONS} dimensions.`,
  })
}

/** Throws unless the label is an integer of 0–2³¹ − 1. */
export function requireLabel(label: number): number {
  if (Number.isInteger(label) && label >= 0 && label <= 0x7fffffff) return label
  throw new RouxError('INVALID_PARAMS', `${label} is not a valid vector label.`, { hint: 'Use integers from 0.' })
}

/** Throws unless the vector is of this dimension and finite. */
export function requireVector(vector: Float32Array, dimensions: number): Float32Array {
  if (!(vector instanceof Float32Array) || vector.length !== dimensions) {
    throw new RouxError('INVALID_PARAMS', `A vector of ${dimensions} float32 numbers is needed, this has ${vector?.length}.`, {
      hint: 'Embed with the model that the index was made with, or index again.',
    })
  }
  if (hasFiniteValues(vector)) return vector
  throw new RouxError('INVALID_PARAMS', 'A vector has a value that is not a finite number.', {
    hint: 'The embedding model gave a bad answer: embed the text again.',
  })
}

/** A sum of finite float32 numbers is finite, and any other number makes one that is not. */
function hasFiniteValues(vector: Float32Array): boolean {
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += vector[i] as number
  return Number.isFinite(sum)
}

/** Throws unless the length is 1 within a hundredth, which float16 models keep too; other lengths are a caller's mistake. */
export function requireUnitLength(length: number): void {
  if (Math.abs(length - 1) <= 0.01) return
  throw new RouxError('INVALID_PARAMS', `A vector has the length ${length} instead of 1.`, {
    hint: 'Normalise the vector; for a text without a vector store none.',
  })
}

/** A whole number of hits from 0; throws on what is no number. */
export function requireLimit(limit: number, size: number): number {
  if (Number.isNaN(limit) || typeof limit !== 'number') {
    throw new RouxError('INVALID_PARAMS', `${limit} is not a valid search limit.`, { hint: 'Use an integer from 0.' })
  }
  return Math.max(0, Math.min(Math.floor(limit), size))
}
