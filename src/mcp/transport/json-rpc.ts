import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/is-record.ts'

/** Cached JSON of values, by identity. A large result is sent twice, as text and as structured content. */
const remembered = new WeakMap<object, string>()

/** A parsed message. */
type Incoming =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  /** A message that cannot be handled, with the error response to it. */
  | { readonly kind: 'fault'; readonly response: JSONRPCMessage }

const PARSE_ERROR = -32700

const INVALID_REQUEST = -32600

const INVALID_PARAMS = -32602

/** Returns the response to invalid JSON. The `id` is omitted, because clients reject null. */
export function parseFault(reason: string): JSONRPCMessage {
  return errorResponse(PARSE_ERROR, `Parse error: ${reason}`)
}

export function invalidRequest(message: string, id?: unknown): JSONRPCMessage {
  return errorResponse(INVALID_REQUEST, `Invalid request: ${message}`, id)
}

export function invalidParams(message: string, id?: unknown): JSONRPCMessage {
  return errorResponse(INVALID_PARAMS, `Invalid params: ${message}`, id)
}

/** Parses one message. Unknown members are dropped, because later parsers are strict. */
export function readMessage(value: unknown): Incoming {
  if (!isRecord(value)) return refuse('a message must be a JSON object.')
  const { jsonrpc, id, method, params } = value
  if (jsonrpc !== '2.0') return refuse('"jsonrpc" must be "2.0".', id)
  if (method === undefined && ('result' in value || 'error' in value)) return accept(value)
  if (typeof method !== 'string') return refuse('"method" must be a string.', id)
  if ('id' in value && !isRequestId(id)) return refuse('"id" must be a string or an integer.', id)
  const answer = isRequestId(id) ? { id } : {}
  if (params === undefined) return accept({ jsonrpc, ...answer, method })
  if (!isRecord(params)) {
    if (!Array.isArray(params)) return refuse('"params" must be an object.', id)
    return 'id' in answer
      ? { kind: 'fault', response: invalidParams('"params" must be an object.', id) }
      : refuse('"params" must be an object.')
  }
  if (!hasReadableMeta(params)) return refuse('"params._meta" must be an object with a string or integer "progressToken".', id)
  return accept({ jsonrpc, ...answer, method, params })
}

/** Finds a request's id near the start or the end of its text. Returns `undefined` if it cannot be sure. */
export function idFromEnds(head: string, tail: string): RequestId | undefined {
  // A member that is not next to an outer brace might belong to a nested object.
  const problem =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]*")\s*,/.exec(head)?.[1] ??
    /"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(-?\d{1,15}|"[^"\\]*")\s*\}\s*$/.exec(tail)?.[1]
  return problem === undefined ? undefined : JSON.parse(problem)
}

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message
}

export function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id
}

/** Checks whether a message opens a connection of the legacy era. */
export function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'initialize'
}

/** Checks whether a message of the modern era requests a stream. */
export function isListen(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'subscriptions/listen'
}

/** Returns the resource addresses in a request for a stream. Returns none for a malformed request, which the SDK reports. */
export function listenedUris({ params = {} }: JSONRPCRequest): readonly string[] {
  const { notifications } = params as { readonly notifications?: unknown }
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : []
}

/** Returns the id of the request that a message cancels, or `undefined`. */
export function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || isRequest(message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.requestId
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

function accept(message: object): Incoming {
  return { kind: 'message', message: message as JSONRPCMessage }
}

function refuse(message: string, id?: unknown): Incoming {
  return { kind: 'fault', response: invalidRequest(message, id) }
}

function errorResponse(code: number, message: string, id?: unknown): JSONRPCMessage {
  const readable = typeof id === 'string' || typeof id === 'number' ? { id } : {}
  return { jsonrpc: '2.0', ...readable, error: { code, message } }
}

function hasReadableMeta(params: Readonly<Record<string, unknown>>): boolean {
  const meta = params._meta
  if (meta === undefined) return true
  if (!isRecord(meta)) return false
  const token = meta.progressToken
  return token === undefined || isRequestId(token)
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** Serializes a value to compact JSON and caches the result, so the value must not change afterwards. */
export function toJson(value: unknown): string {
  const json = recall(value)
  if (typeof value === 'object' && value !== null) remembered.set(value, json)
  return json
}

/**
 * Like `toJson`, but caches the JSON of each member instead of the whole object, because structured content contains the members
 * only.
 */
export function membersToJson(object: object): string {
  return `{${members(object, toJson).join()}}`
}

export function messageToJson(message: object): string {
  const result: unknown = 'result' in message ? message.result : undefined
  if (!isRecord(result) || !isRecord(result.structuredContent)) return JSON.stringify(message)
  const { structuredContent, ...rest } = result
  const structured = `{${members(structuredContent as object, recall).join()}}`
  const shell = members({ ...message, result: undefined }, recall)
  const inner = [...members(rest, recall), `"structuredContent":${structured}`]
  return `{${[...shell, `"result":{${inner.join()}}`].join()}}`
}

function members(object: object, toText: (value: unknown) => string): readonly string[] {
  const present = Object.entries(object).filter(([, value]) => value !== undefined)
  return present.map(([key, value]) => `${JSON.stringify(key)}:${toText(value)}`)
}

function recall(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? remembered.get(value) : undefined
  return text ?? JSON.stringify(value)
}
