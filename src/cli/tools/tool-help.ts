import type { Tool, ToolDefinition } from '../../mcp/definition/define-tool.ts'
import { flagOf, GLOBAL_OPTIONS, type Option, type Parsed, readValueOf, WRITE_OPTION } from '../arguments.ts'
import { UsageError } from '../host.ts'

/** These options are decisions that only people may make, so tools have no such parameters. */
const DECISION_OPTIONS: Readonly<Record<string, readonly Option[]>> = {
  map: [{ name: 'name', type: 'text', sentence: 'Name a community, as in --name c4 "Sync"; "" restores the automatic name.' }],
  gaps: [
    {
      name: 'dismiss',
      type: 'text',
      sentence: 'Hide this gap, as in --dismiss apart:c1,c4; repeat the command to show it again.',
    },
  ],
  suggest_links: [
    { name: 'apply', type: 'flag', sentence: 'Go through the suggestions one by one and add the links you want.' },
    {
      name: 'dismiss',
      type: 'text',
      sentence: 'Hide this suggestion, as in --dismiss from.md to.md; repeat the command to show it again.',
    },
  ],
}

export interface Parameter extends Option {
  readonly required: boolean
  readonly isWord?: true
}

/** Optional parameters that may be positional, by tool. For other tools, the first free-text parameter may be positional. */
const OPTIONAL_WORDS: ReadonlyMap<string, string> = new Map([['changes_since', 'since']])

export const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['find', 'find_nodes'],
  ['changes', 'list_changes'],
])

export function commandName(tool: string): string {
  return tool.replaceAll('_', '-')
}

export function parametersOf({ name: tool, inputSchema: { properties, required = [] } }: ToolDefinition): readonly Parameter[] {
  const word = required.length > 0 ? undefined : (OPTIONAL_WORDS.get(tool) ?? firstText(properties))
  return Object.entries(properties).map(([name, schema]) => {
    const isList = schema.type === 'array'
    const { enum: values } = (isList ? schema.items : schema) ?? {}
    return {
      name,
      type: OPTION_TYPES[(isList ? schema.items : schema)?.type ?? ''] ?? 'json',
      sentence: schema.description ?? '',
      required: required.includes(name),
      ...(word === name ? { isWord: true } : {}),
      ...(isList ? { isRepeatable: isList } : {}),
      ...(values ? { values } : {}),
      ...(schema.default === undefined ? {} : { default: schema.default }),
    }
  })
}

function firstText(properties: ToolDefinition['inputSchema']['properties']): string | undefined {
  const [first] = Object.entries(properties)
  return first?.[1].type === 'string' && first[1].enum === undefined ? first[0] : undefined
}

export function optionsOf(tool: Tool): readonly Option[] {
  const parameters = parametersOf(tool.definition())
  return [...parameters, ...decisionOptions(tool.name), ...(tool.needs === undefined ? [] : [WRITE_OPTION]), ...GLOBAL_OPTIONS]
}

/**
 * Assigns positional arguments to parameters. An array parameter takes those that later parameters do not need.
 * @throws UsageError if an argument is missing or superfluous
 */
export function argumentsOf(
  parameters: readonly Parameter[],
  { options, positionals }: Parsed,
): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {}
  const words = [...positionals]
  for (const [at, parameter] of parameters.entries()) {
    const { name, isRepeatable, required, isWord = false } = parameter
    if (options.has(name)) args[name] = options.get(name)
    else if ((required || isWord) && words.length > 0) {
      const after = parameters.slice(at + 1).filter((later) => later.required && !options.has(later.name)).length
      const values = words
        .splice(0, isRepeatable ? Math.max(1, words.length - after) : 1)
        .map((word) => readValueOf(parameter, word, `<${name}>`))
      args[name] = isRepeatable ? values.flat() : values[0]
    } else if (required) {
      const before = parameters.slice(0, at).findLast((earlier) => earlier.required || earlier.isWord === true)
      const place = `after ${before === undefined ? 'the command' : `<${before.name}>`}`
      throw new UsageError(
        `<${name}> ${isRepeatable ? 'are' : 'is'} missing.`,
        `${isRepeatable ? 'They are the words' : 'It is the word'} ${place}, or ${flagOf(parameter)}.`,
      )
    }
  }
  const [extra] = words
  if (extra !== undefined)
    throw new UsageError(
      `Unexpected argument "${extra}".`,
      'Quote an argument that contains spaces. Choose a vault with --vault.',
    )
  return args
}

/** The option types of JSON Schema types. Values of all other types are given as JSON. */
const OPTION_TYPES: Readonly<Record<string, Option['type']>> = {
  boolean: 'flag',
  integer: 'integer',
  number: 'number',
  string: 'text',
}

export function decisionOptions(tool: string): readonly Option[] {
  return DECISION_OPTIONS[tool] ?? []
}
