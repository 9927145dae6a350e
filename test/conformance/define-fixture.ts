import type { Tool } from '@modelcontextprotocol/server'
import type { ExtensionTool } from '../../src/mcp/extension.ts'

/** A tool of the suite; most take nothing. */
export function fixtureTool(
  name: string,
  call: ExtensionTool['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object', properties: {} },
): ExtensionTool {
  return { definition: { name, title: name, description: `Fixture ${name}.`, inputSchema }, call }
}
