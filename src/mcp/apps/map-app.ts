import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'
import { partOfPicture } from '../../app/links/picture.ts'
import { isRecord } from '../../core/is-record.ts'
import type { ToolResult } from '../calls/tool-result.ts'
import { defineTool, type SwitchedOffBy, type Tool, type ToolDefinition } from '../definition/define-tool.ts'
import type { McpServerOptions } from '../server-options.ts'
import type { ValidatingServer } from '../validating-server.ts'

/** Maximum notes on the picture: some 400 kB, and more than a chat can show clearly. */
const MOST = 3_000

/** Where the notes of an answer lie, and what is around them: for the page that pictures answers, never for models. */
const mapPictureTool = defineTool({
  name: 'map_picture',
  title: 'Picture of the vault',
  description: 'Places, titles and links of notes on the map of the vault, for the page that shows it.',
  names: { id: 'note' },
  input: () => ({
    id: z.string().optional().describe('A note of the vault that is meant.'),
    notes: z.array(z.string()).max(500).default([]).describe('Ids of notes to include.'),
  }),
  run: (core, { notes }, call) => partOfPicture(core, { notes, most: MOST }, call),
})

/** The address of the page that pictures answers. */
export const MAP_APP = 'ui://roux/map'

/** How a client says that it shows pages beside answers (MCP Apps), and the only kind of page there is. */
const EXTENSION = 'io.modelcontextprotocol/ui'

const PAGE_TYPE = 'text/html;profile=mcp-app'

/** True if the client of a request has declared that it shows pages. */
export function showsApps(server: ValidatingServer, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const extensions = isRecord(declared) ? declared.extensions : undefined
  const extension = isRecord(extensions) ? extensions[EXTENSION] : undefined
  return isRecord(extension) && Array.isArray(extension.mimeTypes) && extension.mimeTypes.includes(PAGE_TYPE)
}

/** True if there is a page for this answer. */
export function isMapOffered({ mapPage, tools, switchedOffBy }: McpServerOptions): boolean {
  return mapPage !== undefined && tools.some((tool) => tool.isPictured === true && switchedOffBy(tool) === undefined)
}

/** The tools that only the page calls, where a client shows it. */
export function appTools(switchedOffBy: SwitchedOffBy): readonly Tool[] {
  return [mapPictureTool].filter((tool) => switchedOffBy(tool) === undefined)
}

/** A tool's definition with what a client does with its answer that shows apps. */
export function withApp(definition: ToolDefinition, tool: Tool): object {
  if (tool === mapPictureTool) return { ...definition, _meta: { ui: { visibility: ['app'] } } }
  return tool.isPictured === true ? { ...definition, _meta: { ui: { resourceUri: MAP_APP } } } : definition
}

/** A page reads what is structured; the same as text would double what is sent, and no model reads either. */
export function forPage(result: ToolResult): ToolResult {
  return result.isError === true ? result : { ...result, content: [] }
}

/** The page as lists of resources show it. */
export const MAP_APP_RESOURCE = {
  uri: MAP_APP,
  name: 'map-app',
  title: 'Picture of an answer',
  description: 'A page that shows hubs, paths, linked notes and communities on the map of the vault.',
  mimeType: PAGE_TYPE,
}

/** The page itself. It says nothing of a content security policy: the default, which lets it reach nothing, is what it needs. */
export function mapAppContents(text: string) {
  return { uri: MAP_APP, mimeType: PAGE_TYPE, text, _meta: { ui: { prefersBorder: true } } }
}
