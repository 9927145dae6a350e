import type { ToolDefinition } from '../mcp/define-tool.ts'
import type { PropertySchema } from '../mcp/input-schema.ts'
import { flagOf, type Option, type Parsed, readValueOf } from './arguments.ts'
import { UsageError } from './usage-error.ts'

/** A tool's parameter as an option of its command. */
export interface Parameter extends Option {
  readonly required: boolean
}

/** Short names of commands, and the tools that they mean. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map([['find', 'find_nodes']])

/** A tool's name as it is written: `get-hubs`. */
export function commandName(tool: string): string {
  return tool.replaceAll('_', '-')
}

/** The parameters of a tool, in the order of its schema. */
export function parametersOf({ inputSchema: { properties, required = [] } }: ToolDefinition): readonly Parameter[] {
  return Object.entries(properties).map(([name, schema]) => {
    const many = schema.type === 'array'
    const { enum: values } = (many ? schema.items : schema) ?? {}
    return {
      name,
      type: optionType((many ? schema.items : schema)?.type),
      sentence: schema.description ?? '',
      required: required.includes(name),
      ...(many ? { many } : {}),
      ...(values ? { values } : {}),
      ...(schema.default === undefined ? {} : { default: schema.default }),
    }
  })
}

/**
 * A tool's arguments: options by name, positionals for the required ones that are left, an array takes all that follow.
 * @throws UsageError when a required one is missing or there are positionals too many.
 */
export function argumentsOf(
  parameters: readonly Parameter[],
  { options, positionals }: Parsed,
): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {}
  const words = [...positionals]
  for (const parameter of parameters) {
    const { name, many, required } = parameter
    if (options.has(name)) args[name] = options.get(name)
    else if (required && words.length > 0) {
      const taken = words.splice(0, many ? words.length : 1).map((word) => readValueOf(parameter, word, `<${name}>`))
      args[name] = many ? taken.flat() : taken[0]
    } else if (required) {
      throw new UsageError(
        `<${name}> is missing.`,
        `It is the ${many ? 'words' : 'word'} after the command, or ${flagOf(parameter)}.`,
      )
    }
  }
  const [extra] = words
  if (extra !== undefined)
    throw new UsageError(
      `"${extra}" is one word too many.`,
      'Put quotes around words that belong together; options begin with "--".',
    )
  return args
}

function optionType(type: PropertySchema['type'] | undefined): Option['type'] {
  switch (type) {
    case 'boolean':
      return 'flag'
    case 'integer':
    case 'number':
      return type
    case 'string':
      return 'text'
    default:
      return 'json'
  }
}
