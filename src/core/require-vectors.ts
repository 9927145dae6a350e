import type { Embedder } from './embedder.ts'
import { RouxError } from './errors.ts'

/** Maximum deviation of a vector's length from 1. Readers reject deviations of 0.01, and vectors are rounded when stored. */
const LENGTH_TOLERANCE = 0.009

/**
 * Validates an embedder's result: one vector per string, each with the right dimension and either unit length or all zeros. Stored
 * vectors are never recomputed, so an invalid one would persist.
 * @throws RouxError `PROVIDER_ERROR`
 */
export function requireVectors(
  { id, dimensions }: Pick<Embedder, 'id' | 'dimensions'>,
  texts: number,
  vectors: readonly Float32Array[],
): readonly Float32Array[] {
  if (vectors.length !== texts) throw wrongAnswer(id, `${vectors.length} vectors for ${texts} texts`)
  for (const vector of vectors) {
    if (vector.length !== dimensions) throw wrongAnswer(id, `a vector of ${vector.length} instead of ${dimensions} numbers`)
    let squares = 0
    // A `for … of` loop would box every number.
    for (let at = 0; at < dimensions; at++) squares += (vector[at] as number) * (vector[at] as number)
    if (!Number.isFinite(squares)) throw wrongAnswer(id, 'a vector with a value that is not a number')
    const length = Math.sqrt(squares)
    if (length !== 0 && Math.abs(length - 1) > LENGTH_TOLERANCE)
      throw wrongAnswer(id, `a vector of length ${length} instead of 1`)
  }
  return vectors
}

function wrongAnswer(id: string, reason: string): RouxError {
  return new RouxError('PROVIDER_ERROR', `The embedder ${id} returned ${reason}.`, {
    hint: 'Restart it, or choose another one with embedder.kind and embedder.model.',
  })
}
