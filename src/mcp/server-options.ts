import type { CallOptions } from './calls/call-tool.ts'
import type { SwitchedOffBy, Tool } from './definition/define-tool.ts'
import type { EventFeed } from './events/events.ts'
import type { ServerFacts } from './server-facts.ts'

/** What one connection's server is made of. */
export interface McpServerOptions extends Pick<CallOptions, 'vaults' | 'log' | 'timeout' | 'mayRead'> {
  readonly version: string
  readonly tools: readonly Tool[]
  readonly switchedOffBy: SwitchedOffBy
  /** What the client hears of as it happens; without it the client learns of changes by asking. */
  readonly events?: EventFeed
  /** What `roux://system-info` says beside the version. */
  facts?(): Omit<ServerFacts, 'version'>
  /** The vault's folder of which the notes are prompts; empty for none. */
  promptsFolder?(): string
  /** The text of the page that pictures answers, for clients that show pages; absent: there is none. */
  mapPage?(): Promise<string>
  /** What an answer keeps within unless its call says otherwise, tokens; each tool's own where there is none. */
  maxTokens?(): number | undefined
  /** Called when the opening request of a client has been answered. */
  onOpened?(): void
}
