import { resolve } from 'node:path'
import { answer, plain } from '../app/answer/answer-when-ready.ts'
import { type ChatOptions, type ChatReply, chatWith, type PluginMessage } from '../app/ask/chat.ts'
import { type VerifiedQuote, verifyQuote } from '../app/ask/verify-quote.ts'
import type { Answer } from '../app/graph-core.ts'
import { type FoundChunk, type SearchChunksArguments, searchChunks } from '../app/insight/search-chunks.ts'
import { openAiDesk, openCore } from '../compose/index.ts'
import { loadSettings } from '../config/load.ts'
import { switchOff } from '../config/tool-switch.ts'
import { RouxError } from '../core/errors.ts'
import type { IndexStatus } from '../core/indexing.ts'
import type { UsageRow } from '../core/model-usage.ts'
import { prepareCall } from '../mcp/calls/prepare-call.ts'
import { toolDisabled } from '../mcp/calls/tool-result.ts'
import type { SwitchedOffBy, Tool } from '../mcp/definition/define-tool.ts'
import { TOOLS } from '../mcp/tools/index.ts'
import type { CallOptions, VaultMethods } from './methods.ts'

export interface OpenVaultOptions {
  /** Allows changes of notes and attachments. Default: the settings, which forbid them unless changed. */
  readonly write?: boolean
  /** Follows edits of the files while the vault is open. Default: true. */
  readonly watch?: boolean
  /** Settings as `--set` takes them, before those of files: `['vault.mode=docs']`. */
  readonly set?: readonly string[]
  /** Called with the stack of unexpected failures. */
  readonly onError?: (stack: string) => void
}

/** An open vault: every use case, and its index. */
export interface OpenVault extends VaultMethods {
  /**
   * Waits until every note can be found by words and meaning. Without it, answers list in their warnings what is not
   * indexed yet.
   * @throws RouxError `VAULT_NOT_FOUND` when the folder is missing, `PROVIDER_ERROR` when it cannot be indexed
   */
  ready(options?: CallOptions): Promise<void>
  /**
   * Checks whether a note contains a quote, and on which lines: the same words, or all of them with a few more between.
   * @throws RouxError `NODE_NOT_FOUND`
   */
  verifyQuote(args: { readonly id: string; readonly quote: string }, options?: CallOptions): Promise<Answer<VerifiedQuote>>
  /** For programs that build on a chat model and on finding by meaning; every request passes the gate that `ask` passes. */
  readonly ai: VaultAi
  /** The state of indexing. */
  status(): IndexStatus
  /** Ends its threads. Calls after it fail. */
  close(): Promise<void>
}

/** Functions for plugins that answer from notes in their own way. */
export interface VaultAi {
  /** Parts of notes that answer a question, or that are like a note, the best first. @throws RouxError as the tools do */
  search(args: SearchChunksArguments, options?: CallOptions): Promise<Answer<readonly FoundChunk[]>>
  /**
   * Asks the chat model that the settings name; the caller picks none. The answer is as the model wrote it.
   * @throws RouxError `AI_DISABLED`, `REMOTE_NOT_ALLOWED`, `BUDGET_EXCEEDED`, `PROVIDER_ERROR`, `TIMEOUT`, `INVALID_PARAMS`
   */
  chat(messages: readonly PluginMessage[], options?: ChatOptions & CallOptions): Promise<ChatReply>
  /**
   * The requests of all programs to models on servers in these days (default 7), today first, by day, server, model and
   * feature. @throws RouxError `INVALID_PARAMS`
   */
  usage(days?: number): Promise<readonly UsageRow[]>
}

/**
 * Opens a folder of notes with the settings that `roux` would use there. Only a method that changes notes writes into
 * it, and only if `write` allows it; the index is in the user's cache folder, shared with `roux`.
 * @throws RouxError `INVALID_SETTINGS` for the first problem in the settings
 */
export async function openVault(path: string, options: OpenVaultOptions = {}): Promise<OpenVault> {
  const { write, watch = true, set = [], onError } = options
  const loaded = await loadSettings({
    cwd: process.cwd(),
    env: process.env,
    set: [...set, ...(write === undefined ? [] : [`tools.write=${write}`, `tools.attach=${write}`])],
    vault: resolve(path),
    toolNames: async () => TOOLS.map(({ name }) => name),
  })
  const { settings } = loaded
  const core = await openCore(settings, { ...loaded, watch, ...(onError === undefined ? undefined : { onError }) })
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
    // Written from the same tools: a test compares them.
    ...(methods as unknown as VaultMethods),
    async ready({ signal } = {}) {
      core.indexing.begin()
      await core.indexing.ready(PATIENCE, signal)
      // Fail at once if no use case could answer.
      await answer(core, { signal }, async () => plain(undefined))
      for (const by of ['words', 'meaning'] as const) await core.indexing.findable(by, PATIENCE, signal)
    },
    verifyQuote: (args, call = {}) => verifyQuote(core, args, call),
    ai: {
      search: (args, call = {}) => searchChunks(core, args, { ...call, whole: true }),
      chat: (messages, { signal, ...more } = {}) => chatWith(core, { ...more, messages }, { signal }),
      usage: async (days = 7) => {
        if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
          throw new RouxError('INVALID_PARAMS', `days: expected a whole number from 1 to ${MOST_DAYS}.`)
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

/** Ten years. */
const MOST_DAYS = 3_650
/** The longest timer: some 24 days. */
const PATIENCE = 2 ** 31 - 1

/** `get_node` → `getNode`. */
function methodName(tool: string): string {
  return tool.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
