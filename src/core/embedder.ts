import { RouxError } from './errors.ts'

/**
 * Role of the text in a search. Some models embed queries and passages differently. `across` is for queries that are not in English
 * or whose answers may be in another language. It uses only the part of the embedding that is comparable across languages.
 */
export type EmbedKind = 'query' | 'across' | 'passage'

/** Embeds strings as vectors whose dot product measures semantic similarity. */
export interface Embedder {
  /** Kind, model and dimension, e.g. `static:all-minilm-l6-v2:256`. Vectors created under a different id are stale. */
  readonly id: string
  readonly dimensions: number
  /**
   * Languages in the model's training data (ISO 639-1). Semantic search does not find text in other languages; word search still
   * does. Omitted if unknown, in which case every language is considered supported.
   */
  readonly languages?: readonly string[] | undefined
  /**
   * Index of the first column that is comparable across languages. The columns before it are specific to one language. Omitted if
   * there are none.
   */
  readonly acrossFrom?: number | undefined
  /** Preferred maximum number of strings per call. Larger calls work, but react to cancellation and report progress less often. */
  readonly batch: number
  /**
   * Returns one unit-length vector per string, in order. The vector is all zeros if no part of the string is known, for example if it
   * is blank.
   * @throws RouxError `PROVIDER_ERROR` with a hint; the signal's reason if aborted
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>
  /** Checks whether the model's vocabulary contains a lower-case word as a single token. Omitted if the vocabulary is unknown. */
  knowsWord?(word: string): boolean
  /** Stops running work and frees memory. Idempotent. `embed` throws afterwards. */
  close(): Promise<void>
}

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
