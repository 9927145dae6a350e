import type { CallOptions } from './calls/call-tool.ts'
import type { SwitchedOffBy, Tool } from './definition/define-tool.ts'
import type { EventFeed } from './events/events.ts'

/** The parts of one connection's server. */
export interface McpServerOptions extends Pick<CallOptions, 'vaults' | 'log' | 'timeout' | 'mayRead'> {
  readonly version: string
  readonly tools: readonly Tool[]
  readonly switchedOffBy: SwitchedOffBy
  /** Events for the client; without them it must ask. */
  readonly events?: EventFeed
  /** The facts in `roux://system-info` beside the version. */
  facts?(): Omit<ServerFacts, 'version'>
  /** The vault folder whose notes are prompts; empty for none. */
  promptsFolder?(): string
  /** The text of the page that pictures answers, for clients that show pages; absent: there is none. */
  mapPage?(): Promise<string>
  /** The default budget of an answer in tokens; absent: each tool's own. */
  maxTokens?(): number | undefined
  /** Called when the opening request of a client has been answered. */
  onOpened?(): void
}

/** Facts about a server. */
export interface ServerFacts {
  readonly version: string
  /** Settings that are not as they are by default, by key; none that is secret or a path. */
  readonly settings: Readonly<Record<string, unknown>>
  /** True if clients learn paths of this computer. */
  readonly verbose?: boolean
  /** The embedder for search by meaning; absent without one. */
  readonly embedder?: string
  /** Today's tokens by model server. */
  tokens?(): Promise<Readonly<Record<string, unknown>>>
}
