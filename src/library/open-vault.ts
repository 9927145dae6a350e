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
  /** True if notes and attachments may be changed. Defaults to the settings, which forbid it by default. */
  readonly write?: boolean
  /** True to pick up file changes while the vault is open. Defaults to true. */
  readonly watch?: boolean
  /** Settings in `--set` format, such as `['vault.mode=docs']`. They take precedence over settings files. */
  readonly set?: readonly string[]
  /** Called with the stack trace of an unexpected failure. */
  readonly onError?: (stack: string) => void
}

/** An open vault with methods for all tools. */
export interface OpenVault extends VaultMethods {
  /**
   * Waits until all notes can be found by words and by meaning. Without this call, early answers contain warnings about notes
   * that are not indexed yet.
   * @throws RouxError `VAULT_NOT_FOUND` if the folder is missing, `PROVIDER_ERROR` if it cannot be indexed
   */
  ready(options?: CallOptions): Promise<void>
  /**
   * Copies the vault to a graph of the package `graphology`, for its algorithms, layouts and file formats. Later changes to notes
   * do not affect the copy.
   * @throws RouxError `PROVIDER_ERROR` if `graphology` is not installed
   */
  toGraphology(options?: GraphOptions & CallOptions): Promise<Answer<VaultGraph>>
  /** A chat model and semantic search for programs. Every request passes the same permission checks as `ask`. */
  readonly ai: VaultAi
  /** Returns the indexing status. */
  status(): IndexStatus
  /** Stops the vault's threads. Later calls fail. */
  close(): Promise<void>
}

/** Functions for plugins that build their own answers from notes. */
export interface VaultAi {
  /**
   * Returns parts of notes that answer a question or resemble a note, best first.
   * @throws RouxError for the same reasons as the tools
   */
  search(args: SearchChunksArguments, options?: CallOptions): Promise<Answer<readonly FoundChunk[]>>
  /**
   * Sends messages to the configured chat model, which callers cannot override. The answer is returned as written by the model.
   * @throws RouxError `AI_DISABLED`, `REMOTE_NOT_ALLOWED`, `BUDGET_EXCEEDED`, `PROVIDER_ERROR`, `TIMEOUT`, `INVALID_PARAMS`
   */
  chat(messages: readonly PluginMessage[], options?: ChatOptions & CallOptions): Promise<ChatReply>
  /**
   * Returns the model server usage of all programs for the given number of days (default 7), by day, server, model and feature.
   * Today comes first.
   * @throws RouxError `INVALID_PARAMS`
   */
  usage(days?: number): Promise<readonly UsageRow[]>
}

/**
 * Opens a folder of notes with the settings that `roux` would use there. Files are only changed by methods that change notes, and
 * only if `write` allows it. The index is stored in the user's cache folder and shared with `roux`.
 * @throws RouxError `INVALID_SETTINGS` for the first problem in the settings
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
      return prepareCall(tool, args, { vaults, switchedOffBy })({ ...call, whole: true, marked: true })
    }
  const methods = Object.fromEntries(TOOLS.map((tool) => [methodName(tool.name), methodOf(tool)]))
  return {
    // Both the methods and their type are generated from the tools, and a test compares them.
    ...(methods as unknown as VaultMethods),
    async ready({ signal } = {}) {
      core.indexing.begin()
      await core.indexing.ready(NO_TIMEOUT, signal)
      // Fail early if no request can be answered, for example because the vault is missing.
      await answer(core, { signal }, async () => plain(undefined))
      for (const by of ['words', 'meaning'] as const) await core.indexing.findable(by, NO_TIMEOUT, signal)
    },
    toGraphology: (graph = {}) => toGraphology(core, graph),
    ai: {
      search: (args, call = {}) => searchChunks(core, args, { ...call, whole: true }),
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

/** Converts a tool name to a method name, for example `get_node` to `getNode`. */
function methodName(tool: string): string {
  return tool.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
