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
  /** The model runs on another computer, which neither a setting nor the command line allows. */
  | 'REMOTE_NOT_ALLOWED'
  /** The daily token budget is used up. */
  | 'BUDGET_EXCEEDED'
  /** The engine that stores the index is unavailable. */
  | 'STORE_UNAVAILABLE'
  /** Only the command line uses this code. */
  | 'INVALID_SETTINGS'

/** The codes that JSON-RPC clients of older servers expect. */
const NUMBERS: Partial<Record<ErrorCode, number>> = {
  NODE_NOT_FOUND: -32003,
  AMBIGUOUS_NAME: -32004,
  PERMISSION_DENIED: -32005,
  VAULT_NOT_FOUND: -32002,
  TIMEOUT: -32006,
  PROVIDER_ERROR: -32000,
}

export interface ErrorDetails {
  /** A sentence that tells the user how to fix the problem. */
  readonly hint?: string | undefined
  /** A list of similar ids or names, or of headings with line numbers. */
  readonly candidates?: readonly unknown[] | undefined
  /** True if the same call may succeed later, for example when a server is busy. */
  readonly isTransient?: boolean
  readonly cause?: unknown
}

/** An expected error, with a message for the caller. Any other error is a bug. */
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

export function invalid(message: string, hint?: string): RouxError {
  return new RouxError('INVALID_PARAMS', message, { hint })
}

export function isTransient(error: unknown): boolean {
  return error instanceof RouxError && error.isTransient
}

/** An error for a vault that changes during a read. `Store.read` then runs the use case again. */
export class SnapshotOutdated extends Error {
  override readonly name = 'SnapshotOutdated'
}

export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function providerError(message: string, hint: string, cause?: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint, cause })
}

export function unavailableError(message: string, hint: string): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint, isTransient: true })
}

export function closedError(id: string): RouxError {
  return providerError(`The embedder ${id} is closed.`, 'Open it again.')
}

/** Returns the message on one line, truncated to 300 characters. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}

/** An error for an indexing worker that is short of memory. Committed notes remain readable. */
export class MemoryShortError extends RouxError {
  /** @param when completes the sentence "Memory ran short …" */
  constructor(when: string, consequence = 'Changes will be ignored until the next start.') {
    super('PROVIDER_ERROR', `Memory ran short ${when}. ${consequence}`, {
      hint: 'Restart Roux with more memory, for example with NODE_OPTIONS=--max-old-space-size=8000; it will continue where it stopped. Or exclude folders with vault.ignore, set embedder.kind to none, or store the index in Neo4j (store.type).',
    })
  }
}
