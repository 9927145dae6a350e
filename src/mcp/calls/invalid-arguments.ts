import { boundaryBefore } from '../../app/answer/truncate.ts'
import { RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { amount } from '../../core/text/format.ts'
import { nearest } from '../../core/text/nearest.ts'
import type { InputSchema, PropertySchema } from '../definition/schemas.ts'

interface Issue {
  readonly code?: string
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
  readonly message?: string
}

type ObjectSchema = Pick<PropertySchema, 'type'> & Partial<PropertySchema>

interface Checked {
  readonly name: string
  readonly inputSchema: InputSchema
}

const MAX_SUGGESTIONS = 3

const MAX_VALUE_LENGTH = 60

const MAX_SHOWN = 20

/** Sentences about the violations, without a full stop, and similar names to suggest. */
export interface Violations {
  readonly messages: readonly string[]
  readonly candidates: readonly string[]
}

export const NO_VIOLATIONS: Violations = { messages: [], candidates: [] }

interface CheckedArguments {
  readonly args: unknown
  readonly at?: string
  readonly reported?: number
}

/** Describes the first violations. All others are listed by position only. */
export function violationsOf(
  tool: Checked,
  issues: readonly Issue[],
  { args, at = '', reported = 0 }: CheckedArguments,
): Violations {
  // A schema can report several violations for one value, so each value gets one message.
  const messages = new Map<string, string>()
  const candidates = new Set<string>()
  const isShown = () => reported + messages.size < MAX_SHOWN
  for (const { code, path, keys = [], message } of issues.toSorted(lastUnknown)) {
    if (code !== 'unrecognized_keys') {
      const where = placeOf(path, at)
      const requirement = code === 'custom' ? message : undefined
      messages.set(where, isShown() ? violation(tool.inputSchema, path, { args, at, wanted: requirement }) : where)
      continue
    }
    const knownKeys = Object.keys(schemaAt(tool.inputSchema, path)?.properties ?? {})
    for (const key of keys) {
      const where = placeOf([...path, key], at)
      const near = isShown() ? nearest(key, knownKeys, MAX_SUGGESTIONS) : []
      messages.set(`unknown ${where}`, unknownArgument(where, near))
      for (const candidate of near) candidates.add(candidate)
    }
  }
  return { messages: [...messages.values()], candidates: [...candidates] }
}

export function invalidArguments(tool: Checked, { messages, candidates }: Violations): RouxError {
  const knownKeys = Object.keys(tool.inputSchema.properties)
  const shownMessages = messages.slice(0, MAX_SHOWN)
  const more = messages.length > MAX_SHOWN ? `; and ${messages.length - MAX_SHOWN} more` : ''
  return new RouxError('INVALID_PARAMS', `Invalid arguments for ${tool.name}: ${shownMessages.join('; ')}${more}.`, {
    hint: knownKeys.length === 0 ? `${tool.name} takes no arguments.` : `${tool.name} takes ${knownKeys.join(', ')}.`,
    ...(candidates.length === 0 ? {} : { candidates }),
  })
}

function lastUnknown(a: Issue, b: Issue): number {
  return Number(a.code === 'unrecognized_keys') - Number(b.code === 'unrecognized_keys')
}

function unknownArgument(where: string, [near]: readonly string[]): string {
  return `${where}: there is no such argument${near === undefined ? '' : `, did you mean ${near}`}`
}

function violation(
  schema: InputSchema,
  path: readonly PropertyKey[],
  { args, at, wanted }: { readonly args: unknown; readonly at: string; readonly wanted: string | undefined },
): string {
  const value = path.reduce(memberOf, args)
  const expected = wanted ?? (path.length === 0 ? 'an object of arguments' : expectation(schemaAt(schema, path)))
  const where = placeOf(path, at)
  return `${where}${where === '' ? '' : ': '}expected ${expected}, got ${shortValue(value)}`
}

function placeOf(path: readonly PropertyKey[], at: string): string {
  return path.reduce<string>((where, step) => {
    if (typeof step === 'number') return `${where}[${step}]`
    return where === '' ? shortened(String(step)) : `${where}.${shortened(String(step))}`
  }, at)
}

/** Shortens a text, because callers can send names and values of any length. */
function shortened(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, boundaryBefore(text, 0, MAX_VALUE_LENGTH))}…` : text
}

function schemaAt(schema: InputSchema, path: readonly PropertyKey[]): ObjectSchema | undefined {
  let at: ObjectSchema | undefined = schema
  for (const step of path) {
    if (typeof step === 'number') at = at?.items
    else {
      const property: PropertySchema | undefined = ownMember(at?.properties, String(step))
      at = property ?? (typeof at?.additionalProperties === 'object' ? at.additionalProperties : undefined)
    }
  }
  return at
}

function ownMember(properties: Readonly<Record<string, PropertySchema>> | undefined, name: string): PropertySchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

function memberOf(value: unknown, step: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
}

function expectation(schema: ObjectSchema | undefined): string {
  if (schema === undefined) return 'something else'
  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'an integer' : 'a number'}${range(schema.minimum, schema.maximum)}`
    case 'array': {
      const items =
        schema.items?.enum === undefined ? `${schema.items?.type ?? 'value'}s` : `any of ${schema.items.enum.join(', ')}`
      return `an array of ${items}${range(schema.minItems, schema.maxItems, 'item')}`
    }
    case 'string':
      if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
      return `a string${range(schema.minLength, schema.maxLength, 'character')}`
    default:
      return 'an object'
  }
}

function range(from: number | undefined, to: number | undefined, unit?: string): string {
  const shown = (count: number) => (unit === undefined ? count : amount(count, unit))
  if (from !== undefined && to !== undefined) return ` ${unit === undefined ? 'from' : 'of'} ${from} to ${shown(to)}`
  if (from !== undefined) return ` of at least ${shown(from)}`
  return to === undefined ? '' : ` of at most ${shown(to)}`
}

function shortValue(value: unknown): string {
  return value === undefined ? 'nothing' : shortened(tryJson(value))
}

/** Converts a value to JSON, unless it is nested too deeply for the stack. */
function tryJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return Array.isArray(value) ? 'an array' : 'an object'
  }
}

/** The maximum number of items, which schemas mostly omit to stay short. */
export const MAX_ITEMS = 1_000

/** Checks the length of lists before other code iterates over them. */
export function tooLongLists(args: unknown): Violations {
  if (!isRecord(args)) return { messages: [], candidates: [] }
  const messages = [...tooLongIn(args, ''), ...operationsIn(args).flatMap(([operation, at]) => tooLongIn(operation, at))]
  return { messages, candidates: [] }
}

function tooLongIn(args: Readonly<Record<string, unknown>>, at: string): readonly string[] {
  const { relations, ...rest } = args
  const targets = isRecord(relations) ? relations : {}
  return [
    ...longOnes(rest, at),
    ...longOnes({ relations: Object.keys(targets) }, at, 'relations'),
    ...longOnes(targets, `${at}relations.`),
  ]
}

function longOnes(values: Readonly<Record<string, unknown>>, at: string, unit = 'items'): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (!Array.isArray(value) || value.length <= MAX_ITEMS) return []
    return [`${at}${name}: expected at most ${MAX_ITEMS} ${unit}, got ${value.length}`]
  })
}

function operationsIn({ operations }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(operations) || operations.length > MAX_ITEMS) return []
  return operations.flatMap((operation, at) =>
    isRecord(operation) && isRecord(operation.arguments) ? [[operation.arguments, `operations[${at}].arguments.`] as const] : [],
  )
}
