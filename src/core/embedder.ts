/** Role of the text in a search. Some models embed queries and passages differently. */
export type EmbedKind = 'query' | 'passage'

/** How well an embedder's vocabulary covers text. */
export interface Coverage {
  /** Share of the vector contributed by meaningful tokens, 0–1. It is 0 if the vocabulary contains only single letters of the script. */
  readonly meaning: number
  /**
   * Number of words divided by number of tokens, 0–1. It is 1 if every word is a single token, as in the language the model was
   * trained on.
   */
  readonly whole: number
}

/** Embeds strings as vectors whose dot product measures semantic similarity. */
export interface Embedder {
  /** Kind, model and dimension, e.g. `static:all-minilm-l6-v2:256`. Vectors created under a different id are stale. */
  readonly id: string
  /** Dimension of the vectors. */
  readonly dimensions: number
  /** Preferred maximum number of strings per call. Larger calls work, but they can be interrupted, and report progress, less often. */
  readonly batch: number
  /**
   * Returns one unit-length vector per string, in order. The vector is all zeros if no part of the string is known, for example if it
   * is blank.
   * @throws RouxError `PROVIDER_ERROR` with a hint; the signal's reason if aborted
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>
  /**
   * Estimates how much of the text the vocabulary covers, without running a model. An embedder without this method is assumed to
   * cover all text.
   */
  coverage?(text: string): Coverage
  /** Stops running work and frees memory. Idempotent. `embed` throws afterwards. */
  close(): Promise<void>
}
