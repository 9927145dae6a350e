/** Waits for `work`, but no longer than until the signal is aborted: then rejects with its reason and leaves `work` to itself. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  const { promise: aborted, reject } = withReject()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
    // Whichever lost must not become an unhandled rejection.
    work.catch(() => undefined)
  }
}

/** Waits, unless the signal is aborted: then rejects with its reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    await untilAborted(over, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** A signal that is aborted with either; `unlink` lets go of them. (`AbortSignal.any` keeps what it made alive with its sources.) */
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

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<never>((_, no) => {
    reject = no
  })
  return { promise, reject }
}
