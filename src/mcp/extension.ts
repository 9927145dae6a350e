import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  ServerOptions,
  Tool,
} from '@modelcontextprotocol/server'

/** A tool, resource or prompt of somebody else's, spoken to in the protocol's own terms. */
export interface ServerExtension {
  readonly tools?: readonly ExtensionTool[]
  readonly resources?: readonly ExtensionResource[]
  readonly templates?: readonly ExtensionTemplate[]
  readonly prompts?: readonly ExtensionPrompt[]
  /** What asking clients for input needs; ours asks for none. */
  readonly input?: Pick<ServerOptions, 'jsonSchemaValidator' | 'requestState'>
}

type Asking<Result> = Promise<Result | InputRequiredResult>

export interface ExtensionTool {
  readonly definition: Tool
  call(args: Readonly<Record<string, unknown>>, ctx: ServerContext): Asking<CallToolResult>
}

export interface ExtensionResource {
  readonly definition: Resource
  read(ctx: ServerContext): Promise<ReadResourceResult>
}

export interface ExtensionTemplate {
  readonly definition: ResourceTemplateType
  /** `undefined` for an address that is none of its. */
  read(uri: string, ctx: ServerContext): Promise<ReadResourceResult | undefined>
}

export interface ExtensionPrompt {
  readonly definition: Prompt
  get(args: Readonly<Record<string, string>>, ctx: ServerContext): Asking<GetPromptResult>
  complete?(argument: string, typed: string): Promise<CompleteResult['completion']>
}
