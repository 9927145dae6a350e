import type { JSONRPCMessage, RequestId, Transport, TransportSendOptions } from '@modelcontextprotocol/server'
import { answeredId, isRequest } from '../mcp/json-rpc.ts'

/** Messages that were posted together, whose answers go out together. */
interface Exchange {
  readonly awaited: Set<RequestId>
  readonly answers: JSONRPCMessage[]
  readonly onEvent: (message: JSONRPCMessage) => void
  readonly finish: (answers: readonly JSONRPCMessage[]) => void
}

/** Connects a server to posted messages: each post is given its own answers, whatever else is in work. */
export class ExchangeTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Takes what the server says without being asked. */
  onNotification: (message: JSONRPCMessage) => void = () => {}

  readonly #byId = new Map<RequestId, Exchange>()
  #isClosed = false

  async start(): Promise<void> {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** How many requests are not answered yet. */
  get inFlight(): number {
    return this.#byId.size
  }

  /** Whether a request of this id is not answered yet. */
  isAwaited(id: RequestId): boolean {
    return this.#byId.has(id)
  }

  /**
   * Delivers messages and gives the answers to the requests among them, in the order in which they are done; fewer when some are
   * cancelled or the transport is closed. The requests' ids must differ, and none be awaited. `onEvent` takes what the server says on
   * the way.
   */
  post(messages: readonly JSONRPCMessage[], onEvent: (message: JSONRPCMessage) => void): Promise<readonly JSONRPCMessage[]> {
    if (this.#isClosed) return Promise.resolve([])
    return new Promise((finish) => {
      const awaited = new Set(messages.filter(isRequest).map(({ id }) => id))
      const exchange: Exchange = { awaited, answers: [], onEvent, finish }
      for (const id of awaited) this.#byId.set(id, exchange)
      for (const message of messages) this.#deliver(message)
      if (awaited.size === 0) finish(exchange.answers)
    })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const answered = answeredId(message)
    const about = answered ?? options?.relatedRequestId
    const exchange = about === undefined ? undefined : this.#byId.get(about)
    if (answered !== undefined) this.#settle(answered, message)
    else if (exchange !== undefined) exchange.onEvent(message)
    else this.onNotification(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const open = new Set(this.#byId.values())
    this.#byId.clear()
    for (const { finish, answers } of open) finish(answers)
    this.onclose?.()
  }

  #deliver(message: JSONRPCMessage): void {
    this.onmessage?.(message)
    // A cancelled request gets no answer: nobody may wait for one.
    if (!isRequest(message) && 'method' in message && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      if (typeof id === 'string' || typeof id === 'number') this.#settle(id)
    }
  }

  #settle(id: RequestId, answer?: JSONRPCMessage): void {
    const exchange = this.#byId.get(id)
    if (exchange === undefined) return
    this.#byId.delete(id)
    exchange.awaited.delete(id)
    if (answer !== undefined) exchange.answers.push(answer)
    if (exchange.awaited.size === 0) exchange.finish(exchange.answers)
  }
}
