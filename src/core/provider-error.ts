import { RouxError } from './errors.ts'

/** A model that failed or is not there: what happened, and what to do about it. */
export function providerError(message: string, hint: string, cause?: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint, cause })
}

/** A model that cannot be asked now, and perhaps can later: down, busy or slow. */
export function unavailableError(message: string, hint: string, cause?: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint, isTransient: true, cause })
}

/** The error of a call after `close`. */
export function closedError(id: string): RouxError {
  return providerError(`The embedder ${id} is closed.`, 'Open it again.')
}

/** The message of a thrown value, on one line of at most 300 characters. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}
