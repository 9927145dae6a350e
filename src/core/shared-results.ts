/** A result about the whole vault. */
export interface SharedResult {
  /** The generation that it was computed of. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Stores results about a whole vault beside its index, for everyone who shares it. */
export interface SharedResults {
  /** The latest result under a name, if its generation is later than this one. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** In place of the last one of its name, unless that is of a newer generation. */
  keep(name: string, result: SharedResult): Promise<void>
}
