/** How long work may hold the thread that all clients share, ms. */
const TURN = 10

/**
 * Lets work of many parts be waited for between them: others have their turn after a while, and so have time-outs and cancellations.
 * @throws the signal's reason, from what is returned
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

/** For each of many items what is read of it, with a turn for others between (see `takeTurns`). */
export async function eachInTurn<T, R>(
  items: readonly T[],
  turn: () => Promise<void>,
  read: (item: T) => R,
): Promise<readonly R[]> {
  const found: R[] = []
  for (const item of items) {
    await turn()
    found.push(read(item))
  }
  return found
}
