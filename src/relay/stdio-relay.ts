import { PassThrough, type Readable, type Writable } from 'node:stream'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { Lines, type Link, readNotice } from './connect.ts'
import type { Alone } from './place.ts'

export interface RelayOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** The first connection. Without one, this process answers what needs no vault, until `needVaults` is called. */
  readonly link?: Link
  /** Makes another connection, starting the server if necessary. */
  reopen(): Promise<Link | Alone>
  /** Serves in this process, with vaults or without. Resolves to the exit code. */
  serveHere(streams: { readonly stdin: Readable; readonly stdout: Writable }, vaults: 'open' | 'closed'): Promise<number>
}

/** A request without an answer. The requests of a batch have the same line. */
interface Open {
  readonly message: Message
  readonly line: Buffer
}

interface Wire {
  readonly input: Writable
  readonly output: Readable
}

type Message = Readonly<Record<string, unknown>>

/** Ids of requests that the relay repeats on a new connection. The client does not see the answers. */
const REPEATED = 'roux-relay-'
/** Messages that end a connection. */
const LAST_WORDS = new Set<unknown>(['exit', 'notifications/exit'])
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
  /** The client's `initialize`, once it is answered, and the notification after it. */
  #initialize: Message | undefined
  #initialized: Message | undefined
  /** True while this process answers what needs no vault. */
  #isWithoutVaults = false
  /** False until the client's first server says something. A later one warns of the same again when it starts. */
  #isWarned = false
  /** True until the current server has sent its first message. */
  #isStarting = true
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
    this.#isWithoutVaults = link === undefined
    if (link === undefined) this.#serveHere('closed')
    else this.#join(link)
  }

  /** Tells the server that the client sends nothing more. The server still answers what is open. */
  stop(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#wire !== undefined) this.#end(this.#wire)
    else if (this.#queue.length === 0) this.#finish(0)
  }

  #end(wire: Wire): void {
    setTimeout(() => this.#wire === wire && this.#finish(0), LAST).unref()
    wire.input.end()
  }

  /** Ends the server without vaults in this process. The shared server gets the requests that it has not answered. */
  needVaults(): void {
    const wire = this.#wire
    if (!this.#isWithoutVaults || wire === undefined) return
    this.#isWithoutVaults = false
    this.#wire = undefined
    wire.output.removeAllListeners().resume()
    wire.input.end()
    this.#queue.push(...new Set([...this.#open.values()].map(({ line }) => line)))
    this.#open.clear()
    void this.#reopen()
  }

  #fromClient(line: Buffer): void {
    if (this.#hasEnded) return
    if (messagesIn(line).some(({ method }) => LAST_WORDS.has(method))) this.stop()
    else if (this.#wire !== undefined) this.#send(this.#wire, line)
    else {
      this.#queue.push(line)
      this.#options.stdin.pause()
      void this.#reopen()
    }
  }

  async #reopen(): Promise<void> {
    if (this.#isReopening) return
    this.#isReopening = true
    const link = await this.#options.reopen().catch((error: unknown): Alone => ({ alone: String(error) }))
    this.#isReopening = false
    if (!('alone' in link)) return this.#join(link)
    this.#options.stderr.write(`Roux works alone here: ${link.alone}.\n`)
    this.#serveHere('open')
  }

  #join({ socket, notice, rest }: Link): void {
    this.#writes = notice.writes ?? []
    this.#attach({ input: socket, output: socket }, rest)
  }

  #serveHere(vaults: 'open' | 'closed'): void {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const wire = { input, output }
    this.#attach(wire)
    const end = (code: number) => void (this.#wire === wire && this.#finish(code))
    this.#options.serveHere({ stdin: input, stdout: output }, vaults).then(end, () => end(1))
  }

  #attach(wire: Wire, rest: Buffer = Buffer.alloc(0)): void {
    const { stdin } = this.#options
    this.#wire = wire
    this.#again = undefined
    this.#isStarting = true
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
    for (const message of messagesIn(line)) {
      const { id, method } = message
      const params = isRecord(message.params) ? message.params : {}
      if (typeof method !== 'string') continue
      if (method === 'notifications/initialized') this.#initialized = message
      if (method === 'notifications/cancelled') this.#open.delete(keyOf(params.requestId))
      if (method === 'resources/unsubscribe') this.#kept.delete(`resources/subscribe ${String(params.uri)}`)
      if (KEPT.has(method)) this.#kept.set(method === 'logging/setLevel' ? method : `${method} ${String(params.uri)}`, message)
      if (id !== undefined) this.#open.set(keyOf(id), { message, line })
    }
  }

  #fromServer(wire: Wire, line: Buffer): void {
    const { stdout, stderr } = this.#options
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
      if (open?.message.method === 'initialize') this.#initialize = open.message
    }
    return false
  }

  #lose(wire: Wire): void {
    if (this.#wire !== wire) return
    this.#wire = undefined
    wire.input.destroy()
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

  /** Answers the open requests with errors, those of a batch in one line. Only an `initialize` is sent again. */
  #answerLost(): void {
    const lines = new Map<Buffer, Message[]>()
    for (const { message, line } of this.#open.values()) {
      if (message.method === 'initialize') this.#queue.unshift(line)
      else lines.set(line, [...(lines.get(line) ?? []), message])
    }
    this.#open.clear()
    for (const [line, messages] of lines) {
      const answers = messages.map((message) => this.#lostAnswer(message))
      this.#options.stdout.write(`${JSON.stringify(line.indexOf('[') === 0 ? answers : answers[0])}\n`)
    }
  }

  #lostAnswer({ id, method, params }: Message): object {
    const mayWrite = method === 'tools/call' && this.#writes?.includes(String(isRecord(params) && params.name)) !== false
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
