import { type ListToolsResult, ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import { nearest } from '../core/text/nearest.ts'
import { appTools, forPage, isMapOffered, showsApps, withApp } from './apps/map-app.ts'
import { callTool } from './calls/call-tool.ts'
import { withProgress } from './calls/progress.ts'
import { toolDisabled } from './calls/tool-disabled.ts'
import { errorResult } from './calls/tool-result.ts'
import { definitionFor } from './calls/vault-parameter.ts'
import type { Tool } from './definition/define-tool.ts'
import { pageOf } from './pages.ts'
import { INVALID_PARAMS, meant } from './protocol-errors.ts'
import { logFor } from './requests.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

/** Answers `tools/list` and `tools/call`. */
export function addToolHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const { tools, switchedOffBy } = options
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const pageTools = (ctx: ServerContext): readonly Tool[] =>
    isMapOffered(options) && showsApps(server, ctx) ? appTools(switchedOffBy) : []
  server.setRequestHandler('tools/list', ({ params }, ctx) => {
    const ofPage = pageTools(ctx)
    // The SDK's types ask for mutable values; these are only written out.
    const own = [...enabledTools(options), ...ofPage].map((tool) => {
      const definition = definitionFor(tool, options.vaults.names)
      return ofPage.length === 0 ? definition : withApp(definition, tool)
    }) as unknown as ListToolsResult['tools']
    const { items, ...next } = pageOf('tools', own, params?.cursor)
    return { tools: [...items], ...next }
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const ofPage = pageTools(ctx).find(({ name }) => name === params.name)
    const tool = ofPage ?? byName.get(params.name)
    if (tool === undefined) throw unknownTool(params.name, enabledTools(options))
    const log = logFor(ctx, options.log)
    const setting = switchedOffBy(tool)
    if (setting !== undefined) return errorResult(toolDisabled(tool.name, setting), log)
    const result = await withProgress(ctx, options.vaults, (vaults, report) =>
      callTool(tool, params.arguments, {
        ...options,
        vaults,
        report,
        log,
        signal: ctx.mcpReq.signal,
        maxTokens: options.maxTokens?.(),
      }),
    )
    return ofPage === undefined ? result : forPage(result)
  })
}

/** The tools that are on now. */
export function enabledTools({ tools, switchedOffBy }: Pick<McpServerOptions, 'tools' | 'switchedOffBy'>): readonly Tool[] {
  return tools.filter((tool) => switchedOffBy(tool) === undefined)
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
    3,
  )
  return new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}.${meant(near)}`, { nearest: near })
}
