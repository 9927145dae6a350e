import type { Tool } from '@modelcontextprotocol/server'
import type { FixtureTool } from './fixtures.ts'

/** A tool for the conformance suite; most take no arguments. */
export function fixtureTool(
  name: string,
  call: FixtureTool['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object', properties: {} },
): FixtureTool {
  return { definition: { name, title: name, description: `Fixture ${name}.`, inputSchema }, call }
}
