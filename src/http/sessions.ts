import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, Server, Transport, TransportSendOptions } from '@modelcontextprotocol/server'
import { answeredId, cancelledId } from '../mcp/transport/json-rpc.ts'
import { PendingRequests } from '../mcp/transport/pending-requests.ts'
import type { EventStream } from './event-stream.ts'
import type { Limits } from './limits.ts'
import { type Refusal, refusal } from './refusal.ts'

/** The agreed state with one client of an older protocol version. */
export interface Session {
  readonly id: string
  /** The key of the principal that opened it: for any other it does not exist. */
  readonly principal: string
  readonly version: string
  readonly server: Server
  readonly transport: ExchangeTransport
  /** The stream for messages without a request. */
  stream?: EventStream | undefined
  /** Milliseconds of a clock that never goes back. */
  lastUsed: number
}

const SWEEP_MS = 60_000

type SessionLimits = Pick<Limits, 'sessions' | 'sessionsPerToken' | 'sessionIdle'>

/**
 * The sessions of one server. A session ends when it was idle for long. When a token has too many, its session that was idle longest ends;
 * when the server has too many, that of the token with the most sessions does. So no token ends the sessions of one that has fewer.
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

  /** Opens a session; refuses when there are as many as there may be, and all are busy. */
  open(session: Omit<Session, 'id' | 'lastUsed'>): { readonly session: Session } | { readonly refusal: Refusal } {
    const { sessions, sessionsPerToken } = this.#limits
    const own = this.#of(session.principal)
    if (own.length >= sessionsPerToken && !this.#endIdlest(own))
      return { refusal: allInUse(`This token has ${own.length} sessions, as many as one token may have`) }
    if (this.#byId.size >= sessions && !this.#endIdlest(this.#most()))
      return { refusal: allInUse(`There are ${sessions} sessions, as many as this server takes`) }
    const opened: Session = { ...session, id: randomUUID(), lastUsed: this.#now() }
    this.#byId.set(opened.id, opened)
    return { session: opened }
  }

  /** The session of an id that this principal opened. */
  find(id: string, principal: string): Session | undefined {
    const session = this.#byId.get(id)
    if (session === undefined || session.principal !== principal) return undefined
    session.lastUsed = this.#now()
    return session
  }

  /** Ends a session: closes its stream and abandons its requests. */
  end(session: Session): void {
    this.#byId.delete(session.id)
    session.stream?.end()
    session.server.close().catch(() => {})
  }

  /** Ends every session whose principal may not go on. */
  endUnless(mayGoOn: (principal: string) => boolean): void {
    for (const session of this.#byId.values()) if (!mayGoOn(session.principal)) this.end(session)
  }

  /** Ends what was idle for too long. */
  sweep(): void {
    const limit = this.#now() - this.#limits.sessionIdle
    for (const session of this.#byId.values()) if (!isBusy(session) && session.lastUsed < limit) this.end(session)
  }

  /** Ends the streams of all sessions. */
  endStreams(): void {
    for (const { stream } of this.#byId.values()) stream?.end()
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.endUnless(() => false)
  }

  #of(principal: string): readonly Session[] {
    return [...this.#byId.values()].filter((session) => session.principal === principal)
  }

  /** The sessions of the token that has the most, of those with a session to end. */
  #most(): readonly Session[] {
    const byToken = new Map<string, Session[]>()
    for (const session of this.#byId.values()) {
      const own = byToken.get(session.principal) ?? []
      own.push(session)
      byToken.set(session.principal, own)
    }
    const endable = [...byToken.values()].filter((own) => !own.every(isBusy))
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
    hint: 'End one with DELETE, or try again in a moment.',
    headers: { 'Retry-After': '1' },
  })
}

function isBusy({ stream, transport }: Session): boolean {
  return stream !== undefined || transport.pending.size > 0
}

/** Connects a server to posted messages: each post gets its own answers, even with others in progress. */
export class ExchangeTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Takes what the server says without being asked. */
  onNotification: (message: JSONRPCMessage) => void = () => {}
  /** Requests that are not answered yet. */
  readonly pending = new PendingRequests()

  #isClosed = false

  async start(): Promise<void> {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Delivers messages, of whose requests none may be pending, and gives the answers to them; fewer when some are cancelled or the
   * transport is closed. `onEvent` takes what the server says on the way.
   */
  post(messages: readonly JSONRPCMessage[], onEvent: (message: JSONRPCMessage) => void): Promise<readonly JSONRPCMessage[]> {
    if (this.#isClosed) return Promise.resolve([])
    return new Promise((onAnswers) => {
      this.pending.add(messages, { onAnswers, onEvent })
      for (const message of messages) this.#deliver(message)
    })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const answered = answeredId(message)
    const about = options?.relatedRequestId
    const recipient = about === undefined ? undefined : this.pending.recipientOf(about)
    if (answered !== undefined) this.pending.finish(answered, message)
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
    // A cancelled request gets no answer: its client may no longer wait for one.
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) this.pending.finish(cancelled)
  }
}
