import type { Settings } from '../config/settings.ts'
import type { Chat, ChatProvider } from '../core/chat.ts'
import type { KeySource } from '../outbound/keys.ts'
import { linearGlob } from '../vault/linear-glob.ts'
import type { OpenGate } from './open-gate.ts'

export interface OpenChat extends Chat {
  close(): void
}

/** What the settings say of the chat model, opened when first needed; what fails is tried again with the next call. */
export function openChat(ai: Settings['ai'], key: KeySource | undefined): OpenChat {
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
    mayLeave: leaving(ai),
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

/**
 * Which paths the settings let leave the vault. What the vault itself leaves out has no text to be sent: the thread that reads files refuses
 * it, by the rules as they are then.
 */
function leaving({ allow, deny }: Settings['ai']): Chat['mayLeave'] {
  const allowed = allow.map((glob) => linearGlob(glob, false))
  // A folder is denied with all in it, in whatever case: what is kept back by mistake harms no one.
  const denied = deny.flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`]).map((glob) => linearGlob(glob, true))
  return (paths) =>
    paths.map((path) => (allowed.length === 0 || allowed.some((fits) => fits(path))) && !denied.some((fits) => fits(path)))
}
