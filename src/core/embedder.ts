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
