import { randomUUID } from 'node:crypto'
import type { Server } from '@modelcontextprotocol/server'
import type { EventStream } from './event-stream.ts'
import type { ExchangeTransport } from './exchange-transport.ts'
import type { Limits } from './limits.ts'

/** What one client of an older protocol version has agreed on with the server. */
export interface Session {
  readonly id: string
  /** The key of the principal that opened it: for any other it does not exist. */
  readonly principal: string
  readonly version: string
  readonly server: Server
  readonly transport: ExchangeTransport
  /** What the server says without being asked goes here. */
  stream?: EventStream | undefined
  /** Milliseconds of a clock that never goes back. */
  lastUsed: number
}

const SWEEP_MS = 60_000

/** The sessions of one server: they end when they were idle for long, or when there are too many and they were idle the longest. */
export class Sessions {
  readonly #byId = new Map<string, Session>()
  readonly #limits: Pick<Limits, 'sessions' | 'sessionIdle'>
  readonly #now: () => number
  readonly #sweeper: NodeJS.Timeout

  constructor(limits: Pick<Limits, 'sessions' | 'sessionIdle'>, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref()
  }

  get size(): number {
    return this.#byId.size
  }

  /** Opens a session; `undefined` when there are as many as there may be, and all are busy. */
  open(session: Omit<Session, 'id' | 'lastUsed'>): Session | undefined {
    if (this.#byId.size >= this.#limits.sessions && !this.#makeRoom()) return undefined
    const opened: Session = { ...session, id: randomUUID(), lastUsed: this.#now() }
    this.#byId.set(opened.id, opened)
    return opened
  }

  /** The session of an id that this principal opened. */
  find(id: string, principal: string): Session | undefined {
    const session = this.#byId.get(id)
    if (session === undefined || session.principal !== principal) return undefined
    session.lastUsed = this.#now()
    return session
  }

  /** Ends a session: its stream ends, what is in flight is given up. */
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

  #makeRoom(): boolean {
    const idle = [...this.#byId.values()].filter((session) => !isBusy(session))
    const oldest = idle.reduce<Session | undefined>((a, b) => (a !== undefined && a.lastUsed <= b.lastUsed ? a : b), undefined)
    if (oldest !== undefined) this.end(oldest)
    return oldest !== undefined
  }
}

function isBusy({ stream, transport }: Session): boolean {
  return stream !== undefined || transport.pending.size > 0
}
