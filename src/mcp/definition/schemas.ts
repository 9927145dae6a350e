import * as z from 'zod/v4'

/** The subset of JSON Schema that every client supports: flat schemas with a single type. */
export interface PropertySchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  readonly description?: string
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: PropertySchema
  /** Only schemas of objects have this member. */
  readonly properties?: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
  /** The type of unnamed members. By default, they may be anything. */
  readonly additionalProperties?: false | PropertySchema
}

export interface InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
  /** Clients do not receive this member. An unknown argument causes an error that lists the known ones. */
  readonly additionalProperties?: false
}

export function inputSchema(schema: z.ZodObject): InputSchema {
  const { $schema: _, ...root } = z.toJSONSchema(schema, { io: 'input' })
  return JSON.parse(JSON.stringify(root, withoutDefaults))
}

/** Returns a short schema for clients, because models read it with every list of tools. */
export function briefSchema(schema: InputSchema): InputSchema {
  return JSON.parse(JSON.stringify(schema, withoutUnusedKeywords))
}

/** Removes safe-integer bounds and schemas that allow any value. */
function withoutDefaults(key: string, value: unknown): unknown {
  if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined
  if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return undefined
  if (key === 'propertyNames') return undefined
  if (key === 'additionalProperties' && typeof value === 'object' && value !== null && Object.keys(value).length === 0) {
    return undefined
  }
  return value
}

/** Removes keywords that models do not need, because a call that violates them gets a detailed error. */
function withoutUnusedKeywords(key: string, value: unknown): unknown {
  if (typeof value === 'number' && OMITTED_KEYWORDS.has(key)) return undefined
  if (key === 'additionalProperties' && value === false) return undefined
  return key === 'default' && (value === false || value === 0 || (Array.isArray(value) && value.length === 0)) ? undefined : value
}

const OMITTED_KEYWORDS: ReadonlySet<string> = new Set(['minimum', 'minLength', 'maxLength', 'minItems', 'maxItems'])

export type OutputSchema = Pick<InputSchema, 'type' | 'properties'>

/** No member is required and others are allowed, because answers can contain warnings, and clients also validate errors. */
export function outputSchema(properties: OutputSchema['properties']): OutputSchema {
  return { type: 'object', properties }
}

export const TEXT: PropertySchema = { type: 'string' }

export const COUNT: PropertySchema = { type: 'integer' }

export const FLAG: PropertySchema = { type: 'boolean' }

export function listOf(properties: Readonly<Record<string, PropertySchema>>): PropertySchema {
  return { type: 'array', items: { type: 'object', properties } }
}
