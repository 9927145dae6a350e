import { PassThrough, type Readable, type Writable } from 'node:stream'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { Lines, type Link, readNotice } from './connect.ts'
import type { Alone } from './place.ts'

export interface RelayOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** The first connection. Without one, the relay makes one. */
  readonly link?: Link
  /** Makes another connection, starting the server if necessary. */
  reopen(): Promise<Link | Alone>
  /** Serves in this process, if there is no shared server. Resolves to the exit code. */
  serveAlone(stdin: Readable, stdout: Writable): Promise<number>
  /** Answers the client's first line while the server is still starting. */
  answerOpening?(line: string): Promise<string | undefined>
}

/** A request without an answer. `batch` lists all requests that came in the same line, if it was a batch. */
interface Open {
  readonly id: unknown
  readonly method: string
  readonly tool: unknown
  readonly batch: object | undefined
}

interface Wire {
  readonly input: Writable
  readonly output: Readable
}

type Message = Readonly<Record<string, unknown>>

/** Ids of requests that the relay repeats on a new connection. The client does not see the answers. */
const REPEATED = 'roux-relay-'
/** Requests that change what later notifications come. A new connection gets them again. */
const KEPT = new Set(['resources/subscribe', 'logging/setLevel'])
/** A server that ends more often than this within a minute is started again only when there is something to send. */
const MOST_LOSSES = 5
const MINUTE = 60_000
/** Milliseconds after the client's end or a signal. A server ends its part within 4.4 s. */
const LAST = 4_700

/**
 * Copies lines between a client and the shared server. If the server ends, the relay makes another connection, repeats the client's
 * opening on it, and answers the open requests with errors. It never sends anything else twice.
 */
export class StdioRelay {
  /** Resolves to the exit code. */
  readonly finished: Promise<number>
  readonly #options: RelayOptions
  readonly #open = new Map<string, Open>()
  readonly #kept = new Map<string, Message>()
  readonly #queue: Buffer[] = []
  #finish: (code: number) => void = () => {}
  #wire: Wire | undefined
  #writes: readonly string[] | undefined
  /** The client's `initialize`, and the notification after it. */
  #initialize: Message | undefined
  #initialized: Message | undefined
  /** An `initialize` that was sent. Once it is answered, it becomes `#initialize`. */
  #opening: { readonly message: Message; readonly line: Buffer } | undefined
  /** The answer that `answerOpening` makes. */
  #answering: Promise<void> | undefined
  #hasBegun = false
  #hasEnded = false
  #isReopening = false
  #again: 'now' | 'later' | undefined
  #losses: readonly number[] = []
  #repeated = 0

  constructor(options: RelayOptions) {
    this.#options = options
    const { stdin, stdout, link } = options
    this.finished = new Promise((resolve) => {
      this.#finish = (code) => {
        const wire = this.#wire
        this.#wire = undefined
        wire?.input.destroy()
        resolve(code)
      }
    })
    const lines = new Lines((line) => this.#fromClient(line))
    const end = (): void => {
      lines.end()
      this.stop()
    }
    stdin
      .on('data', (chunk: Buffer) => lines.push(chunk))
      .on('end', end)
      .on('close', end)
      .on('error', end)
    stdout.on('error', () => this.#finish(0))
    if (link === undefined) void this.#reopen()
    else this.#join(link)
  }

  /** Tells the server that the client sends nothing more. The server still answers what is open. */
  stop(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#wire !== undefined) this.#end(this.#wire)
    else void Promise.resolve(this.#answering).then(() => this.#queue.length === 0 && this.#finish(0))
  }

  #end({ input }: Wire): void {
    setTimeout(() => this.#finish(0), LAST).unref()
    input.end()
  }

  #fromClient(line: Buffer): void {
    const { answerOpening } = this.#options
    const isFirst = !this.#hasBegun
    this.#hasBegun = true
    if (this.#wire !== undefined) this.#send(this.#wire, line)
    else if (isFirst && answerOpening !== undefined) this.#answering = this.#answerOpening(line)
    else {
      this.#queue.push(line)
      this.#options.stdin.pause()
      void this.#reopen()
    }
  }

  async #answerOpening(line: Buffer): Promise<void> {
    const [message] = messagesIn(line)
    const answer = message?.method === 'initialize' ? await this.#options.answerOpening?.(line.toString()) : undefined
    if (message === undefined || answer === undefined) {
      this.#queue.unshift(line)
      return
    }
    this.#initialize = message
    this.#options.stdout.write(`${answer}\n`)
  }

  async #reopen(): Promise<void> {
    if (this.#isReopening) return
    this.#isReopening = true
    const link = await this.#options.reopen().catch((error: unknown): Alone => ({ alone: String(error) }))
    await this.#answering
    this.#isReopening = false
    if ('alone' in link) this.#serveAlone(link)
    else this.#join(link)
  }

  #join({ socket, notice, rest }: Link): void {
    this.#writes = notice.writes ?? []
    this.#attach({ input: socket, output: socket }, rest)
  }

