import { isRecord } from '../../core/is-record.ts'

/**
 * Results are sent twice, as text and as structured content, and may be large: the serialised text is remembered by
 * identity and inserted when the message is written.
 */
const remembered = new WeakMap<object, string>()

/** The compact JSON of a value, which must not change afterwards. */
export function toJson(value: unknown): string {
  const json = recall(value)
  if (typeof value === 'object' && value !== null) remembered.set(value, json)
  return json
}

/** The same of an object whose members, not itself, go under the root of the structured content. */
export function membersToJson(object: object): string {
  return `{${members(object, toJson).join()}}`
}

/** The JSON of a message on the wire. */
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
  const known = typeof value === 'object' && value !== null ? remembered.get(value) : undefined
  return known ?? JSON.stringify(value)
}
