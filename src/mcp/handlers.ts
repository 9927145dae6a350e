import { type CompleteResult, type ListToolsResult, ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import { type Call, waiting } from '../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../app/graph-core.ts'
import { completeNode } from '../app/names/complete-node.ts'
import { openAll } from '../app/vaults.ts'
import { nearest } from '../core/text/nearest.ts'
import { appTools, forPage, isMapOffered, MAP_APP, MAP_APP_RESOURCE, mapAppContents, showsApps, withApp } from './apps/map-app.ts'
import { type CallOptions, callTool } from './calls/call-tool.ts'
import { withinTime, withProgress } from './calls/progress.ts'
import { errorResult, type Log, toolDisabled } from './calls/tool-result.ts'
import { definitionFor, readAvailableVaults } from './calls/vaults.ts'
import type { Tool } from './definition/define-tool.ts'
import type { Prompt } from './prompts/prompts.ts'
import { didYouMean, INVALID_PARAMS, MissingResource, protocolError } from './protocol.ts'
import { isOffered, RESOURCES, TEMPLATES, type TemplateResource } from './resources/resources.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

export function addToolHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const { tools, switchedOffBy } = options
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const pageTools = (ctx: ServerContext): readonly Tool[] =>
    isMapOffered(options) && showsApps(server, ctx) ? appTools(switchedOffBy) : []
  server.setRequestHandler('tools/list', ({ params }, ctx) => {
    const ofPage = pageTools(ctx)
    // The cast is necessary, because the SDK's types are mutable. The SDK only serializes the definitions.
    const toolList = [...enabledTools(options), ...ofPage].map((tool) => {
      const definition = definitionFor(tool, options.vaults.names)
      return ofPage.length === 0 ? definition : withApp(definition, tool)
    }) as unknown as ListToolsResult['tools']
    const { items, ...next } = pageOf('tools', toolList, params?.cursor)
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
        missing: options.tools.filter((each) => switchedOffBy(each) !== undefined).map(({ name }) => name),
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

export function enabledTools({ tools, switchedOffBy }: Pick<McpServerOptions, 'tools' | 'switchedOffBy'>): readonly Tool[] {
  return tools.filter((tool) => switchedOffBy(tool) === undefined)
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
    3,
  )
  return new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}.${didYouMean(near)}`, { nearest: near })
}

export function addResourceHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const { switchedOffBy } = options
  const runRequest = requestRunner(options)
  server.setRequestHandler('resources/list', ({ params }, ctx) => {
    const available = RESOURCES.filter((resource) => isOffered(resource, switchedOffBy))
    const listed = available.map(({ name, title, description }) => ({
      uri: `roux://${name}`,
      name,
      title,
      description,
      mimeType: 'application/json',
    }))
    const all = isMapOffered(options) && showsApps(server, ctx) ? [...listed, MAP_APP_RESOURCE] : listed
    const { items, ...next } = pageOf('resources', all, params?.cursor)
    return { resources: [...items], ...next }
  })
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const templates = TEMPLATES.filter((template) => isOffered(template, switchedOffBy)).map(
      ({ kind, title, description, variable, mimeType }) => ({
        uriTemplate: `roux://${kind}/{+${variable}}`,
        name: kind,
        title,
        description,
        ...(mimeType === undefined ? {} : { mimeType }),
      }),
    )
    const { items, ...next } = pageOf('templates', templates, params?.cursor)
    return { resourceTemplates: [...items], ...next }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    if (uri === MAP_APP && options.mapPage !== undefined && isMapOffered(options))
      return { contents: [mapAppContents(await options.mapPage())] }
    if (!/^roux:/i.test(uri)) throw new MissingResource(uri)
    return await runRequest(ctx, async (vaults, call) => {
      const { readResource } = await import('./resources/read-resource.ts')
      const facts = { settings: {}, ...options.facts?.(), version: options.version }
      return { contents: [await readResource(uri, { vaults, server: facts, switchedOffBy, call })] } as never
    })
  })
}

const NOTES = { source: { name: 'get_node' } }

