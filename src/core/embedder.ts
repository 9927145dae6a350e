/** The role of a text in a search: some models embed queries and passages differently. */
export type EmbedKind = 'query' | 'passage'

/** How much of a text an embedder knows. */
export interface Coverage {
  /**
   * The share of the vector that comes from meaningful pieces, 0–1; 0 for a script of which the model knows only single
   * letters.
   */
  readonly meaning: number
  /** Words per part that they are known by, 0–1: 1 where each is known whole, as in the language that the model was made for. */
  readonly whole: number
}

/** Turns texts into vectors whose dot product tells how near they are in meaning. */
export interface Embedder {
  /** Names kind, model and dimension, e.g. `static:all-minilm-l6-v2:256`; vectors made under another id are stale. */
  readonly id: string
  /** Length of every vector. */
  readonly dimensions: number
  /** How many texts a call should bring at most; more are taken, too, but are not interrupted or told of as finely. */
  readonly batch: number
  /**
   * In order, one unit-length vector a text; all zeros where nothing of the text is known (a blank text, for one).
   * @throws RouxError `PROVIDER_ERROR` with what to do; the signal's reason when aborted.
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>
  /** How much of a text is known, at once and without a model; absent where the embedder cannot tell and is trusted with every text. */
  coverage?(text: string): Coverage
  /** Stops running work and frees memory. Afterwards `embed` throws. Idempotent. */
  close(): Promise<void>
}
