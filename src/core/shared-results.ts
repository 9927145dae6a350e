export interface SharedResult {
  /** The generation from which the result was computed. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Results that are stored next to a shared index, for all processes that use it. */
export interface SharedResults {
  /** Returns the stored result if its generation is later than `than`. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** Stores a result, unless a result of a later generation is already stored. */
  keep(name: string, result: SharedResult): Promise<void>
}
