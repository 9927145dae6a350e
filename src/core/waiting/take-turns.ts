/** Maximum time in milliseconds that work may block the thread shared by all clients. */
const TURN = 10

/**
 * Returns a function to await between parts of long-running work. It yields to the event loop from time to time, so other calls,
 * timeouts and cancellations can run.
 * @throws the signal's reason, from the returned function
 */
export function takeTurns(signal?: AbortSignal): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since >= TURN) {
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    }
    signal?.throwIfAborted()
  }
}

/** Maps each item, yielding to the event loop from time to time (see `takeTurns`). */
export async function eachInTurn<T, R>(
  items: readonly T[],
  turn: () => Promise<void>,
  read: (item: T) => R,
): Promise<readonly R[]> {
  const results: R[] = []
  for (const item of items) {
    await turn()
    results.push(read(item))
  }
  return results
}
