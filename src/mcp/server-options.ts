import type { CallOptions } from './calls/call-tool.ts'
import type { SwitchedOffBy, Tool } from './definition/define-tool.ts'
import type { EventFeed } from './events/events.ts'
import type { ServerFacts } from './server-facts.ts'

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
