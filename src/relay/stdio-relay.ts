import { Duplex, PassThrough, type Readable, type Writable } from 'node:stream'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'
import { eachLine, type Link, readNotice } from './connect.ts'
import type { Alone } from './place.ts'

export interface RelayOptions {
  /** The first connection. Without one, this process answers until a request needs a vault. */
  readonly link?: Link
  /** Makes another connection, starting the server if necessary. */
  reopen(): Promise<Link | Alone>
  /**
   * Serves in this process. Resolves to the exit code.
   * @param needVaults to be called for the first request that needs a vault; omitted if this process opens the vaults itself
   */
  serveHere(streams: { readonly stdin: Readable; readonly stdout: Writable }, needVaults?: () => void): Promise<number>
  /** Called with the exit code when everything is sent. */
  onFinished(code: number): void
}

type Message = Readonly<Record<string, unknown>>

/** Ids of requests that the relay repeats on a new connection. The client does not see the answers. */
const REPEATED = 'roux-relay-'
/** Messages that end a connection. */
const LAST_WORDS = new Set<unknown>(['exit', 'notifications/exit'])
/** The last of each is repeated on a new connection. */
const KEPT = new Set(['initialize', 'notifications/initialized', 'logging/setLevel'])
const LISTEN = 'subscriptions/listen'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
/** Milliseconds after the client's end or a signal. A server ends its part within 4.4 s. */
const LAST = 4_700

/**
 * Copies lines between a client and the shared server. If the server ends, the relay makes another connection, repeats the client's
 * opening and subscriptions on it, and answers the open requests with errors. It never sends anything else twice.
 */
export class StdioRelay {
  readonly #options: RelayOptions
  /** Requests without an answer. Those of a batch have the same line. */
  readonly #open = new Map<string, { readonly message: Message; readonly line: Buffer }>()
  /** Messages that a new connection gets again: the client's opening, its log level and its subscriptions. */
  readonly #kept = new Map<string, Message>()
  readonly #queue: Buffer[] = []
  #wire: Duplex | undefined
  /** Names of the tools that change something, once a server has told them. */
  #writes: readonly string[] | undefined
  /** False until the client's first server says something. A later one warns of the same again when it starts. */
  #isWarned = false
  /** True until the current server has sent its first message. */
  #isStarting = true
  /** True once the client has sent something to the current server. */
  #isUsed = false
  #hasEnded = false
  #isReopening = false
  #again: 'now' | 'later' | undefined
  #repeated = 0

  constructor(options: RelayOptions) {
    this.#options = options
    eachLine(
      process.stdin,
      (line) => this.#fromClient(line),
      (rest) => {
        if (rest.length > 0) this.#fromClient(rest)
        this.stop()
      },
    )
    process.stdout.on('error', () => this.#finish(0))
    if (options.link === undefined) this.#serveHere('without vaults')
    else this.#attach(options.link.socket, options.link.notice.writes)
  }

  /** Tells the server that the client sends nothing more. The server still answers what is open. */
  stop(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#wire !== undefined) this.#end(this.#wire)
    else if (!this.#isWaiting) this.#finish(0)
  }

  /** True if something must still be sent. */
  get #isWaiting(): boolean {
    return this.#queue.length + this.#open.size > 0
  }

  #end(wire: Duplex): void {
    setTimeout(() => this.#wire === wire && this.#finish(0), LAST).unref()
    wire.end()
  }

  #finish(code: number): void {
    this.#drop()
    this.#options.onFinished(code)
  }

