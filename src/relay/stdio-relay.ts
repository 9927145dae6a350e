import { Duplex, PassThrough, type Readable, type Writable } from 'node:stream'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'
import { once } from '../core/waiting.ts'
import { type Link, linesOf, type Notice, noticeLine, readNotice, writeAll } from './connect.ts'

export interface RelayOptions {
  /** The first connection. If omitted, this process answers until a request needs a vault. */
  readonly link?: Link
  /** Connects again, starting the server if necessary. Rejects if that is not possible. */
  reopen(): Promise<Link>
  /**
   * Serves in this process. Resolves to the exit code.
   * @param needVaults must be called for the first request that needs a vault; omitted if this process opens the vaults itself
   */
  serveHere(streams: { readonly stdin: Readable; readonly stdout: Writable }, needVaults?: () => void): Promise<number>
  /** Called with the exit code once everything has been sent. */
  onFinished(code: number): void
}

type Message = Readonly<Record<string, unknown>>

/** Prefix of the ids of requests that the relay repeats on a new connection. The client does not see their responses. */
const REPEATED_ID_PREFIX = 'roux-relay-'
/** Methods of messages that end a connection. */
const END_METHODS = new Set<unknown>(['exit', 'notifications/exit'])
/** Methods whose latest message, per resource address, is repeated on a new connection. */
const REPEATED_METHODS = new Set(['initialize', 'notifications/initialized', 'logging/setLevel', 'resources/subscribe'])
const LISTEN = 'subscriptions/listen'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
/**
 * Milliseconds after the end of the client's input, or after a signal, until the relay exits. A server ends the connection within
 * 4.4 s.
 */
const LAST_REPLY_TIMEOUT = 4_700

/**
 * Copies lines between a client and the shared server. If the server ends, the relay reconnects and repeats the client's
 * `initialize` and subscriptions. It answers the open requests with errors, unless the connection ended with a `repeat` notice. It
 * never sends anything else twice.
 */
export class StdioRelay {
  readonly #options: RelayOptions
  /** Unanswered requests. Requests of the same batch have the same line. */
  readonly #open = new Map<string, { readonly message: Message; readonly line: string }>()
  /** Messages to repeat on a new connection: the client's `initialize`, its log level and its subscriptions. */
  readonly #repeated = new Map<string, Message>()
  #wire: Duplex | undefined
  /** Resolves once there is a connection again. */
  #reopening: Promise<void> | undefined
  /** Names of the tools that change the vault. Set once a server has sent them. */
  #writes: readonly string[] | undefined
  /** When to reconnect. An unused server is replaced only when the client sends something. */
  #retry: Notice['again']
  /** True while a replacement server starts. Its warnings are dropped, because they would repeat those of the first server. */
  #isMuted = false
  #hasEnded = false

  constructor(options: RelayOptions) {
    this.#options = options
    process.stdout.on('error', () => this.#finish(0))
    if (options.link === undefined) this.#serveHere('without vaults')
    else this.#attach(options.link)
    void this.#copyFromClient()
  }

  /** Tells the server that the client will send nothing more. The server still answers the open requests. */
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
    // Ends the stream after the earlier answers, so the client gets those first.
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

  /** Returns the lines to send first on a connection: the client's `initialize` and subscriptions, then the open requests. */
  #linesToRepeat(): readonly string[] {
    const repeated = [...this.#repeated.values()].map((message) => {
      const { id, method } = message
      // A stream keeps its id, because its notifications contain it.
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

  /**
   * Records which requests a line answers. Returns false if the relay itself has sent these requests, the client already has the
   * answer, or the server ended in the middle of the line.
   */
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

  /** Remembers a stream that the server has acknowledged. Returns false if an earlier server has already acknowledged it. */
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

  /** Answers the open requests with errors, so they are not sent again. Only `initialize` stays open. */
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
    // Clients show models the results of calls, but not always protocol errors.
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

/** Returns the messages in a line: one message, those of a batch, or none if the line is malformed, which the server reports. */
function messagesIn(line: string): readonly Message[] {
  const parsed = parseJson(line)
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isRecord)
}