/** Adds the handlers for prompts. Listing accesses vaults only if a prompts folder is set. */
export function addPromptHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const runRequest = requestRunner(options)
  const isOn = (prompt: Pick<Prompt, 'source'>): boolean => isOffered(prompt, options.switchedOffBy)
  // The folder is empty for a client that may not read notes, so it gets no prompts from them.
  const promptsFolder = () => (isOn(NOTES) ? (options.promptsFolder?.() ?? '') : '')
  const listOffered = async (ctx: Parameters<typeof runRequest>[0]): Promise<readonly Prompt[]> => {
    const { BUILT_IN } = await import('./prompts/built-in.ts')
    const folder = promptsFolder()
    if (folder === '') return BUILT_IN.filter(isOn)
    const { listPrompts } = await import('./prompts/vault-prompts.ts')
    return (await runRequest(ctx, (vaults, call) => listPrompts(vaults, folder, call))).filter(isOn)
  }
  server.setRequestHandler('prompts/list', async ({ params }, ctx) => {
    const all = (await listOffered(ctx)).map(({ definition }) => definition)
    const { items, ...next } = pageOf('prompts', all, params?.cursor)
    return { prompts: [...items] as never, ...next }
  })
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, ctx) => {
    const { getPrompt } = await import('./prompts/prompts.ts')
    return (await getPrompt(await listOffered(ctx), { name, args }, (tool) => isOn({ source: tool }))) as never
  })
}

type Completion = CompleteResult['completion']

/** The protocol's limit for the number of values. */
const MAX_VALUES = 100

const NOTHING: Completion = { values: [], total: 0, hasMore: false }

export function addCompletionHandler(server: ValidatingServer, options: McpServerOptions): void {
  const runRequest = requestRunner(options)
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }, ctx) => {
    const { switchedOffBy } = options
    const template =
      ref.type === 'ref/prompt'
        ? await templateForPrompt(ref.name, argument.name)
        : TEMPLATES.find(({ kind, variable }) => ref.uri === `roux://${kind}/{+${variable}}` && variable === argument.name)
    if (template === undefined || !isOffered(template, switchedOffBy)) return { completion: NOTHING }
    const bounds = { limit: MAX_VALUES, kinds: template.kinds }
    return {
      completion: await runRequest(ctx, async (vaults, call): Promise<Completion> => {
        const lists = await readAvailableVaults(
          vaults,
          async (core) => (await completeNode(core, argument.value, bounds, call)).value,
        )
        const values = lists.flatMap(({ ids }) => ids).slice(0, MAX_VALUES)
        const total = lists.reduce((sum, completion) => sum + completion.total, 0)
        return { values, total, hasMore: total > values.length }
      }),
    }
  })
}

async function templateForPrompt(name: string, argument: string): Promise<TemplateResource | undefined> {
  const { BUILT_IN } = await import('./prompts/built-in.ts')
  const isNote = BUILT_IN.some(({ definition, noteArguments }) => definition.name === name && noteArguments.includes(argument))
  return isNote ? TEMPLATES.find(({ kind }) => kind === 'node') : undefined
}

const PAGE_SIZE = 100

export interface ListPage<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

/** Returns a page of a list. Cursors contain the name of the list. @throws ProtocolError −32602 for a cursor from another list */
function pageOf<T>(list: string, items: readonly T[], cursor: string | undefined): ListPage<T> {
  const offset = cursor === undefined ? 0 : readCursor(list, cursor)
  if (offset === undefined || (offset > 0 && offset >= items.length)) {
    throw new ProtocolError(INVALID_PARAMS, 'Unknown cursor: it is not from this list, or the list has changed.')
  }
  const next = offset + PAGE_SIZE
  const page = items.slice(offset, next)
  return next < items.length ? { items: page, nextCursor: writeCursor(list, next) } : { items: page }
}

function writeCursor(list: string, offset: number): string {
  return Buffer.from(`${list}:${offset}`).toString('base64url')
}

function readCursor(list: string, cursor: string): number | undefined {
  const [, offset] = /^[^:]*:([1-9]\d{0,8})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (offset === undefined || writeCursor(list, Number(offset)) !== cursor) return undefined
  return Number(offset) % PAGE_SIZE === 0 ? Number(offset) : undefined
}

export type RunRequest = <T>(ctx: ServerContext, run: (vaults: readonly GraphCore[], call: Call) => Promise<T>) => Promise<T>

function requestRunner({ vaults, log, timeout }: Pick<CallOptions, 'vaults' | 'log' | 'timeout'>): RunRequest {
  return async (ctx, run) => {
    const { signal } = ctx.mcpReq
    try {
      return await withProgress(ctx, vaults, (followedVaults) =>
        withinTime({ signal, timeout, hint: 'Ask again in a moment.' }, async (stop) =>
          run(await openAll(followedVaults), waiting({ signal: stop })),
        ),
      )
    } catch (error) {
      // The error of a cancelled request is neither sent nor logged.
      throw protocolError(error, signal.aborted ? () => {} : logFor(ctx, log))
    }
  }
}

function logFor({ mcpReq }: ServerContext, log: Log): Log {
  return (line, lastLine) => {
    log(line)
    if (lastLine !== undefined) mcpReq.log('error', lastLine, 'roux').catch(() => {})
  }
}