  #drop(): void {
    const wire = this.#wire
    this.#wire = undefined
    wire?.destroy()
  }

  #fromClient(line: Buffer): void {
    if (this.#hasEnded) return
    const messages = messagesIn(line)
    if (messages.some(({ method }) => LAST_WORDS.has(method))) this.stop()
    else if (this.#wire !== undefined) this.#send(this.#wire, line, messages)
    else {
      this.#queue.push(line)
      process.stdin.pause()
      void this.#reopen()
    }
  }

  async #reopen(): Promise<void> {
    if (this.#isReopening) return
    this.#isReopening = true
    const link = await this.#options.reopen().catch(() => undefined)
    this.#isReopening = false
    if (link !== undefined && 'socket' in link) this.#attach(link.socket, link.notice.writes)
    else this.#serveHere()
  }

  #serveHere(vaults?: 'without vaults'): void {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()]
    const wire = Duplex.from({ readable: stdout, writable: stdin })
    const end = (code: number) => void (this.#wire === wire && this.#finish(code))
    const needVaults = (): void => {
      if (this.#wire !== wire) return
      this.#drop()
      void this.#reopen()
    }
    this.#attach(wire)
    this.#options.serveHere({ stdin, stdout }, vaults && needVaults).then(end, () => end(1))
  }

  #attach(wire: Duplex, writes?: readonly string[]): void {
    this.#wire = wire
    this.#writes = writes
    this.#again = undefined
    this.#isStarting = true
    this.#isUsed = this.#open.size > 0
    wire.on('drain', () => process.stdin.resume())
    this.#repeatOpening(wire)
    for (const line of this.#queue.splice(0)) this.#send(wire, line)
    if (this.#hasEnded) this.#end(wire)
    else process.stdin.resume()
    eachLine(
      wire,
      (line) => this.#fromServer(wire, line),
      () => this.#lose(wire),
    )
  }

  #repeatOpening(wire: Duplex): void {
    const kept = new Set(this.#kept.values())
    for (const message of kept) {
      // A stream keeps its id, because its notifications carry it.
      const isSame = message.id === undefined || message.method === LISTEN || this.#open.has(keyOf(message.id))
      this.#write(wire, JSON.stringify(isSame ? message : { ...message, id: `${REPEATED}${++this.#repeated}` }))
    }
    const others = [...this.#open.values()].filter(({ message }) => !kept.has(message))
    for (const line of new Set(others.map((open) => open.line))) this.#write(wire, line)
  }

  #send(wire: Duplex, line: Buffer, messages = messagesIn(line)): void {
    this.#isUsed = true
    for (const message of messages) this.#remember(message, line)
    this.#write(wire, line)
  }

  #write(wire: Duplex, line: Buffer | string): void {
    wire.write(line)
    if (!wire.write('\n')) process.stdin.pause()
  }

  #remember(message: Message, line: Buffer): void {
    const { id, method } = message
    if (typeof method !== 'string') return
    const { requestId, uri } = paramsOf(message)
    if (method === 'notifications/cancelled') this.#forget(requestId)
    if (method === 'resources/unsubscribe') this.#kept.delete(`resources/subscribe ${String(uri)}`)
    if (KEPT.has(method)) this.#kept.set(method, message)
    if (method === 'resources/subscribe') this.#kept.set(`${method} ${String(uri)}`, message)
    if (id !== undefined) this.#open.set(keyOf(id), { message, line })
  }

  #forget(id: unknown): void {
    this.#open.delete(keyOf(id))
    this.#kept.delete(keyOf(id))
  }

  #fromServer(wire: Duplex, line: Buffer): void {
    if (this.#wire !== wire) return
    const { stdout, stderr } = process
    const notice = readNotice(line)
    if (notice !== undefined) {
      if (notice.err !== undefined && !(this.#isWarned && this.#isStarting)) stderr.write(notice.err)
      this.#again = notice.again ?? this.#again
      if (notice.exit !== undefined) this.#finish(notice.exit)
      return
    }
    this.#isStarting = false
    this.#isWarned = true
    if (this.#isForRelay(line)) return
    stdout.write(line)
    if (stdout.write('\n')) return
    wire.pause()
    stdout.once('drain', () => wire.resume())
  }

  /** Notes which requests a line answers. Returns true if the client has not sent these requests itself, or knows the answer. */
  #isForRelay(line: Buffer): boolean {
    for (const message of messagesIn(line)) {
      const { id, method } = message
      if (method === ACKNOWLEDGED && !this.#keepStream(message)) return true
      if (method !== undefined || id === undefined) continue
      if (typeof id === 'string' && id.startsWith(REPEATED)) return true
      this.#forget(id)
    }
    return false
  }

  /** Keeps a stream that the server has acknowledged. Returns false if another server did so before. */
  #keepStream(message: Message): boolean {
    const { _meta } = paramsOf(message)
    const key = keyOf(isRecord(_meta) ? _meta[SUBSCRIPTION_ID] : undefined)
    const request = this.#open.get(key)?.message
    if (request !== undefined) this.#kept.set(key, request)
    return this.#open.delete(key)
  }

  #lose(wire: Duplex): void {
    if (this.#wire !== wire) return
    this.#drop()
    this.#answerLost()
    // A server that ends before the client needs it is started again only when there is something to send.
    const isNeeded = this.#again === 'now' || (this.#again === undefined && this.#isUsed)
    if (this.#hasEnded && !this.#isWaiting) this.#finish(0)
    else if (this.#isWaiting || isNeeded) void this.#reopen()
  }

  /** Answers the open requests with errors, those of a batch in one line. Only an `initialize` is sent again. */
  #answerLost(): void {
    const lines = new Map<Buffer, object[]>()
    for (const [key, { message, line }] of this.#open) {
      if (message.method === 'initialize') continue
      this.#open.delete(key)
      lines.set(line, [...(lines.get(line) ?? []), this.#lostAnswer(message)])
    }
    for (const [line, answers] of lines)
      process.stdout.write(`${JSON.stringify(line.indexOf('[') === 0 ? answers : answers[0])}\n`)
  }

  #lostAnswer(message: Message): object {
    const { id, method } = message
    const mayWrite = method === 'tools/call' && this.#writes?.includes(String(paramsOf(message).name)) !== false
    const hint = mayWrite
      ? 'The change may have been made. Check list_changes before you repeat it.'
      : 'Nothing was changed by this. Ask again.'
    const error = new RouxError('PROVIDER_ERROR', 'The shared server ended before it answered.', { hint }).toJSON()
    // Clients show a model the result of a call, but not always a protocol error.
    if (method !== 'tools/call' || !this.#kept.has('initialize'))
      return { jsonrpc: '2.0', id, error: { code: -32603, message: `${error.message} ${hint}` } }
    const content = [{ type: 'text', text: JSON.stringify({ error }) }]
    return { jsonrpc: '2.0', id, result: { content, structuredContent: { error }, isError: true } }
  }
}

function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? ''
}

function paramsOf({ params }: Message): Message {
  return isRecord(params) ? params : {}
}

/** Returns the messages in a line: one, those of a batch, or none if it is malformed, which the server reports. */
function messagesIn(line: Buffer): readonly Message[] {
  const parsed = parseJson(line.toString())
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isRecord)
}
