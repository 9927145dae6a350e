import type { Host } from './host.ts'

/** What shells report of a program that Ctrl+C ended. */
const INTERRUPTED = 130

/**
 * Runs what Ctrl+C or SIGTERM stops: its signal is aborted then, it ends what it began, and what failed for that is no failure. `told` is called
 * then.
 * @returns the exit code
 */
export async function interruptible(
  host: Pick<Host, 'onSignal'>,
  work: (signal: AbortSignal) => Promise<number>,
  told: () => void = () => {},
): Promise<number> {
  const stopped = new AbortController()
  host.onSignal(() => stopped.abort(new Error('stopped')))
  try {
    return await work(stopped.signal)
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    told()
    return INTERRUPTED
  }
}
