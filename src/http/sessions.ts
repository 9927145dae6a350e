import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, Server, Transport, TransportSendOptions } from '@modelcontextprotocol/server'
import { groupBy } from '../core/group-by.ts'
import { answeredId, cancelledId } from '../mcp/transport/json-rpc.ts'
import { PendingRequests } from '../mcp/transport/pending-requests.ts'
import type { EventStream } from './event-stream.ts'
import type { Limits } from './limits.ts'
import { type Refusal, refusal } from './refusal.ts'

/** The protocol state of a client that uses an older protocol version. */
export interface Session {
  readonly id: string
  /** The key of the principal that opened the session. No other principal can use it. */
  readonly principal: string
  readonly version: string
  readonly server: Server
  readonly transport: ExchangeTransport
  /** The stream that carries messages which do not belong to a request. */
  stream?: EventStream | undefined
  /** The time of the last use, in milliseconds of a monotonic clock. */
  lastUsed: number
}

const SWEEP_MS = 60_000

type SessionLimits = Pick<Limits, 'sessions' | 'sessionsPerToken' | 'sessionIdle'>

/**
 * The open sessions. Idle ones expire. If a token or the server has too many sessions, the longest idle one ends. A token cannot
 * end sessions of a token with fewer sessions.
 */
export class Sessions {
  readonly #byId = new Map<string, Session>()
  readonly #limits: SessionLimits
  readonly #now: () => number
  readonly #sweeper: NodeJS.Timeout

  constructor(limits: SessionLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref()
  }

  get size(): number {
    return this.#byId.size
  }

  /** Opens a session, unless there are too many and all are busy. */
  open(session: Omit<Session, 'id' | 'lastUsed'>): { readonly session: Session } | { readonly refusal: Refusal } {
    const { sessions, sessionsPerToken } = this.#limits
    const sessionsOfToken = this.#sessionsOf(session.principal)
    if (sessionsOfToken.length >= sessionsPerToken && !this.#endIdlest(sessionsOfToken))
      return { refusal: allInUse(`This token has ${sessionsOfToken.length} sessions, which is the limit per token`) }
    if (this.#byId.size >= sessions && !this.#endIdlest(this.#largestGroup()))
      return { refusal: allInUse(`There are ${sessions} sessions, which is the limit of this server`) }
    const newSession: Session = { ...session, id: randomUUID(), lastUsed: this.#now() }
    this.#byId.set(newSession.id, newSession)
    return { session: newSession }
  }

  /** @returns undefined if another principal opened the session */
  find(id: string, principal: string): Session | undefined {
    const session = this.#byId.get(id)
    if (session === undefined || session.principal !== principal) return undefined
    session.lastUsed = this.#now()
    return session
  }

  /** Closes the stream of the session and aborts its requests. */
  end(session: Session): void {
    this.#byId.delete(session.id)
    session.stream?.end()
    session.server.close().catch(() => {})
  }

  endUnless(isAllowed: (principal: string) => boolean): void {
    for (const session of this.#byId.values()) if (!isAllowed(session.principal)) this.end(session)
  }

  sweep(): void {
    const limit = this.#now() - this.#limits.sessionIdle
    for (const session of this.#byId.values()) if (!isBusy(session) && session.lastUsed < limit) this.end(session)
  }

  endStreams(): void {
    for (const { stream } of this.#byId.values()) stream?.end()
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.endUnless(() => false)
  }

  #sessionsOf(principal: string): readonly Session[] {
    return [...this.#byId.values()].filter((session) => session.principal === principal)
  }

  /** Returns the sessions of the token with the most sessions. A token whose sessions are all busy does not count. */
  #largestGroup(): readonly Session[] {
    const byToken = groupBy(this.#byId.values(), ({ principal }) => principal)
    const endable = [...byToken.values()].filter((group) => !group.every(isBusy))
    return endable.reduce((a, b) => (b.length > a.length ? b : a), [])
  }

  #endIdlest(sessions: readonly Session[]): boolean {
    const idle = sessions.filter((session) => !isBusy(session))
    const oldest = idle.reduce<Session | undefined>((a, b) => (a !== undefined && a.lastUsed <= b.lastUsed ? a : b), undefined)
    if (oldest !== undefined) this.end(oldest)
    return oldest !== undefined
  }
}

function allInUse(message: string): Refusal {
  return refusal(429, `${message}, and all are in use.`, {
    hint: 'End one with a DELETE request, or try again in a moment.',
    headers: { 'Retry-After': '1' },
  })
}

function isBusy({ stream, transport }: Session): boolean {
  return stream !== undefined || transport.pending.size > 0
}

/** A transport in which each `post` receives only its own responses, even if several run in parallel. */
export class ExchangeTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Receives messages that do not belong to a response. */
  onNotification: (message: JSONRPCMessage) => void = () => {}
  readonly pending = new PendingRequests()

  #isClosed = false

  async start(): Promise<void> {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Passes requests to the server. They must not be pending yet. There are fewer responses if requests are cancelled or the
   * transport is closed. `onEvent` receives messages sent before the responses.
   */
  post(messages: readonly JSONRPCMessage[], onEvent: (message: JSONRPCMessage) => void): Promise<readonly JSONRPCMessage[]> {
    if (this.#isClosed) return Promise.resolve([])
    return new Promise((onAnswers) => {
      this.pending.add(messages, { onAnswers, onEvent })
      for (const message of messages) this.#deliver(message)
    })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const requestId = answeredId(message)
    const about = options?.relatedRequestId
    const recipient = about === undefined ? undefined : this.pending.recipientOf(about)
    if (requestId !== undefined) this.pending.finish(requestId, message)
    else if (recipient !== undefined) recipient.onEvent?.(message)
    else this.onNotification(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.pending.end()
    this.onclose?.()
  }

  #deliver(message: JSONRPCMessage): void {
    this.onmessage?.(message)
    // A request that was cancelled gets no response.
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) this.pending.finish(cancelled)
  }
}
