import type { PropertySchema } from './input-schema.ts'

/** The shape of structured content, if fixed and small. */
export interface OutputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, PropertySchema>>
}

/**
 * The schema of an answer with these members. None is required and others are allowed, because warnings stand beside them, and
 * clients hold an error's content against it, too.
 */
export function outputSchema(properties: OutputSchema['properties']): OutputSchema {
  return { type: 'object', properties }
}

export const TEXT: PropertySchema = { type: 'string' }
export const COUNT: PropertySchema = { type: 'integer' }
export const NUMBER: PropertySchema = { type: 'number' }
export const FLAG: PropertySchema = { type: 'boolean' }

/** A list of objects with these members. */
export function listOf(properties: Readonly<Record<string, PropertySchema>>): PropertySchema {
  return { type: 'array', items: { type: 'object', properties } }
}
