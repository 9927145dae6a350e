import { setMaxListeners } from 'node:events'
import { RouxError } from '../../core/errors.ts'

export interface TimeLimit {
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. */
  readonly timeout?: number | undefined
  /** One sentence of advice after a timeout. */
  readonly hint: string
}

/** How long a request may take, ms. */
const REQUEST_TIMEOUT = 30_000

/** Runs work until it is done, the time is over or it is cancelled. @throws RouxError `TIMEOUT`; the signal's reason */
export async function withinTime<T>(
  { signal, timeout = REQUEST_TIMEOUT, hint }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  // Every vault listens, and there may be many.
  setMaxListeners(0, stop.signal)
  let giveUp: (reason: unknown) => void = () => {}
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = (reason) => {
      stop.abort(reason)
      reject(reason)
    }
  })
  const timer = setTimeout(() => giveUp(timeoutError(timeout, hint)), timeout)
  const cancel = () => giveUp(signal?.reason)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await Promise.race([run(stop.signal), givenUp])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

function timeoutError(timeout: number, hint: string): RouxError {
  return new RouxError('TIMEOUT', `The call took longer than ${timeout / 1000} s.`, { hint })
}
