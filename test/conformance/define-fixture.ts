import type { Tool } from '@modelcontextprotocol/server'
import type { FixtureTool } from './fixtures.ts'

/** A tool of the suite; most take nothing. */
export function fixtureTool(
  name: string,
  call: FixtureTool['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object', properties: {} },
): FixtureTool {
  return { definition: { name, title: name, description: `Fixture ${name}.`, inputSchema }, call }
}
