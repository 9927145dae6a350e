import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { messageToJson } from '../mcp/transport/json-rpc.ts'
import type { Limits } from './limits.ts'

export class EventStream {
  readonly #response: ServerResponse
  readonly #backlog: number
  readonly #timer: NodeJS.Timeout
  #waiting = 0
  #open = true

  /** @param onEnd called once when either side ends the stream */
  constructor(response: ServerResponse, { keepAlive, streamBacklog }: Limits, onEnd: () => void = () => {}) {
    this.#response = response
    this.#backlog = streamBacklog
    response.writeHead(200, EVENT_STREAM)
    response.flushHeaders()
    this.#timer = setInterval(() => this.#write(': still here\n\n'), keepAlive)
    response.once('close', () => {
      this.#stop()
      onEnd()
    })
  }

  /** Closes the stream if the client stops reading. */
  send(message: object): void {
    this.#write(`event: message\ndata: ${messageToJson(message)}\n\n`)
  }

  end(): void {
    if (!this.#open) return
    this.#stop()
    this.#response.end()
  }

  #write(text: string): void {
    if (!this.#open) return
    if (this.#waiting >= this.#backlog) {
      this.#response.destroy()
      return
    }
    this.#waiting++
    this.#response.write(text, () => {
      this.#waiting--
    })
  }

  #stop(): void {
    this.#open = false
    clearInterval(this.#timer)
  }
}

/** Starts a stream at the first event, if the client accepts streams. */
export class EventsOnDemand {
  readonly #exchange: { readonly request: IncomingMessage; readonly response: ServerResponse }
  readonly #limits: Limits
  #stream: EventStream | undefined

  constructor(exchange: { readonly request: IncomingMessage; readonly response: ServerResponse }, limits: Limits) {
    this.#exchange = exchange
    this.#limits = limits
  }

  send(message: JSONRPCMessage): void {
    const { request, response } = this.#exchange
    if (response.destroyed || !String(request.headers.accept).includes('text/event-stream')) return
    this.#stream ??= new EventStream(response, this.#limits)
    this.#stream.send(message)
  }

  /** @returns false if no stream has started */
  end(answers: readonly JSONRPCMessage[]): boolean {
    for (const answer of answers) this.#stream?.send(answer)
    this.#stream?.end()
    return this.#stream !== undefined
  }
}

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Keeps nginx from buffering the stream.
  'X-Accel-Buffering': 'no',
}
