export interface CallOptions {
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal
}

/** All tools as methods. `scripts/methods.mjs` generates the public type declaration from the tools. */
export type VaultMethods = object
