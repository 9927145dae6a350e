export interface CallOptions {
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal
}

/** All tools as methods. The public type declaration is generated from the tools by `scripts/methods.mjs`. */
export type VaultMethods = object
