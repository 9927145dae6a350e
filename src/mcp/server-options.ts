import type { CallOptions } from './calls/call-tool.ts'
import type { SwitchedOffBy, Tool } from './definition/define-tool.ts'
import type { EventFeed } from './events/events.ts'

export interface McpServerOptions extends Pick<CallOptions, 'vaults' | 'log' | 'timeout' | 'mayRead'> {
  readonly version: string
  readonly tools: readonly Tool[]
  readonly switchedOffBy: SwitchedOffBy
  /** If omitted, the client must poll. */
  readonly events?: EventFeed
  facts?(): Omit<ServerFacts, 'version'>
  /** Returns the folder whose notes are prompts, or an empty string if there is none. */
  promptsFolder?(): string
  mapPage?(): Promise<string>
  /** Returns the token budget. By default, each tool's own limit applies. */
  maxTokens?(): number | undefined
  /** A callback that runs after the response to a client's first request. */
  onOpened?(): void
}

export interface ServerFacts {
  readonly version: string
  /** The settings that differ from the default, without secrets and paths. */
  readonly settings: Readonly<Record<string, unknown>>
  /** True if clients may see local paths. */
  readonly verbose?: boolean
  readonly embedder?: string
  tokens?(): Promise<Readonly<Record<string, unknown>>>
}
