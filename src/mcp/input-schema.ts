import * as z from 'zod/v4'

/** The part of JSON Schema that our tools use: flat, one type each, so that every client understands it. */
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
}

export interface InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
  readonly additionalProperties: false
}

/** The JSON Schema of a tool's arguments, as a client writes them. */
export function inputSchema(schema: z.ZodObject): InputSchema {
  const { $schema: _, ...root } = z.toJSONSchema(schema, { io: 'input' })
  return JSON.parse(JSON.stringify(root, withoutSafeIntegerBounds))
}

/** zod writes the bounds of a safe integer where a tool sets none: they tell a client nothing. */
function withoutSafeIntegerBounds(key: string, value: unknown): unknown {
  if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined
  if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return undefined
  return value
}
