import { resolve } from 'node:path'
import { answer, plain } from '../app/answer/answer-when-ready.ts'
import { type ChatOptions, type ChatReply, chatWith, type PluginMessage } from '../app/ask/chat.ts'
import type { Answer } from '../app/graph-core.ts'
import { type FoundChunk, type SearchChunksArguments, searchChunks } from '../app/insight/search-chunks.ts'
import { openAiDesk, openCore } from '../compose/index.ts'
import { loadSettings } from '../config/load.ts'
import { switchOff } from '../config/settings.ts'
import type { UsageRow } from '../core/chat.ts'
import { invalid } from '../core/errors.ts'
import type { IndexStatus } from '../core/indexing.ts'
import { NO_TIMEOUT } from '../core/waiting.ts'
import { prepareCall } from '../mcp/calls/prepare-call.ts'
import { toolDisabled } from '../mcp/calls/tool-result.ts'
import type { SwitchedOffBy, Tool } from '../mcp/definition/define-tool.ts'
import { TOOLS } from '../mcp/tools/index.ts'
import type { CallOptions, VaultMethods } from './methods.ts'
import { type GraphOptions, toGraphology, type VaultGraph } from './to-graphology.ts'

export interface OpenVaultOptions {
  /** Allows changes to notes and attachments. By default, the settings decide. Their default is to forbid changes. */
  readonly write?: boolean
  /** If true, file changes are picked up while the vault is open. The default is true. */
  readonly watch?: boolean
  /** Settings such as `vault.mode=docs`. They take precedence over settings files. */
  readonly set?: readonly string[]
  /** A callback for the stack traces of unexpected errors. */
  readonly onError?: (stack: string) => void
}

export interface OpenVault extends VaultMethods {
  /**
   * Waits until search covers all notes. Earlier answers contain warnings about notes that are not indexed yet.
   * @throws RouxError `VAULT_NOT_FOUND`, or `PROVIDER_ERROR` if the vault cannot be indexed
   */
  ready(options?: CallOptions): Promise<void>
  /**
   * Copies the vault to a `graphology` graph. Later changes to notes do not affect the copy.
   * @throws RouxError `PROVIDER_ERROR` if `graphology` is not installed
   */
  toGraphology(options?: GraphOptions & CallOptions): Promise<Answer<VaultGraph>>
  /** The AI interface, which applies the same permission checks as `ask`. */
  readonly ai: VaultAi
  status(): IndexStatus
  /** Stops the vault's threads. After that, all calls fail. */
  close(): Promise<void>
}

export interface VaultAi {
  /**
   * Returns the parts of notes that best match a question or resemble a note, best first.
   * @throws RouxError for the same reasons as the tools
   */
  search(args: SearchChunksArguments, options?: CallOptions): Promise<Answer<readonly FoundChunk[]>>
  /**
   * Sends messages to the configured chat model and returns its unmodified answer.
   * @throws RouxError `AI_DISABLED`, `REMOTE_NOT_ALLOWED`, `BUDGET_EXCEEDED`, `PROVIDER_ERROR`, `TIMEOUT`, `INVALID_PARAMS`
   */
  chat(messages: readonly PluginMessage[], options?: ChatOptions & CallOptions): Promise<ChatReply>
  /**
   * Returns the usage of all programs by day, server, model and feature, for the last `days` days (default 7), today first.
   * @throws RouxError `INVALID_PARAMS`
   */
  usage(days?: number): Promise<readonly UsageRow[]>
}

/**
 * Opens a folder with the settings and the index that `roux` uses there. Files change only through writing methods, if `write`
 * allows them.
 * @throws RouxError `INVALID_SETTINGS`
 */
export async function openVault(path: string, options: OpenVaultOptions = {}): Promise<OpenVault> {
  const { write, watch = true, set = [], onError } = options
  const loadedSettings = await loadSettings({
    cwd: process.cwd(),
    env: process.env,
    set: [...set, ...(write === undefined ? [] : [`tools.write=${write}`, `tools.attach=${write}`])],
    vault: resolve(path),
    toolNames: async () => TOOLS.map(({ name }) => name),
  })
  const { settings } = loadedSettings
  const core = await openCore(settings, { ...loadedSettings, watch, ...(onError === undefined ? undefined : { onError }) })
  const switchedOffBy: SwitchedOffBy = (tool) => switchOff(tool, settings)?.setting
  const vaults = { names: [], open: async () => core }
  const methodOf =
    (tool: Tool) =>
    async (args: unknown, call: CallOptions = {}) => {
      const off = switchedOffBy(tool)
      if (off !== undefined) throw toolDisabled(tool.name, off)
      return prepareCall(tool, args, { vaults, switchedOffBy })({ ...call, isUntruncated: true, withHighlights: true })
    }
  const methods = Object.fromEntries(TOOLS.map((tool) => [methodName(tool.name), methodOf(tool)]))
  return {
    // The methods and their type are both generated from the tools. A test compares them.
    ...(methods as unknown as VaultMethods),
    async ready({ signal } = {}) {
      core.indexing.begin()
      await core.indexing.ready(NO_TIMEOUT, signal)
      // This call fails early, for example if the vault is missing.
      await answer(core, { signal }, async () => plain(undefined))
      for (const by of ['words', 'meaning'] as const) await core.indexing.awaitFindable(by, NO_TIMEOUT, signal)
    },
    toGraphology: (graph = {}) => toGraphology(core, graph),
    ai: {
      search: (args, call = {}) => searchChunks(core, args, { ...call, isUntruncated: true }),
      chat: (messages, { signal, ...more } = {}) => chatWith(core, { ...more, messages }, { signal }),
      usage: async (days = 7) => {
        if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
          throw invalid(`days: expected a whole number from 1 to ${MAX_DAYS}.`)
        const desk = await openAiDesk(settings)
        try {
          return desk.usage(days)
        } finally {
          desk.close()
        }
      },
    },
    status: () => core.indexing.status(),
    close: () => core.close(),
  }
}

const MAX_DAYS = 3_650

function methodName(tool: string): string {
  return tool.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
