import { Duplex, PassThrough, type Readable, type Writable } from 'node:stream'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'
import { once } from '../core/waiting.ts'
import { type Link, linesOf, type Notice, noticeLine, readNotice, writeAll } from './connect.ts'

export interface RelayOptions {
  /** The link to the server. Without one, this process answers until a request needs a vault. */
  readonly link?: Link
  reopen(): Promise<Link>
  /**
   * Serves in this process and resolves to the exit code.
   * @param needVaults called for the first request that needs a vault; omitted if this process opens the vaults
   */
  serveHere(streams: { readonly stdin: Readable; readonly stdout: Writable }, needVaults?: () => void): Promise<number>
  /** A callback that runs once everything has been sent. */
  onFinished(code: number): void
}

type Message = Readonly<Record<string, unknown>>

/** The prefix of the ids of repeated requests, whose responses are not sent to the client. */
const REPEATED_ID_PREFIX = 'roux-relay-'
const END_METHODS = new Set<unknown>(['exit', 'notifications/exit'])
/** The methods of repeated messages. On a new connection, the last message of each method and resource URI is repeated. */
const REPEATED_METHODS = new Set(['initialize', 'notifications/initialized', 'logging/setLevel', 'resources/subscribe'])
const LISTEN = 'subscriptions/listen'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
/** The time to exit after a signal or the end of input, in milliseconds. A server needs up to 4.4 s. */
const LAST_REPLY_TIMEOUT = 4_700

/**
 * A relay of lines between a client and the shared server. On a new connection, it repeats `initialize` and subscriptions. Open
 * requests fail unless the notice said `repeat`.
 */
export class StdioRelay {
  readonly #options: RelayOptions
  /** The requests without an answer. All requests of a batch have the same line. */
  readonly #open = new Map<string, { readonly message: Message; readonly line: string }>()
  readonly #repeated = new Map<string, Message>()
  #wire: Duplex | undefined
  #reopening: Promise<void> | undefined
  #writes: readonly string[] | undefined
  /** When the relay reconnects. `later` replaces an idle server only before the next message. */
  #retry: Notice['again']
  /** If true, the warnings of a replacement server are hidden, because they repeat those of the first. */
  #isMuted = false
  #hasEnded = false

  constructor(options: RelayOptions) {
    this.#options = options
    process.stdout.on('error', () => this.#finish(0))
    if (options.link === undefined) this.#serveHere('without vaults')
    else this.#attach(options.link)
    void this.#copyFromClient()
  }

  /** Ends the client's side, while the server still answers open requests. */
  stop(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#wire !== undefined) this.#end(this.#wire)
    else if (this.#open.size === 0) this.#finish(0)
  }

  #end(wire: Duplex): void {
    setTimeout(() => this.#wire === wire && this.#finish(0), LAST_REPLY_TIMEOUT).unref()
    wire.end()
  }

  #finish(code: number): void {
    this.#drop()
    this.#options.onFinished(code)
  }

  #drop(): void {
    this.#wire?.destroy()
    this.#wire = undefined
    this.#isMuted = true
  }

  async #copyFromClient(): Promise<void> {
    for await (const line of linesOf(process.stdin)) {
      const messages = messagesIn(line)
      if (messages.some(({ method }) => END_METHODS.has(method))) break
      while (this.#wire === undefined) await this.#reopen()
      if (this.#hasEnded) break
      if (this.#retry === 'later') this.#retry = 'now'
      for (const message of messages) this.#remember(message, line)
      await writeAll(this.#wire, `${line}\n`)
    }
    this.stop()
  }

  #reopen(): Promise<void> {
    this.#reopening ??= this.#options.reopen().then(
      (link) => this.#attach(link),
      () => this.#serveHere(),
    )
    return this.#reopening
  }

  #serveHere(vaults?: 'without vaults'): void {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()]
    const socket = Duplex.from({ readable: stdout, writable: stdin })
    const end = (code: number) => void (this.#wire === socket && this.#finish(code))
    // The stream ends after pending answers.
    const needVaults = once(() => void stdout.end(noticeLine({ again: 'repeat' })))
    this.#attach({ socket, notice: {}, lines: linesOf(socket) })
    this.#options.serveHere({ stdin, stdout }, vaults && needVaults).then(end, () => end(1))
  }

  #attach({ socket: wire, notice, lines }: Link): void {
    this.#wire = wire
    this.#reopening = undefined
    this.#writes = notice.writes
    this.#retry = this.#open.size > 0 ? 'now' : 'later'
    for (const line of this.#linesToRepeat()) wire.write(`${line}\n`)
    if (this.#hasEnded) this.#end(wire)
    void this.#copyFromServer(wire, lines)
  }

  #linesToRepeat(): readonly string[] {
    const repeated = [...this.#repeated.values()].map((message) => {
      const { id, method } = message
      // A notification contains the id of its stream.
      const isSame = id === undefined || method === LISTEN || this.#open.has(keyOf(id))
      return JSON.stringify(isSame ? message : { ...message, id: `${REPEATED_ID_PREFIX}${keyOf(id)}` })
    })
    const others = [...this.#open.values()].filter(({ message }) => ![...this.#repeated.values()].includes(message))
    return [...repeated, ...new Set(others.map(({ line }) => line))]
  }

  #remember(message: Message, line: string): void {
    const { id, method } = message
    if (typeof method !== 'string') return
    const { requestId, uri } = membersOf(message.params)
    if (method === 'notifications/cancelled') this.#forget(requestId)
    if (method === 'resources/unsubscribe') this.#repeated.delete(`resources/subscribe ${String(uri)}`)
    if (REPEATED_METHODS.has(method)) this.#repeated.set(uri === undefined ? method : `${method} ${String(uri)}`, message)
    if (id !== undefined) this.#open.set(keyOf(id), { message, line })
  }

