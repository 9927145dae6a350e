export interface CallOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}

/** Every tool as a method. The build writes the declaration that users see, from the tools: `scripts/methods.mjs`. */
export type VaultMethods = object
