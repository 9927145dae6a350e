export interface CallOptions {
  readonly signal?: AbortSignal
}

export type VaultMethods = object
