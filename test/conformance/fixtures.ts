import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Server,
  ServerContext,
  ServerOptions,
  Tool,
} from '@modelcontextprotocol/server'
import { addHandlers, serverInfo, serverOptions } from '../../src/mcp/server.ts'
import type { McpServerOptions } from '../../src/mcp/server-options.ts'
import { ValidatingServer } from '../../src/mcp/validating-server.ts'

type Asking<Result> = Promise<Result | InputRequiredResult>

export interface FixtureTool {
  readonly definition: Tool
  call(args: Readonly<Record<string, unknown>>, ctx: ServerContext): Asking<CallToolResult>
}

export interface FixtureResource {
  readonly definition: Resource
  read(): Promise<ReadResourceResult>
}

export interface FixtureTemplate {
  readonly definition: ResourceTemplateType
  /** `undefined` for a URI of another template. */
  read(uri: string): Promise<ReadResourceResult | undefined>
}

export interface FixturePrompt {
  readonly definition: Prompt
  get(args: Readonly<Record<string, string>>, ctx: ServerContext): Asking<GetPromptResult>
  complete?(argument: string, typed: string): Promise<CompleteResult['completion']>
}

/** Fixtures that the suite needs in addition to the server's own tools. */
export interface Fixtures {
  readonly tools: readonly FixtureTool[]
  readonly resources: readonly FixtureResource[]
  readonly templates: readonly FixtureTemplate[]
  readonly prompts: readonly FixturePrompt[]
  /** Options for tools that request input; the server's own tools request none. */
  readonly input: Pick<ServerOptions, 'jsonSchemaValidator' | 'requestState'>
}

/** The program's own server, with handlers that try the fixtures first. */
export function createServerWithFixtures(options: McpServerOptions, fixtures: Fixtures): Server {
  const server = new ValidatingServer(serverInfo(options), { ...serverOptions(options), ...fixtures.input })
  const set = server.setRequestHandler.bind(server) as (method: string, handler: Handler) => void
  const register = (method: string, handler: Handler) => set(method, HANDLERS[method]?.(handler, fixtures) ?? handler)
  server.setRequestHandler = register as typeof server.setRequestHandler
  addHandlers(server, options)
  return server
}

/** A handler for any method; the entries of `HANDLERS` know its parameters. */
type Handler = (request: { readonly params: Params }, ctx: ServerContext) => object | Promise<object>

interface Params {
  readonly name: string
  readonly uri: string
  readonly arguments?: Readonly<Record<string, string>>
  readonly ref: { readonly name?: string }
  readonly argument: { readonly name: string; readonly value: string }
}

type Lists = 'tools' | 'resources' | 'templates' | 'prompts'

const HANDLERS: Readonly<Record<string, (own: Handler, fixtures: Fixtures) => Handler>> = {
  'tools/list': listed('tools', 'tools'),
  'resources/list': listed('resources', 'resources'),
  'resources/templates/list': listed('templates', 'resourceTemplates'),
  'prompts/list': listed('prompts', 'prompts'),
  'tools/call':
    (own, { tools }) =>
    async (request, ctx) =>
      (await named(tools, request.params.name)?.call(request.params.arguments ?? {}, ctx)) ?? own(request, ctx),
  'prompts/get':
    (own, { prompts }) =>
    async (request, ctx) =>
      (await named(prompts, request.params.name)?.get(request.params.arguments ?? {}, ctx)) ?? own(request, ctx),
  'completion/complete':
    (own, { prompts }) =>
    async (request, ctx) => {
      const { ref, argument } = request.params
      const completion = await named(prompts, ref.name)?.complete?.(argument.name, argument.value)
      return completion === undefined ? own(request, ctx) : { completion }
    },
  'resources/read':
    (own, { resources, templates }) =>
    async (request, ctx) => {
      const { uri } = request.params
      for (const { definition, read } of resources) if (definition.uri === uri) return read()
      for (const { read } of templates) {
        const found = await read(uri)
        if (found !== undefined) return found
      }
      return own(request, ctx)
    },
  'resources/subscribe':
    (own, { resources }) =>
    (request, ctx) =>
      resources.some(({ definition }) => definition.uri === request.params.uri) ? {} : own(request, ctx),
}

/** The server's own list, which is one page, followed by the fixtures. */
function listed(kind: Lists, member: string): (own: Handler, fixtures: Fixtures) => Handler {
  return (own, fixtures) => async (request, ctx) => {
    const result = (await own(request, ctx)) as Readonly<Record<string, readonly object[]>>
    return { ...result, [member]: [...(result[member] ?? []), ...fixtures[kind].map(({ definition }) => definition)] }
  }
}

function named<T extends { readonly definition: { readonly name: string } }>(all: readonly T[], name?: string): T | undefined {
  return all.find(({ definition }) => definition.name === name)
}
