import { RouxError } from './errors.ts'

/** Creates an error for a model that failed or is missing, with a hint on how to fix it. */
export function providerError(message: string, hint: string, cause?: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint, cause })
}

export function unavailableError(message: string, hint: string, cause?: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint, isTransient: true, cause })
}

export function closedError(id: string): RouxError {
  return providerError(`The embedder ${id} is closed.`, 'Open it again.')
}

/** Returns the message of a thrown value on one line, truncated to 300 characters. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}
