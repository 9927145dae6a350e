import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server'
import { answeredId, cancelledId } from '../mcp/transport/json-rpc.ts'
import { PendingRequests } from '../mcp/transport/pending-requests.ts'

/** Connects a server to posted messages: each post gets its own answers, even with others in progress. */
export class ExchangeTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Takes what the server says without being asked. */
  onNotification: (message: JSONRPCMessage) => void = () => {}
  /** Requests that are not answered yet. */
  readonly pending = new PendingRequests()

  #isClosed = false

  async start(): Promise<void> {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Delivers messages, of whose requests none may be pending, and gives the answers to them; fewer when some are cancelled or the
   * transport is closed. `onEvent` takes what the server says on the way.
   */
  post(messages: readonly JSONRPCMessage[], onEvent: (message: JSONRPCMessage) => void): Promise<readonly JSONRPCMessage[]> {
    if (this.#isClosed) return Promise.resolve([])
    return new Promise((onAnswers) => {
      this.pending.add(messages, { onAnswers, onEvent })
      for (const message of messages) this.#deliver(message)
    })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const answered = answeredId(message)
    const about = options?.relatedRequestId
    const recipient = about === undefined ? undefined : this.pending.recipientOf(about)
    if (answered !== undefined) this.pending.finish(answered, message)
    else if (recipient !== undefined) recipient.onEvent?.(message)
    else this.onNotification(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.pending.end()
    this.onclose?.()
  }

  #deliver(message: JSONRPCMessage): void {
    this.onmessage?.(message)
    // A cancelled request gets no answer: its client may no longer wait for one.
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) this.pending.finish(cancelled)
  }
}
