import { boundaryBefore } from '../app/truncate.ts'
import { RouxError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { InputSchema, PropertySchema } from './input-schema.ts'

/** What is used of a violation that the schema library found. */
interface Issue {
  readonly code?: string
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

interface Checked {
  readonly name: string
  readonly inputSchema: InputSchema
}

/** How many names a suggestion holds. */
const SUGGESTED = 3

/** Values longer than this are cut in messages. */
const SHOWN_VALUE = 60

/** The error that names every violation: where, what was expected, what came. */
export function invalidArguments(tool: Checked, issues: readonly Issue[], args: unknown): RouxError {
  const known = Object.keys(tool.inputSchema.properties)
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : []))
  const wrong = issues.filter((issue) => issue.code !== 'unrecognized_keys')
  const violations = new Set([
    ...wrong.map(({ path }) => violation(tool.inputSchema, path, args)),
    ...unknown.map((key) => unknownArgument(key, known)),
  ])
  const near = unknown.flatMap((key) => nearest(key, known, SUGGESTED))
  return new RouxError('INVALID_PARAMS', `Invalid arguments for ${tool.name}: ${[...violations].join('; ')}.`, {
    hint: known.length === 0 ? `${tool.name} takes no arguments.` : `${tool.name} takes ${known.join(', ')}.`,
    ...(near.length === 0 ? {} : { candidates: [...new Set(near)] }),
  })
}

function unknownArgument(key: string, known: readonly string[]): string {
  const [near] = nearest(key, known)
  return `${key}: there is no such argument${near === undefined ? '' : `, did you mean ${near}`}`
}

function violation(schema: InputSchema, path: readonly PropertyKey[], args: unknown): string {
  if (path.length === 0) return `expected an object of arguments, got ${shown(args)}`
  let expected: PropertySchema | undefined
  let value = args
  let where = ''
  for (const step of path) {
    expected = typeof step === 'number' ? expected?.items : schema.properties[String(step)]
    value = memberOf(value, step)
    where += typeof step === 'number' ? `[${step}]` : String(step)
  }
  return `${where}: expected ${expected === undefined ? 'something else' : expectation(expected)}, got ${shown(value)}`
}

function memberOf(value: unknown, step: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
}

/** What a property takes, in words. */
function expectation(schema: PropertySchema): string {
  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'an integer' : 'a number'}${range(schema.minimum, schema.maximum)}`
    case 'array': {
      const items =
        schema.items?.enum === undefined ? `${schema.items?.type ?? 'value'}s` : `any of ${schema.items.enum.join(', ')}`
      return `an array of ${items}${counted(schema.minItems, schema.maxItems, 'item')}`
    }
    case 'string':
      if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
      return `a string${counted(schema.minLength, schema.maxLength, 'character')}`
    default:
      return 'an object'
  }
}

function range(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}`
  if (from !== undefined) return ` of at least ${from}`
  return to === undefined ? '' : ` of at most ${to}`
}

function counted(from: number | undefined, to: number | undefined, unit: string): string {
  const plural = (count: number) => `${count} ${unit}${count === 1 ? '' : 's'}`
  if (from !== undefined && to !== undefined) return ` of ${from} to ${plural(to)}`
  if (from !== undefined) return ` of at least ${plural(from)}`
  return to === undefined ? '' : ` of at most ${plural(to)}`
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const json = tryJson(value)
  return json.length > SHOWN_VALUE ? `${json.slice(0, boundaryBefore(json, 0, SHOWN_VALUE))}…` : json
}

/** Values come from outside and may be nested deeper than the stack. */
function tryJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return Array.isArray(value) ? 'an array' : 'an object'
  }
}
