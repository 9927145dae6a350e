/** A result computed for the whole vault. */
export interface SharedResult {
  /** Generation of the vault from which it was computed. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Stores results for the whole vault next to a shared index, for all processes that use it. */
export interface SharedResults {
  /** Returns the latest result with this name if it is of a later generation than `than`. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** Replaces the previous result of this name, unless that one is of a later generation. */
  keep(name: string, result: SharedResult): Promise<void>
}
