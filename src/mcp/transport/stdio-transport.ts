import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server'
import { closedBy, SHUTDOWN, withResolvers } from '../../core/waiting.ts'
import { type Arrival, batchFault, type Messages, readArrival, readJson } from './arrival.ts'
import {
  answeredId,
  cancelledId,
  idFromEnds,
  invalidParams,
  invalidRequest,
  isInitialize,
  isListen,
  isRequest,
  listenedUris,
  messageToJson,
} from './json-rpc.ts'
import { type Line, LineSplitter } from './line-splitter.ts'
import { PendingRequests } from './pending-requests.ts'

export interface StdioTransportOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  /** A callback that runs once, when reading has stopped and all requests are answered. */
  onDrained(): void
  /**
   * Opens a stream for resource addresses, as spelled by the client.
   * @returns why the stream is not allowed, or a function that ends it
   */
  onListen?(uris: readonly string[]): Listening
}

type Listening = { readonly refusal: string } | { end(): void }

/** A transport that, unlike the SDK's, responds to invalid input, accepts long lines, and finishes pending requests. */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  /** The promise resolves to the deadline for closing the vaults, once all output has been sent. */
  readonly finished: Promise<number>

  readonly #stdin: Readable
  readonly #stdout: Writable
  readonly #onDrained: () => void
  readonly #onListen: (uris: readonly string[]) => Listening
  readonly #listening = new Map<RequestId, () => void>()
  readonly #lines = new LineSplitter()
  /** Streams are not among the pending requests, because they last as long as the connection. */
  readonly #pending = new PendingRequests()
  /** The `initialize` request sets the version, because the next line may arrive before the response is written. */
  #version: string | undefined
  #finish: (closed: number) => void = () => {}
  #closedBy: number | undefined
  #reading = true
  #isClosed = false
  #broken = false
  #drainTimer: NodeJS.Timeout | undefined
  /** This member is set while the client does not read the output. */
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
    // This listener must stay, because a late error must not crash the process.
    this.#stdout.on('error', () => {
      this.#broken = true
      this.#unblock()
      void this.close()
    })
    if (this.#stdin.readableEnded || this.#stdin.destroyed) this.#onEnd()
  }

  drain(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#closedBy = closedBy()
    this.#stopListening()
    this.#drainTimer = setTimeout(() => this.#drained(), SHUTDOWN.drain)
    this.#endDrain()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = answeredId(message)
    if (id === undefined || !this.#pending.finish(id, message)) {
      if (id !== undefined) this.#unlisten(id)
      void this.#write(message)
    }
    await this.#blocked?.until
    this.#endDrain()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
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
      void this.#write(invalidRequest('the line is longer than 10 MB.', idFromEnds(line.head, line.tail)))
      return
    }
    const text = line.text.trim()
    if (text === '') return
    const json = readJson(text, 'line')
    this.#take('fault' in json ? { kind: 'fault', response: json.fault } : readArrival(json.value))
  }

  #take(arrival: Arrival): void {
    const errorResponse = arrival.kind === 'fault' ? arrival.response : batchFault(arrival, this.#version)
    if (errorResponse !== undefined) void this.#write(errorResponse)
    else if (arrival.kind === 'messages') this.#takeMessages(arrival)
  }

  #takeMessages({ messages, faults, isBatch }: Messages): void {
    const [first] = messages
    const repeated = this.#pending.repeatedFault(messages)
    if (repeated !== undefined) {
      void this.#write(repeated)
      return
    }
    if (!isBatch && first !== undefined && isListen(first)) {
      if (this.#mayListen(first)) this.onmessage?.(first)
      return
    }
    this.#pending.add(messages, {
      onAnswers: (answers) => {
        const all = [...faults, ...answers]
        const [only] = all
        if (only !== undefined) void this.#write(isBatch ? all : only)
      },
    })
    for (const message of messages) this.#deliver(message)
  }

  #deliver(message: JSONRPCMessage): void {
    if (isExit(message)) {
      this.drain()
      return
    }
    if (isInitialize(message)) this.#version = String(message.params?.protocolVersion)
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) {
      // A request that was cancelled gets no response.
      this.#pending.finish(cancelled)
      this.#unlisten(cancelled)
    }
    this.onmessage?.(message)
  }

  /** Sends the reason if the stream may not start. */
  #mayListen(request: JSONRPCRequest): boolean {
    const { id } = request
    this.#unlisten(id)
    const listening = this.#onListen(listenedUris(request))
    if ('end' in listening) this.#listening.set(id, listening.end)
    else void this.send(invalidParams(listening.refusal, id))
    return 'end' in listening
  }

  #unlisten(id: RequestId): void {
    this.#listening.get(id)?.()
    this.#listening.delete(id)
  }

  #write(message: JSONRPCMessage | readonly JSONRPCMessage[]): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const json = Array.isArray(message) ? `[${message.map(messageToJson).join()}]` : messageToJson(message)
    if (!this.#stdout.write(`${json}\n`)) this.#block()
    return this.#blocked?.until ?? Promise.resolve()
  }

  #block(): void {
    if (this.#blocked !== undefined) return
    const { promise: until, resolve: end } = withResolvers<void>()
    this.#blocked = { until, end }
    this.#stdin.pause()
  }

  readonly #unblock = (): void => {
    this.#blocked?.end()
    this.#blocked = undefined
    if (this.#reading) this.#stdin.resume()
  }

  #endDrain(): void {
    if (!this.#reading && this.#pending.size === 0) this.#drained()
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

function isExit(message: JSONRPCMessage): boolean {
  if (isRequest(message) || !('method' in message)) return false
  return message.method === 'exit' || message.method === 'notifications/exit'
}
