/**
 * How long the end of a server may take, ms, which promises to be gone within five seconds: until calls in work are answered, until the
 * last bytes have left, until the vaults are closed as well, and until the process is ended whatever still holds it.
 */
export const SHUTDOWN = { drain: 3_500, lastBytes: 300, closed: 4_100, gone: 4_400 } as const

/** The moment (of `performance.now()`) by which the vaults of a server that begins to end now are closed. */
export function closedBy(): number {
  return performance.now() + SHUTDOWN.closed
}
