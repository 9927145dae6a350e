import { invalid, RouxError } from '../../../core/errors.ts'

export interface VectorHit {
  readonly label: number
  /** The cosine, −1 to 1. */
  readonly score: number
}

/** An index of unit vectors with small integers as labels, searched by cosine. */
export interface VectorIndex {
  readonly size: number
  /** Sets a vector. @throws RouxError for an invalid label, dimension or length */
  set(label: number, vector: Float32Array): void
  /** Deletes a label. Unknown labels are ignored. */
  delete(label: number): void
  /** Returns hits by cosine, highest first, then by label. `accept` must not change the index. */
  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[]
  /** Closes the index, which cannot be used afterwards. */
  close(): void
}

export type AcceptLabel = (label: number) => boolean

/** Returns the full-precision vector of a label. */
export type StoredVector = (label: number) => Float32Array | undefined

const MAX_DIMENSIONS = 4096

export function requireDimensions(dimensions: number): number {
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MAX_DIMENSIONS) return dimensions
  throw new RouxError('INVALID_PARAMS', `Vectors cannot have ${dimensions} dimensions.`, {
    hint: `Choose an embedding model with 1 to ${MAX_DIMENSIONS} dimensions.`,
  })
}

export function requireLabel(label: number): number {
  if (Number.isInteger(label) && label >= 0 && label <= 0x7fffffff) return label
  throw invalid(`${label} is not a valid vector label.`, 'Use a non-negative integer.')
}

export function requireVector(vector: Float32Array, dimensions: number): Float32Array {
  if (!(vector instanceof Float32Array) || vector.length !== dimensions) {
    throw new RouxError('INVALID_PARAMS', `Expected a vector of ${dimensions} float32 values, got ${vector?.length}.`, {
      hint: 'Embed with the model that created the index, or index again.',
    })
  }
  if (hasFiniteValues(vector)) return vector
  throw new RouxError('INVALID_PARAMS', 'A vector has a value that is not a finite number.', {
    hint: 'The embedding model returned an invalid vector. Embed the text again.',
  })
}

/** Returns true if all values are finite. A sum of finite float32 values is finite in double precision. */
function hasFiniteValues(vector: Float32Array): boolean {
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += vector[i] as number
  return Number.isFinite(sum)
}

/** Checks the length. The tolerance is for float16 models. */
export function requireUnitLength(length: number): void {
  if (Math.abs(length - 1) <= 0.01) return
  throw new RouxError('INVALID_PARAMS', `The vector's length is ${length} instead of 1.`, {
    hint: 'Normalize the vector. If a text has no vector, do not store one.',
  })
}

/** Reads a limit, which is an integer from 0 to `size`. Throws if the limit is not a number. */
export function requireLimit(limit: number, size: number): number {
  if (Number.isNaN(limit) || typeof limit !== 'number') {
    throw invalid(`${limit} is not a valid search limit.`, 'Use a non-negative number.')
  }
  return Math.max(0, Math.min(Math.floor(limit), size))
}
