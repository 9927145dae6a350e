import type { CallOptions } from './call-tool.ts'
import type { SwitchedOffBy, Tool } from './define-tool.ts'
import type { EventFeed } from './events.ts'
import type { ServerExtension } from './extension.ts'
import type { ServerFacts } from './server-facts.ts'

/** What one connection's server is made of. */
export interface McpServerOptions extends Pick<CallOptions, 'vaults' | 'log' | 'timeout' | 'mayRead'> {
  readonly version: string
  readonly tools: readonly Tool[]
  readonly switchedOffBy: SwitchedOffBy
  /** What is told to the client as it happens; without it the client learns of changes by asking. */
  readonly events?: EventFeed
  /** What `roux://system-info` tells beside the version. */
  facts?(): Omit<ServerFacts, 'version'>
  /** The vault's folder of which the notes are prompts; empty for none. */
  promptsFolder?(): string
  /** What is offered beside our own. */
  readonly extension?: ServerExtension
  /** Called when the opening request of a client has been answered. */
  onOpened?(): void
}
