import { ProtocolError } from '@modelcontextprotocol/server'
import { RouxError } from '../core/errors.ts'
import { internalError, type Log } from './calls/tool-result.ts'

/** JSON-RPC's number for a request whose parameters are wrong. */
export const INVALID_PARAMS = -32602

const INTERNAL_ERROR = -32603

/** Similar names as the end of a message; empty if there are none. */
export function meant(near: readonly string[]): string {
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
}

/** A missing resource. Its error number depends on the era: see `ValidatingServer`. */
export class MissingResource extends ProtocolError {
  /** `warnings` are sentences on why it may yet be there. */
  constructor(uri: string, nearest: readonly string[] = [], warnings: readonly string[] = []) {
    super(INVALID_PARAMS, [`Resource not found: ${shown(uri)}.${meant(nearest)}`, ...warnings].join(' '), { uri, nearest })
  }
}

/** The error response of a failed request other than a tool call; a domain error has its code in `data`. */
export function protocolError(thrown: unknown, log: Log): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown
  const error = thrown instanceof RouxError ? thrown.toJSON() : internalError(thrown, log)
  const hint = 'hint' in error && error.hint !== undefined ? ` ${error.hint}` : ''
  const number = error.code === 'INVALID_PARAMS' ? INVALID_PARAMS : INTERNAL_ERROR
  return new ProtocolError(number, `${error.message}${hint}`, error)
}

const LONGEST_URI = 200

/** An address as messages show it. */
export function shown(uri: string): string {
  return uri.length > LONGEST_URI ? `${uri.slice(0, LONGEST_URI)}…` : uri
}

/** The first version of the protocol without `initialize`; it and later ones are the modern era. */
export const MODERN_VERSION = '2026-07-28'

/** The first version in which a server may show a picture of itself. */
export const ICONS_VERSION = '2025-11-25'

/** The last versions that have batches; a client that asks for an unknown one is given a newer. */
const WITH_BATCHES: ReadonlySet<string> = new Set(['2024-10-07', '2024-11-05', '2025-03-26'])

/** True if a version of the protocol has batches; before one is agreed on there are none. */
export function hasBatches(version: string | undefined): boolean {
  return version !== undefined && WITH_BATCHES.has(version)
}
