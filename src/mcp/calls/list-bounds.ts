import { isRecord } from '../../core/is-record.ts'
import type { Violations } from './invalid-arguments.ts'

/**
 * Maximum number of items in a list argument, because every item takes time and every invalid item also takes memory. Schemas
 * mostly omit this limit to stay short.
 */
export const MAX_ITEMS = 1_000

/** Finds lists that are too long before anything iterates over them. */
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
  const messages: string[] = []
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value) && value.length > MAX_ITEMS)
      messages.push(`${at}${name}: expected at most ${MAX_ITEMS} ${unit}, got ${value.length}`)
  }
  return messages
}

/** Returns the arguments of operations with their positions, unless there are too many. */
function operationsIn({ operations }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(operations) || operations.length > MAX_ITEMS) return []
  return operations.flatMap((operation, at) =>
    isRecord(operation) && isRecord(operation.arguments) ? [[operation.arguments, `operations[${at}].arguments.`] as const] : [],
  )
}
