export interface SharedResult {
  /** The generation of the vault from which the result was computed. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Stores results for the whole vault next to a shared index, for all processes that use it. */
export interface SharedResults {
  /** Returns the latest result with this name, if it is newer than generation `than`. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** Replaces the previous result with this name, unless the previous one has a later generation. */
  keep(name: string, result: SharedResult): Promise<void>
}