  #serveAlone({ alone }: Alone): void {
    this.#options.stderr.write(`Roux works alone here: ${alone}.\n`)
    const [input, output] = [new PassThrough(), new PassThrough()]
    this.#attach({ input, output })
    this.#options.serveAlone(input, output).then(
      (code) => this.#finish(code),
      () => this.#finish(1),
    )
  }

  #attach(wire: Wire, rest: Buffer = Buffer.alloc(0)): void {
    const { stdin } = this.#options
    this.#wire = wire
    this.#again = undefined
    const lines = new Lines((line) => this.#fromServer(wire, line))
    const gone = (): void => this.#lose(wire)
    wire.output
      .on('data', (chunk: Buffer) => lines.push(chunk))
      .on('end', gone)
      .on('close', gone)
      .on('error', gone)
    wire.input.on('error', gone).on('drain', () => stdin.resume())
    this.#repeatOpening(wire.input)
    for (const line of this.#queue.splice(0)) this.#send(wire, line)
    if (this.#hasEnded) this.#end(wire)
    else stdin.resume()
    lines.push(rest)
    wire.output.resume()
  }

  #repeatOpening(input: Writable): void {
    const repeat = (message: Message): void => {
      this.#repeated++
      input.write(`${JSON.stringify({ ...message, id: `${REPEATED}${this.#repeated}` })}\n`)
    }
    if (this.#initialize === undefined) return
    repeat(this.#initialize)
    if (this.#initialized !== undefined) input.write(`${JSON.stringify(this.#initialized)}\n`)
    for (const message of this.#kept.values()) repeat(message)
  }

  #send({ input }: Wire, line: Buffer): void {
    this.#remember(line)
    input.write(line)
    if (!input.write('\n')) this.#options.stdin.pause()
  }

  #remember(line: Buffer): void {
    const messages = messagesIn(line)
    const batch = line.indexOf('[') === 0 ? {} : undefined
    for (const message of messages) {
      const { id, method } = message
      const params = isRecord(message.params) ? message.params : {}
      if (typeof method !== 'string') continue
      if (method === 'notifications/initialized') this.#initialized = message
      if (method === 'notifications/cancelled') this.#open.delete(keyOf(params.requestId))
      if (method === 'resources/unsubscribe') this.#kept.delete(`resources/subscribe ${String(params.uri)}`)
      if (KEPT.has(method)) this.#kept.set(method === 'logging/setLevel' ? method : `${method} ${String(params.uri)}`, message)
      if (id !== undefined) this.#open.set(keyOf(id), { id, method, tool: params.name, batch })
      // Only an answered opening is repeated. Until then, the request itself is sent again.
      if (method === 'initialize') this.#opening = { message, line }
    }
  }

  #fromServer(wire: Wire, line: Buffer): void {
    const { stdout, stderr } = this.#options
    const notice = readNotice(line)
    if (notice !== undefined) {
      if (notice.err !== undefined) stderr.write(notice.err)
      this.#again = notice.again ?? this.#again
      if (notice.exit !== undefined) this.#finish(notice.exit)
      return
    }
    if (this.#isForRelay(line)) return
    stdout.write(line)
    if (stdout.write('\n')) return
    wire.output.pause()
    stdout.once('drain', () => wire.output.resume())
  }

  /** Notes which requests a line answers. Returns true if the client has not sent these requests itself. */
  #isForRelay(line: Buffer): boolean {
    if (this.#open.size === 0 && this.#repeated === 0) return false
    for (const { id, method } of messagesIn(line)) {
      if (method !== undefined || id === undefined) continue
      if (typeof id === 'string' && id.startsWith(REPEATED)) return true
      const open = this.#open.get(keyOf(id))
      this.#open.delete(keyOf(id))
      if (open?.method === 'initialize') this.#initialize = this.#opening?.message
    }
    return false
  }

  #lose(wire: Wire): void {
    if (this.#wire !== wire) return
    this.#wire = undefined
    wire.input.destroy()
    if (this.#initialize === undefined && this.#opening !== undefined) {
      this.#open.delete(keyOf(this.#opening.message.id))
      this.#queue.unshift(this.#opening.line)
    }
    this.#answerLost()
    if (this.#hasEnded && this.#queue.length === 0) {
      this.#finish(0)
      return
    }
    const now = performance.now()
    this.#losses = [...this.#losses.filter((at) => now - at < MINUTE), now]
    const isCalm = this.#losses.length <= MOST_LOSSES
    const isLater = this.#again === 'later' || (this.#again === undefined && !isCalm)
    if (this.#queue.length > 0 || !isLater) void this.#reopen()
  }

  /** Answers the open requests with errors. Those of a batch get one line. */
  #answerLost(): void {
    const lines = new Map<object, object[]>()
    for (const open of this.#open.values()) {
      const line = open.batch ?? open
      lines.set(line, [...(lines.get(line) ?? []), this.#lostAnswer(open)])
    }
    for (const [line, answers] of lines) {
      const isBatch = !('method' in line)
      this.#options.stdout.write(`${JSON.stringify(isBatch ? answers : answers[0])}\n`)
    }
    this.#open.clear()
  }

  #lostAnswer({ id, method, tool }: Open): object {
    const mayWrite = method === 'tools/call' && this.#writes?.includes(String(tool)) !== false
    const error = new RouxError('PROVIDER_ERROR', 'The shared server ended before it answered.', {
      hint: mayWrite
        ? 'The change may have been made. Check list_changes before you repeat it.'
        : 'Nothing was changed by this. Ask again.',
    }).toJSON()
    // Clients show a model the result of a call, but not always a protocol error.
    if (method !== 'tools/call' || this.#initialize === undefined)
      return { jsonrpc: '2.0', id, error: { code: -32603, message: `${error.message} ${error.hint}` } }
    const content = [{ type: 'text', text: JSON.stringify({ error }) }]
    return { jsonrpc: '2.0', id, result: { content, structuredContent: { error }, isError: true } }
  }
}

function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? ''
}

/** Returns the messages in a line: one, those of a batch, or none if it is malformed, which the server reports. */
function messagesIn(line: Buffer): readonly Message[] {
  try {
    const parsed: unknown = JSON.parse(line.toString())
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(isRecord)
  } catch {
    return []
  }
}
