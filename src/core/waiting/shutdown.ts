/**
 * Time limits for ending a server, in ms. It promises to be gone within five seconds: running calls, the last bytes,
 * closing the vaults, and ending the process.
 */
export const SHUTDOWN = { drain: 3_500, lastBytes: 300, closed: 4_100, gone: 4_400 } as const

/** The time (`performance.now()`) by which a server that starts to end now has closed its vaults. */
export function closedBy(): number {
  return performance.now() + SHUTDOWN.closed
}