  #forget(id: unknown): void {
    this.#open.delete(keyOf(id))
    this.#repeated.delete(keyOf(id))
  }

  async #copyFromServer(wire: Duplex, lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      if (this.#wire !== wire) return
      const notice = readNotice(line)
      if (notice !== undefined) this.#follow(notice)
      else if (this.#isForClient(line)) await writeAll(process.stdout, `${line}\n`)
    }
    if (this.#wire === wire) this.#lose()
  }

  #follow({ err, again, exit }: Notice): void {
    if (err !== undefined && !this.#isMuted) process.stderr.write(err)
    this.#retry = again ?? this.#retry
    if (exit !== undefined) this.#finish(exit)
  }

  /** Marks requests as answered. @returns false for an answer to the relay, a duplicate or an incomplete line */
  #isForClient(line: string): boolean {
    this.#isMuted = false
    const messages = messagesIn(line)
    return messages.length > 0 && messages.every((message) => this.#isNews(message))
  }

  #isNews(message: Message): boolean {
    const { id, method } = message
    if (method === ACKNOWLEDGED) return this.#keepStream(message)
    if (method !== undefined || id === undefined) return true
    this.#forget(id)
    return !String(id).startsWith(REPEATED_ID_PREFIX)
  }

  /** @returns false if the stream was acknowledged before */
  #keepStream({ params }: Message): boolean {
    const key = keyOf(membersOf(membersOf(params)._meta)[SUBSCRIPTION_ID])
    const request = this.#open.get(key)?.message
    if (request !== undefined) this.#repeated.set(key, request)
    return this.#open.delete(key)
  }

  #lose(): void {
    this.#drop()
    if (this.#retry !== 'repeat') this.#answerLost()
    if (this.#hasEnded && this.#open.size === 0) this.#finish(0)
    else if (this.#open.size > 0 || this.#retry === 'now') void this.#reopen()
  }

  /** Fails all open requests except `initialize`. */
  #answerLost(): void {
    for (const [key, { message }] of this.#open) {
      if (message.method === 'initialize') continue
      this.#open.delete(key)
      process.stdout.write(`${JSON.stringify(this.#lostAnswer(message))}\n`)
    }
  }

  #lostAnswer({ id, method, params }: Message): object {
    const mayWrite = method === 'tools/call' && this.#writes?.includes(String(membersOf(params).name)) !== false
    const hint = mayWrite
      ? 'The change may have been made. Check list_changes before you repeat it.'
      : 'Nothing was changed. Ask again.'
    const error = new RouxError('PROVIDER_ERROR', 'The shared server ended before it answered.', { hint }).toJSON()
    // An error becomes a result here, because clients show models the results of calls, but not always protocol errors.
    if (method !== 'tools/call' || !this.#repeated.has('initialize'))
      return { jsonrpc: '2.0', id, error: { code: -32603, message: `${error.message} ${hint}` } }
    const content = [{ type: 'text', text: JSON.stringify({ error }) }]
    return { jsonrpc: '2.0', id, result: { content, structuredContent: { error }, isError: true } }
  }
}

function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? ''
}

function membersOf(value: unknown): Message {
  return isRecord(value) ? value : {}
}

/** Returns the messages of a line. A malformed line contains none, and the server reports it. */
function messagesIn(line: string): readonly Message[] {
  const parsed = parseJson(line)
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isRecord)
}
