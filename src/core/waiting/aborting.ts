/** The longest delay that a timer supports, in milliseconds (about 24 days), for waits that only the caller ends. */
export const NO_TIMEOUT = 2 ** 31 - 1

/** Waits for `work` until the signal is aborted, then rejects with its reason. `work` itself continues. */
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

/** Waits at most `timeout` ms for `work`. @returns false if the time limit was exceeded @throws the signal's reason */
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

/** Waits, or rejects with the signal's reason if it is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await inTime(new Promise<never>(() => {}), milliseconds, signal)
}

/**
 * Returns a signal that is aborted when either of two signals is, and a function that unlinks it. A signal from `AbortSignal.any`
 * would stay in memory as long as its sources.
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
