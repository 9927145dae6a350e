import { RouxError } from './errors.ts'

/**
 * The kind of a text. `across` is for queries across languages, and uses only the part of the embedding that is comparable across
 * languages.
 */
export type EmbedKind = 'query' | 'across' | 'passage'

/** A model that turns texts into vectors. The dot product of two vectors measures semantic similarity. */
export interface Embedder {
  /** The kind, model and dimension, e.g. `static:all-minilm-l6-v2:256`. Vectors with another id are stale. */
  readonly id: string
  readonly dimensions: number
  /** Languages of the training data (ISO 639-1). If omitted, all languages are assumed. */
  readonly languages?: readonly string[] | undefined
  /** The first column that is comparable across languages, or `undefined` if there is none. */
  readonly acrossFrom?: number | undefined
  /** The preferred number of strings per call. Larger calls react more slowly to cancellation. */
  readonly batch: number
  /**
   * Returns unit vectors in order. A zero vector stands for text that the model does not know, such as blanks.
   * @throws RouxError `PROVIDER_ERROR` with a hint; the signal's reason if aborted
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>
  /** Returns true if a lower-case word is a single token of the model. The method is missing if the vocabulary is unknown. */
  knowsWord?(word: string): boolean
  /** Closing twice is harmless. After that, `embed` throws. */
  close(): Promise<void>
}

/** The tolerance is below 0.01, because readers reject larger deviations and storing rounds the vectors. */
const LENGTH_TOLERANCE = 0.009

/**
 * Checks that there is one vector per string, each with the right dimension and either unit length or all zeros. Stored vectors
 * are never recomputed, so an invalid one would persist.
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
    // An indexed loop is used, because `for … of` would box every number.
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
