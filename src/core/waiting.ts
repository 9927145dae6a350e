/** The longest delay of a timer, in milliseconds (about 24 days), for waits that only the caller ends. */
export const NO_TIMEOUT = 2 ** 31 - 1

/** Rejects with the signal's reason on abort, while `work` itself continues. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work
  // An aborted wait must not leave an unhandled rejection.
  if (signal.aborted) work.catch(() => {})
  signal.throwIfAborted()
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits at most `timeout` ms. @returns false on timeout @throws the signal's reason */
export async function inTime(work: Promise<unknown>, timeout: number, signal?: AbortSignal): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeout)
  })
  try {
    return await untilAborted(Promise.race([work.then(() => true), late]), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for some milliseconds. @throws the signal's reason if it is aborted */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await inTime(new Promise<never>(() => {}), milliseconds, signal)
}

/**
 * Returns a combined signal, and a function that unlinks it. A signal from `AbortSignal.any` would stay in memory as long as its
 * sources.
 */
export function linkSignals(
  first: AbortSignal,
  second: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly unlink: () => void } {
  const controller = new AbortController()
  const sources = second === undefined ? [first] : [first, second]
  const abort = () => controller.abort(sources.find((source) => source.aborted)?.reason)
  for (const source of sources) source.addEventListener('abort', abort)
  if (sources.some((source) => source.aborted)) abort()
  const unlink = () => {
    for (const source of sources) source.removeEventListener('abort', abort)
  }
  return { signal: controller.signal, unlink }
}

/** Milliseconds of work between yields to the event loop. */
const TURN = 10

/**
 * Returns a function to await between parts of long work. It yields to the event loop now and then.
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

export function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((onResolved, onRejected) => {
    resolve = onResolved
    reject = onRejected
  })
  return { promise, resolve, reject }
}

/** Blocks the thread for some milliseconds. */
export function pauseThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)
}

/**
 * Times in milliseconds for running calls, for the last bytes, until the vaults are closed, and until the process ends. A server
 * must exit within five seconds.
 */
export const SHUTDOWN = { drain: 3_500, lastBytes: 300, closed: 4_100, gone: 4_400 } as const

/** Returns the deadline (`performance.now()`) for closing the vaults in a shutdown that starts now. */
export function closedBy(): number {
  return performance.now() + SHUTDOWN.closed
}

/** If `make` throws, the next call tries again. */
export function once<T>(make: () => T): () => T {
  let result: { readonly value: T } | undefined
  return () => {
    result ??= { value: make() }
    return result.value
  }
}
