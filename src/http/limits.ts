import { SHUTDOWN } from '../core/waiting/shutdown.ts'

/** The limits for clients of one server: times in ms, sizes in bytes. */
export interface Limits {
  readonly body: number
  /** With the scope `attach`. */
  readonly attachmentBody: number
  readonly headers: number
  readonly headerBytes: number
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly idleTimeout: number
  readonly stallTimeout: number
  readonly requestsPerConnection: number
  readonly connections: number
  readonly calls: number
  readonly callsPerToken: number
  readonly streams: number
  readonly streamsPerToken: number
  readonly streamBacklog: number
  readonly sessions: number
  readonly sessionsPerToken: number
  readonly sessionIdle: number
  readonly keepAlive: number
  readonly drain: number
}

export const LIMITS: Limits = {
  // A note holds at most 1 MB, and JSON may write each of its bytes as up to six.
  body: 4 * 1024 * 1024,
  // An attachment of 5 MB takes 6.7 MB as base64.
  attachmentBody: 8 * 1024 * 1024,
  headers: 100,
  headerBytes: 16 * 1024,
  // A client that is slower than this only holds a connection.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the 60 s of reverse proxies, so we never close a connection they are about to use.
  idleTimeout: 75_000,
  // A call answers within 30 s and a stream says something every 15 s; a client that takes nothing for this long has gone.
  stallTimeout: 120_000,
  // Connections are renewed occasionally instead of living as long as the process.
  requestsPerConnection: 10_000,
  connections: 512,
  // All calls share one thread for the protocol: more of them at once only make each wait longer.
  calls: 128,
  callsPerToken: 64,
  streams: 256,
  streamsPerToken: 128,
  // Notifications are hints to look again; a client that lets this many wait does not read them.
  streamBacklog: 1_000,
  sessions: 512,
  sessionsPerToken: 256,
  sessionIdle: 30 * 60_000,
  keepAlive: 15_000,
  drain: SHUTDOWN.drain,
}
