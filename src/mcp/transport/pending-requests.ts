import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { invalidRequest, isRequest } from './json-rpc.ts'

export interface Recipient {
  /**
   * A callback for the responses, in the order in which they were given. It is called once. Cancelled requests have no response.
   */
  onAnswers(answers: readonly JSONRPCMessage[]): void
  /** A callback for messages that arrive before the response. */
  onEvent?(message: JSONRPCMessage): void
}

interface Group {
  readonly waiting: Set<RequestId>
  readonly answers: JSONRPCMessage[]
  readonly recipient: Recipient
}

/** The requests without a response. Those that arrived together are answered together. */
export class PendingRequests {
  readonly #byId = new Map<RequestId, Group>()

  get size(): number {
    return this.#byId.size
  }

  /** @returns an error response if a request id is already pending */
  repeatedFault(messages: readonly JSONRPCMessage[]): JSONRPCMessage | undefined {
    const repeated = messages.filter(isRequest).find(({ id }) => this.#byId.has(id))
    return repeated && invalidRequest('a request with this id is still running.', repeated.id)
  }

  /** Adds requests, which must not be pending yet. */
  add(messages: readonly JSONRPCMessage[], recipient: Recipient): void {
    const group: Group = { waiting: new Set(messages.filter(isRequest).map(({ id }) => id)), answers: [], recipient }
    for (const id of group.waiting) this.#byId.set(id, group)
    if (group.waiting.size === 0) recipient.onAnswers([])
  }

  recipientOf(id: RequestId): Recipient | undefined {
    return this.#byId.get(id)?.recipient
  }

  /** Ends a request. @param answer omitted if the request was cancelled @returns false if the request is not pending */
  finish(id: RequestId, answer?: JSONRPCMessage): boolean {
    const group = this.#byId.get(id)
    if (group === undefined) return false
    this.#byId.delete(id)
    group.waiting.delete(id)
    if (answer !== undefined) group.answers.push(answer)
    if (group.waiting.size === 0) group.recipient.onAnswers(group.answers)
    return true
  }

  end(): void {
    const open = new Set(this.#byId.values())
    this.#byId.clear()
    for (const { recipient, answers } of open) recipient.onAnswers(answers)
  }
}
