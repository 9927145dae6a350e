export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
}

/** All tools as methods. `scripts/methods.mjs` generates the public type declaration from the tools. */
export type VaultMethods = object
