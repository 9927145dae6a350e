import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'
import { partOfPicture } from '../../app/links/picture.ts'
import { isRecord } from '../../core/is-record.ts'
import type { ToolResult } from '../calls/tool-result.ts'
import { defineTool, type SwitchedOffBy, type Tool, type ToolDefinition } from '../definition/define-tool.ts'
import type { McpServerOptions } from '../server-options.ts'
import type { ValidatingServer } from '../validating-server.ts'

/** The maximum number of notes. More would be illegible in a chat, and this many take about 400 kB. */
const MAX_NOTES = 3_000

/** The page that displays answers calls this tool. Models never do. */
const mapPictureTool = defineTool({
  name: 'map_picture',
  title: 'Picture of the vault',
  description: 'Map positions, titles and links of notes, for the page that shows the map.',
  names: { id: 'note' },
  input: () => ({
    id: z.string().optional().describe('The note to show.'),
    notes: z.array(z.string()).max(500).default([]).describe('Ids of notes to include.'),
  }),
  run: (core, { notes }, call) => partOfPicture(core, { notes, most: MAX_NOTES }, call),
})

export const MAP_APP = 'ui://roux/map'

/** The extension of clients that can display pages (MCP Apps). */
const EXTENSION = 'io.modelcontextprotocol/ui'

const PAGE_TYPE = 'text/html;profile=mcp-app'

export function showsApps(server: ValidatingServer, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const extensions = isRecord(declared) ? declared.extensions : undefined
  const extension = isRecord(extensions) ? extensions[EXTENSION] : undefined
  return isRecord(extension) && Array.isArray(extension.mimeTypes) && extension.mimeTypes.includes(PAGE_TYPE)
}

export function isMapOffered({ mapPage, tools, switchedOffBy }: McpServerOptions): boolean {
  return mapPage !== undefined && tools.some((tool) => tool.showsOnMap === true && switchedOffBy(tool) === undefined)
}

export function appTools(switchedOffBy: SwitchedOffBy): readonly Tool[] {
  return [mapPictureTool].filter((tool) => switchedOffBy(tool) === undefined)
}

export function withApp(definition: ToolDefinition, tool: Tool): object {
  if (tool === mapPictureTool) return { ...definition, _meta: { ui: { visibility: ['app'] } } }
  return tool.showsOnMap === true ? { ...definition, _meta: { ui: { resourceUri: MAP_APP } } } : definition
}

/** The page reads the structured content, so the text would only double the size. */
export function forPage(result: ToolResult): ToolResult {
  return result.isError === true ? result : { ...result, content: [] }
}

export const MAP_APP_RESOURCE = {
  uri: MAP_APP,
  name: 'map-app',
  title: 'Picture of an answer',
  description: 'A page that shows hubs, paths, linked notes and communities on the map of the vault.',
  mimeType: PAGE_TYPE,
}

/** Returns the contents of the page. It needs no content security policy, because the default already blocks all access. */
export function mapAppContents(text: string) {
  return { uri: MAP_APP, mimeType: PAGE_TYPE, text, _meta: { ui: { prefersBorder: true } } }
}
