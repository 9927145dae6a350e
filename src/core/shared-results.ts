/** What was computed of a vault as a whole. */
export interface SharedResult {
  /** The generation that it was computed of. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Keeps results over a whole vault beside its index, so that one computes them for all who share it. */
export interface SharedResults {
  /** What was kept last under a name; `undefined` where that is not of a generation after this one. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** In place of the last one of its name, unless that is of a newer generation. */
  keep(name: string, result: SharedResult): Promise<void>
}
