/** The codes of domain errors, as the tools answer them. */
export type ErrorCode =
  | 'INVALID_PARAMS'
  | 'NODE_EXISTS'
  | 'NODE_NOT_FOUND'
  | 'LINK_INTEGRITY'
  | 'AMBIGUOUS_NAME'
  | 'CONFLICT'
  | 'EDIT_MISMATCH'
  | 'SECTION_NOT_FOUND'
  | 'PERMISSION_DENIED'
  | 'VAULT_NOT_FOUND'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'TOOL_DISABLED'
  | 'PROVIDER_ERROR'
  | 'AI_DISABLED'
  /** A model on another computer that was not allowed, by a setting or on the command line. */
  | 'REMOTE_NOT_ALLOWED'
  /** The tokens of the day. */
  | 'BUDGET_EXCEEDED'
  /** The engine that holds the vault's index cannot answer now. */
  | 'STORE_UNAVAILABLE'
  /** Settings that cannot be used; on the command line only. */
  | 'INVALID_SETTINGS'

/** The numbers that JSON-RPC clients of older servers know some codes by. */
const NUMBERS: Partial<Record<ErrorCode, number>> = {
  NODE_NOT_FOUND: -32003,
  AMBIGUOUS_NAME: -32004,
  PERMISSION_DENIED: -32005,
  VAULT_NOT_FOUND: -32002,
  TIMEOUT: -32006,
  PROVIDER_ERROR: -32000,
}

export interface ErrorDetails {
  /** One sentence about how to fix it. */
  readonly hint?: string | undefined
  /** Similar names: ids, headings with their lines, names. */
  readonly candidates?: readonly unknown[] | undefined
  /** The very same may succeed later: a server that is down, busy or slow. */
  readonly isTransient?: boolean
  readonly cause?: unknown
}

/** A mistake or a failure that the caller can understand and act on; anything else that is thrown is a bug. */
export class RouxError extends Error {
  override readonly name = 'RouxError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly candidates: readonly unknown[] | undefined
  readonly isTransient: boolean

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = details.hint
    this.candidates = details.candidates
    this.isTransient = details.isTransient ?? false
  }

  /** The error as a tool answers it. */
  toJSON(): { code: ErrorCode; message: string; hint?: string; candidates?: readonly unknown[]; number?: number } {
    const number = NUMBERS[this.code]
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.candidates === undefined ? {} : { candidates: this.candidates }),
      ...(number === undefined ? {} : { number }),
    }
  }
}

/** The error for an argument that cannot be used. */
export function invalid(message: string, hint?: string): RouxError {
  return new RouxError('INVALID_PARAMS', message, { hint })
}

/** True if the same call may succeed later. */
export function isTransient(error: unknown): boolean {
  return error instanceof RouxError && error.isTransient
}

/** The vault moved on while a use case read a snapshot of it: the use case runs again, see `Store.read`. */
export class SnapshotOutdated extends Error {
  override readonly name = 'SnapshotOutdated'
}
