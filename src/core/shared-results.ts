export interface SharedResult {
  /** Generation from which the result was computed. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Stored next to a shared index, for all processes that use it. */
export interface SharedResults {
  /** `undefined` unless the result is newer than generation `than`. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** Does not replace a result of a later generation. */
  keep(name: string, result: SharedResult): Promise<void>
}
