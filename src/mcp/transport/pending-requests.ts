import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { invalidRequest, isRequest } from './json-rpc.ts'

/** The receiver of the answers to one batch. */
export interface Recipient {
  /** Called once, with the answers in the order in which they were given; fewer when some requests were cancelled. */
  onAnswers(answers: readonly JSONRPCMessage[]): void
  /** Takes what the server says about one of the requests before it is answered. */
  onEvent?(message: JSONRPCMessage): void
}

interface Group {
  readonly waiting: Set<RequestId>
  readonly answers: JSONRPCMessage[]
  readonly recipient: Recipient
}

/** Requests that are not answered yet. Those that came together are answered together. */
export class PendingRequests {
  readonly #byId = new Map<RequestId, Group>()

  get size(): number {
    return this.#byId.size
  }

  /** The answer to messages that reuse the id of a pending request; `undefined` if none does. */
  repeatedFault(messages: readonly JSONRPCMessage[]): JSONRPCMessage | undefined {
    const repeated = messages.filter(isRequest).find(({ id }) => this.#byId.has(id))
    return repeated && invalidRequest('a request with this id is still running.', repeated.id)
  }

  /** Waits for the requests of a batch, none of which is pending yet. */
  add(messages: readonly JSONRPCMessage[], recipient: Recipient): void {
    const group: Group = { waiting: new Set(messages.filter(isRequest).map(({ id }) => id)), answers: [], recipient }
    for (const id of group.waiting) this.#byId.set(id, group)
    if (group.waiting.size === 0) recipient.onAnswers([])
  }

  /** The receiver of a request's answer. */
  recipientOf(id: RequestId): Recipient | undefined {
    return this.#byId.get(id)?.recipient
  }

  /** Ends the wait for a request, without an answer where it was cancelled; `false` when nothing waits for it. */
  finish(id: RequestId, answer?: JSONRPCMessage): boolean {
    const group = this.#byId.get(id)
    if (group === undefined) return false
    this.#byId.delete(id)
    group.waiting.delete(id)
    if (answer !== undefined) group.answers.push(answer)
    if (group.waiting.size === 0) group.recipient.onAnswers(group.answers)
    return true
  }

  /** Ends every wait, with the answers that are there. */
  end(): void {
    const open = new Set(this.#byId.values())
    this.#byId.clear()
    for (const { recipient, answers } of open) recipient.onAnswers(answers)
  }
}
