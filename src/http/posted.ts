import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { hasBatches } from '../mcp/batches.ts'
import { invalidRequest, isRequest, readMessage } from '../mcp/json-rpc.ts'

/** What one post holds. */
export interface Posted {
  readonly messages: readonly JSONRPCMessage[]
  /** The answers to what is no message. */
  readonly faults: readonly JSONRPCMessage[]
  readonly isBatch: boolean
}

/** A posted body without what stands beside the members that JSON-RPC knows; what is no message stays as it is. */
export function withoutExtras(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutExtras)
  const read = readMessage(body)
  return read.kind === 'message' ? read.message : body
}

/**
 * Reads a posted body; `fault` is the answer where it holds nothing that can be served. `version` is the one that was agreed on, `batch` the
 * most messages that may come together.
 */
export function readPosted(
  body: unknown,
  { version, batch }: { readonly version: string; readonly batch: number },
): Posted | { readonly fault: JSONRPCMessage } {
  if (!Array.isArray(body)) {
    const incoming = readMessage(body)
    return incoming.kind === 'message'
      ? { messages: [incoming.message], faults: [], isBatch: false }
      : { fault: incoming.response }
  }
  if (!hasBatches(version)) return { fault: invalidRequest('batches are not part of this protocol version.') }
  if (body.length === 0) return { fault: invalidRequest('the batch is empty.') }
  if (body.length > batch) return { fault: invalidRequest(`the batch has more than ${batch} messages.`) }
  const incoming = body.map(readMessage)
  const messages = incoming.flatMap((item) => (item.kind === 'message' ? [item.message] : []))
  const faults = incoming.flatMap((item) => (item.kind === 'fault' ? [item.response] : []))
  const ids = messages.filter(isRequest).map(({ id }) => id)
  if (new Set(ids).size < ids.length) return { fault: invalidRequest('two requests of the batch have the same id.') }
  return { messages, faults, isBatch: true }
}
