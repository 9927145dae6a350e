import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { answeredId, isRequest } from './json-rpc.ts'

/** The last versions of the protocol that know batches; a client that asks for an unknown one is given a newer. */
const BATCHING = new Set(['2024-10-07', '2024-11-05', '2025-03-26'])

/** Whether a version of the protocol has batches. */
export function hasBatches(version: string): boolean {
  return BATCHING.has(version)
}

interface Batch {
  readonly awaited: Set<RequestId>
  readonly responses: JSONRPCMessage[]
}

/** Requests that came together: their answers leave together. */
export class Batches {
  #byId = new Map<RequestId, Batch>()
  #allowed = false

  /** Whether the version of the protocol that was agreed on has batches. */
  get allowed(): boolean {
    return this.#allowed
  }

  /** Learns the version from `initialize`: the line after it may be read before its answer is written. */
  notice(message: JSONRPCMessage): void {
    if (!isRequest(message) || message.method !== 'initialize') return
    this.#allowed = hasBatches(String(message.params?.protocolVersion))
  }

  /** Takes a batch in; gives the answer when nothing of it has to be awaited. */
  open(messages: readonly JSONRPCMessage[], faults: readonly JSONRPCMessage[]): readonly JSONRPCMessage[] | undefined {
    const batch: Batch = { awaited: new Set(messages.filter(isRequest).map(({ id }) => id)), responses: [...faults] }
    for (const id of batch.awaited) this.#byId.set(id, batch)
    return batch.awaited.size === 0 && faults.length > 0 ? batch.responses : undefined
  }

  /** What to write for an answer: itself, its whole batch, or nothing yet. */
  settle(message: JSONRPCMessage): JSONRPCMessage | readonly JSONRPCMessage[] | undefined {
    const id = answeredId(message)
    const batch = id === undefined ? undefined : this.#byId.get(id)
    if (id === undefined || batch === undefined) return message
    batch.responses.push(message)
    return this.#leave(id, batch)
  }

  /** Forgets a request that will not be answered; gives the batch's answer where it was the last. */
  cancel(id: RequestId): readonly JSONRPCMessage[] | undefined {
    const batch = this.#byId.get(id)
    return batch === undefined ? undefined : this.#leave(id, batch)
  }

  #leave(id: RequestId, batch: Batch): readonly JSONRPCMessage[] | undefined {
    this.#byId.delete(id)
    batch.awaited.delete(id)
    return batch.awaited.size === 0 && batch.responses.length > 0 ? batch.responses : undefined
  }
}
