import type { CallOptions } from './calls/call-tool.ts'
import type { SwitchedOffBy, Tool } from './definition/define-tool.ts'
import type { EventFeed } from './events/events.ts'

export interface McpServerOptions extends Pick<CallOptions, 'vaults' | 'log' | 'timeout' | 'mayRead'> {
  readonly version: string
  readonly tools: readonly Tool[]
  readonly switchedOffBy: SwitchedOffBy
  /** Events for the client. If omitted, the client must poll. */
  readonly events?: EventFeed
  /** Data in `roux://system-info` in addition to the version. */
  facts?(): Omit<ServerFacts, 'version'>
  /** The vault folder whose notes are prompts. Empty if there is none. */
  promptsFolder?(): string
  /** Returns the HTML of the page that shows answers, if there is one. */
  mapPage?(): Promise<string>
  /** Default budget of an answer in tokens. Defaults to each tool's own. */
  maxTokens?(): number | undefined
  /** Called once a client's opening request has been answered. */
  onOpened?(): void
}

export interface ServerFacts {
  readonly version: string
  /** Settings that differ from their defaults, by key, excluding secrets and paths. */
  readonly settings: Readonly<Record<string, unknown>>
  /** True if clients may see local paths. */
  readonly verbose?: boolean
  /** The embedder used for semantic search, if any. */
  readonly embedder?: string
  /** Returns the number of tokens used today, by model server. */
  tokens?(): Promise<Readonly<Record<string, unknown>>>
}
