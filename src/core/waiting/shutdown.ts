/**
 * Deadlines during shutdown, in milliseconds: for running calls, the last bytes, closing the vaults, and ending the process. A server
 * must exit within five seconds.
 */
export const SHUTDOWN = { drain: 3_500, lastBytes: 300, closed: 4_100, gone: 4_400 } as const

/** Returns the time (`performance.now()`) by which a server that starts to shut down now must have closed its vaults. */
export function closedBy(): number {
  return performance.now() + SHUTDOWN.closed
}
