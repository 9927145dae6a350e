import { ProtocolError } from '@modelcontextprotocol/server'
import { RouxError } from '../core/errors.ts'
import { internalError, type Log } from './calls/tool-result.ts'

export const INVALID_PARAMS = -32602

const INTERNAL_ERROR = -32603

/** Returns a suggestion, or an empty string if there are no similar names. */
export function didYouMean(near: readonly string[]): string {
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
}

/** An error for a missing resource. Its code depends on the protocol version; see `ValidatingServer`. */
export class MissingResource extends ProtocolError {
  /** @param warnings why the resource might exist after all */
  constructor(uri: string, nearest: readonly string[] = [], warnings: readonly string[] = []) {
    super(INVALID_PARAMS, [`Resource not found: ${shortUri(uri)}.${didYouMean(nearest)}`, ...warnings].join(' '), {
      uri,
      nearest,
    })
  }
}

/** Converts an exception to a protocol error. For Roux's own errors, `data` contains the code. */
export function protocolError(thrown: unknown, log: Log): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown
  const error = thrown instanceof RouxError ? thrown.toJSON() : internalError(thrown, log)
  const hint = 'hint' in error && error.hint !== undefined ? ` ${error.hint}` : ''
  const number = error.code === 'INVALID_PARAMS' ? INVALID_PARAMS : INTERNAL_ERROR
  return new ProtocolError(number, `${error.message}${hint}`, error)
}

const MAX_URI_LENGTH = 200

export function shortUri(uri: string): string {
  return uri.length > MAX_URI_LENGTH ? `${uri.slice(0, MAX_URI_LENGTH)}…` : uri
}

/** The first protocol version without `initialize`. Later versions lack it, too. */
export const MODERN_VERSION = '2026-07-28'

/** The first protocol version with server icons. */
export const ICONS_VERSION = '2025-11-25'

const WITH_BATCHES: ReadonlySet<string> = new Set(['2024-10-07', '2024-11-05', '2025-03-26'])

export function hasBatches(version: string | undefined): boolean {
  return version !== undefined && WITH_BATCHES.has(version)
}
