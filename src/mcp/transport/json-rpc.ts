import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/is-record.ts'

/** The JSON is cached, because large results are sent twice: as text and as structured content. */
const jsonCache = new WeakMap<object, string>()

type Incoming =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'fault'; readonly response: JSONRPCMessage }

const PARSE_ERROR = -32700

const INVALID_REQUEST = -32600

const INVALID_PARAMS = -32602

/** Returns a parse error without an `id`, because clients reject null. */
export function parseFault(reason: string): JSONRPCMessage {
  return errorResponse(PARSE_ERROR, `Parse error: ${reason}`)
}

export function invalidRequest(message: string, id?: unknown): JSONRPCMessage {
  return errorResponse(INVALID_REQUEST, `Invalid request: ${message}`, id)
}

export function invalidParams(message: string, id?: unknown): JSONRPCMessage {
  return errorResponse(INVALID_PARAMS, `Invalid params: ${message}`, id)
}

/** Reads a message and drops unknown members, because later parsers are strict. */
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

export function idFromEnds(head: string, tail: string): RequestId | undefined {
  // Only these members are examined, because others might belong to a nested object.
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

export function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'initialize'
}

export function isListen(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'subscriptions/listen'
}

/** Returns no addresses for a malformed request, which the SDK reports. */
export function listenedUris({ params = {} }: JSONRPCRequest): readonly string[] {
  const { notifications } = params as { readonly notifications?: unknown }
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : []
}

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

/** Caches the result, so the value must not change afterwards. */
export function toJson(value: unknown): string {
  const json = cachedJson(value)
  if (typeof value === 'object' && value !== null) jsonCache.set(value, json)
  return json
}

/** Caches the JSON of each member, because structured content contains the same members. */
export function membersToJson(object: object): string {
  return `{${members(object, toJson).join()}}`
}

export function messageToJson(message: object): string {
  const result: unknown = 'result' in message ? message.result : undefined
  if (!isRecord(result) || !isRecord(result.structuredContent)) return JSON.stringify(message)
  const { structuredContent, ...rest } = result
  const structured = `{${members(structuredContent as object, cachedJson).join()}}`
  const shell = members({ ...message, result: undefined }, cachedJson)
  const inner = [...members(rest, cachedJson), `"structuredContent":${structured}`]
  return `{${[...shell, `"result":{${inner.join()}}`].join()}}`
}

function members(object: object, toText: (value: unknown) => string): readonly string[] {
  const present = Object.entries(object).filter(([, value]) => value !== undefined)
  return present.map(([key, value]) => `${JSON.stringify(key)}:${toText(value)}`)
}

function cachedJson(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? jsonCache.get(value) : undefined
  return text ?? JSON.stringify(value)
}
