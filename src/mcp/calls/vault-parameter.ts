import type { Tool, ToolDefinition } from '../definition/define-tool.ts'
import type { PropertySchema } from '../definition/schemas.ts'

/** A tool as it is listed where there are several vaults: it takes the name of one. */
export function definitionFor(tool: Tool, names: readonly string[]): ToolDefinition {
  const definition = tool.definition()
  if (names.length === 0) return definition
  const vault: PropertySchema = { type: 'string', enum: names, description: DESCRIPTIONS[tool.reach.kind] }
  const { inputSchema } = definition
  return { ...definition, inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, vault } } }
}

const DESCRIPTIONS: Readonly<Record<Tool['reach']['kind'], string>> = {
  all: 'Only this vault; all if absent.',
  each: 'Vault of ids that name none; the first if absent.',
  one: 'Vault, where no id names one; the first if absent.',
}
