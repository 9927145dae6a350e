import { RouxError } from '../../../core/errors.ts'

export interface VectorHit {
  readonly label: number
  /** The cosine, −1 to 1. */
  readonly score: number
}

/** A filter, which must not change the index. */
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

/** Returns an integer from 0 to `size`. */
export function limitTo(limit: number, size: number): number {
  return Math.max(0, Math.min(Math.floor(limit), size))
}
