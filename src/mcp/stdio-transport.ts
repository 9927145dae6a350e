import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server'
import { closedBy, SHUTDOWN } from '../core/shutdown.ts'
import { Batches } from './batches.ts'
import { messageToJson } from './json.ts'
import {
  answeredId,
  idFromEnds,
  invalidParams,
  invalidRequest,
  isRequest,
  parseFault,
  parseJson,
  readMessage,
} from './json-rpc.ts'
import { type Line, LineSplitter } from './line-splitter.ts'

export interface StdioTransportOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  /** Called once when nothing more will be read and what was asked for is answered. */
  onDrained(): void
  /** Told which resources a stream of the modern era asks for, in their own spelling; says why it may not, or how to end it. */
  onListen?(uris: readonly string[]): Listening
}

type Listening = { readonly refusal: string } | { end(): void }

/**
 * JSON-RPC over lines. Unlike the SDK's own transport it answers what it cannot read, survives lines of any length, and
 * finishes what was asked for before it ends.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Resolves when the transport is closed and its output has left, with the moment by which the vaults should be closed. */
  readonly finished: Promise<number>

  readonly #stdin: Readable
  readonly #stdout: Writable
  readonly #onDrained: () => void
  readonly #onListen: (uris: readonly string[]) => Listening
  /** How to end each stream that is listened to. */
  readonly #listening = new Map<RequestId, () => void>()
  readonly #lines = new LineSplitter()
  readonly #batches = new Batches()
  /** Requests that will be answered; listen streams are not among them, they last as long as the connection. */
  readonly #inFlight = new Set<RequestId>()
  #finish: (closed: number) => void = () => {}
  #closedBy: number | undefined
  #reading = true
  #closed = false
  #broken = false
  #drainTimer: NodeJS.Timeout | undefined
  /** Set while the client does not read what is written. */
  #blocked: { readonly until: Promise<void>; readonly end: () => void } | undefined

  constructor({ stdin, stdout, onDrained, onListen = () => ({ end: () => {} }) }: StdioTransportOptions) {
    this.#stdin = stdin
    this.#stdout = stdout
    this.#onDrained = onDrained
    this.#onListen = onListen
    this.finished = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  async start(): Promise<void> {
    this.#stdin.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd).on('error', this.#onEnd)
    this.#stdout.on('drain', this.#unblock).on('close', this.#unblock)
    // The listener stays for good: an error that comes late must not end the process with a stack.
    this.#stdout.on('error', () => {
      this.#broken = true
      this.#unblock()
      void this.close()
    })
    if (this.#stdin.readableEnded || this.#stdin.destroyed) this.#onEnd()
  }

  /** Stops reading, waits for what is in flight, then tells that everything is answered. */
  drain(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#closedBy = closedBy()
    this.#stopListening()
    this.#drainTimer = setTimeout(() => this.#drained(), SHUTDOWN.drain)
    this.#settleDrain()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = answeredId(message)
    if (id !== undefined) this.#inFlight.delete(id)
    const settled = this.#batches.settle(message)
    if (settled !== undefined) await this.#write(settled)
    this.#settleDrain()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#reading = false
    clearTimeout(this.#drainTimer)
    this.#stopListening()
    this.onclose?.()
    if (!this.#broken) await this.#flush()
    this.#finish(this.#closedBy ?? closedBy())
  }

  readonly #onData = (chunk: Buffer | string): void => {
    for (const line of this.#lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) {
      this.#receive(line)
      if (!this.#reading) return
    }
  }

  readonly #onEnd = (): void => {
    if (!this.#reading) return
    for (const line of this.#lines.end()) this.#receive(line)
    this.drain()
  }

  #receive(line: Line): void {
    if (line.kind === 'discarded') {
      this.#refuse('the line is longer than 10 MB.', idFromEnds(line.head, line.tail))
      return
    }
    const text = line.text.trim()
    if (text === '') return
    const parsed = parseJson(text)
    if (parsed === undefined) void this.#write(parseFault())
    else if (Array.isArray(parsed.value)) this.#receiveBatch(parsed.value)
    else this.#receiveOne(parsed.value)
  }

  #receiveOne(value: unknown): void {
    const incoming = readMessage(value)
    if (incoming.kind === 'fault') void this.#write(incoming.response)
    else this.#deliver(incoming.message)
  }

  #refuse(reason: string, id?: RequestId): void {
    void this.#write(invalidRequest(reason, id))
  }

  #receiveBatch(values: readonly unknown[]): void {
    if (!this.#batches.allowed || values.length === 0) {
      this.#refuse(this.#batches.allowed ? 'the batch is empty.' : 'batches are not part of this protocol version.')
      return
    }
    const incoming = values.map(readMessage)
    const messages = incoming.flatMap((item) => (item.kind === 'message' ? [item.message] : []))
    const faults = incoming.flatMap((item) => (item.kind === 'fault' ? [item.response] : []))
    const answer = this.#batches.open(messages, faults)
    if (answer !== undefined) void this.#write(answer)
    for (const message of messages) this.#deliver(message)
  }

  #deliver(message: JSONRPCMessage): void {
    if (isExit(message)) {
      this.drain()
      return
    }
    if (isRequest(message)) {
      this.#batches.notice(message)
      const isListening = message.method === 'subscriptions/listen'
      if (!isListening) this.#inFlight.add(message.id)
      else if (!this.#mayListen(message)) return
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#cancel(message.params?.requestId)
    }
    this.onmessage?.(message)
  }

  /** Whether a stream may begin; why not is answered. */
  #mayListen({ id, params }: JSONRPCRequest): boolean {
    this.#unlisten(id)
    const listening = this.#onListen(listenedUris(params))
    if ('end' in listening) this.#listening.set(id, listening.end)
    else void this.send(invalidParams(listening.refusal, id))
    return 'end' in listening
  }

  #unlisten(id: RequestId): void {
    this.#listening.get(id)?.()
    this.#listening.delete(id)
  }

  /** A cancelled request gets no answer: nobody may wait for one. */
  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#inFlight.delete(id)
    this.#unlisten(id)
    const batch = this.#batches.cancel(id)
    if (batch !== undefined) void this.#write(batch)
  }

  #write(message: JSONRPCMessage | readonly JSONRPCMessage[]): Promise<void> {
    if (this.#closed) return Promise.resolve()
    const json = Array.isArray(message) ? `[${message.map(messageToJson).join()}]` : messageToJson(message)
    if (!this.#stdout.write(`${json}\n`)) this.#block()
    return this.#blocked?.until ?? Promise.resolve()
  }

  /** As long as the client does not read, nothing more is read from it. */
  #block(): void {
    if (this.#blocked !== undefined) return
    let end = () => {}
    const until = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#blocked = { until, end }
    this.#stdin.pause()
  }

  readonly #unblock = (): void => {
    this.#blocked?.end()
    this.#blocked = undefined
    if (this.#reading) this.#stdin.resume()
  }

  #settleDrain(): void {
    if (!this.#reading && this.#inFlight.size === 0) this.#drained()
  }

  #drained(): void {
    if (this.#drainTimer === undefined) return
    clearTimeout(this.#drainTimer)
    this.#drainTimer = undefined
    this.#onDrained()
  }

  #flush(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, SHUTDOWN.lastBytes)
      this.#stdout.write('', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #stopListening(): void {
    this.#stdin.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd)
    this.#stdin.pause()
  }
}

/** The resources that a `subscriptions/listen` names; none where it is malformed, which the SDK answers. */
function listenedUris(params: object = {}): readonly string[] {
  const filter: unknown = 'notifications' in params ? params.notifications : undefined
  const uris: unknown =
    typeof filter === 'object' && filter !== null && 'resourceSubscriptions' in filter ? filter.resourceSubscriptions : []
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : []
}

function isExit(message: JSONRPCMessage): boolean {
  if (isRequest(message) || !('method' in message)) return false
  return message.method === 'exit' || message.method === 'notifications/exit'
}
