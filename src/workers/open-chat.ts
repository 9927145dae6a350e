import picomatch from 'picomatch'
import type { Settings } from '../config/settings.ts'
import type { Chat, ChatProvider } from '../core/chat.ts'
import type { KeySource } from '../outbound/keys.ts'
import { openExclusionFilters } from '../vault/exclusion-filters.ts'
import { diskFileSystem } from '../vault/file-system.ts'
import { openIgnoreRules } from '../vault/ignore-rules.ts'
import type { OpenGate } from './open-gate.ts'

export interface OpenChat extends Chat {
  close(): void
}

export interface ChatOptions {
  /** The vault's real root. */
  readonly root: string
  readonly key: KeySource | undefined
}

/** What the settings say of the chat model, opened when first needed; what fails is tried again with the next call. */
export function openChat({ ai, vault }: Pick<Settings, 'ai' | 'vault'>, { root, key }: ChatOptions): OpenChat {
  let gate: OpenGate | undefined
  let opening: Promise<ChatProvider> | undefined
  async function open(): Promise<ChatProvider> {
    const { openGate } = await import('./open-gate.ts')
    const { openChatProvider } = await import('../outbound/open-chat.ts')
    gate ??= openGate(ai)
    return openChatProvider(ai, { gate: gate.gate, key })
  }
  return {
    context: ai.context,
    maxTokens: ai.max_tokens,
    mayLeave: leaving(root, { ai, vault }),
    open() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    close() {
      gate?.close()
      gate = undefined
      opening = undefined
    },
  }
}

/** Which paths may leave the vault, by what its folder and the settings say at the moment of asking. */
function leaving(root: string, { ai, vault }: Pick<Settings, 'ai' | 'vault'>): Chat['mayLeave'] {
  const rules = openIgnoreRules(root, { ignore: vault.ignore, gitignore: vault.gitignore, mode: vault.mode }, diskFileSystem)
  const filters = openExclusionFilters(root, diskFileSystem)
  const isAllowed =
    ai.allow.length === 0 ? () => true : picomatch([...ai.allow], { dot: true, nocase: diskFileSystem.rules.folds })
  // A folder is denied with all in it, in whatever case: what is kept back by mistake harms no one.
  const isDenied = picomatch(
    ai.deny.flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`]),
    { dot: true, nocase: true },
  )
  return (paths) => {
    const excluded = filters.excludes(paths)
    return paths.map((path, at) => !rules.hides(path, false) && excluded[at] !== true && isAllowed(path) && !isDenied(path))
  }
}
