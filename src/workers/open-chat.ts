import type { Settings } from '../config/settings.ts'
import type { Chat, ChatProvider, KeySource } from '../core/chat.ts'
import { mayLeave, unusedPatterns } from './may-leave.ts'
import type { OpenGate } from './open-gate.ts'

export interface OpenChat extends Chat {
  close(): void
}

export function openChat(ai: () => Settings['ai'], key: KeySource | undefined): OpenChat {
  let checked = JSON.stringify([[], []])
  let gate: OpenGate | undefined
  let opening: Promise<ChatProvider> | undefined
  async function open(): Promise<ChatProvider> {
    const { openGate } = await import('./open-gate.ts')
    const { openChatProvider } = await import('../outbound/open-chat.ts')
    gate ??= openGate(ai)
    return openChatProvider(ai(), { gate: gate.gate, key })
  }
  return {
    context: ai().context,
    maxTokens: ai().max_tokens,
    async unusedPatterns(paths) {
      const { allow, deny } = ai()
      const patterns = JSON.stringify([allow, deny])
      if (patterns === checked) return []
      checked = patterns
      return unusedPatterns({ allow, deny }, await paths())
    },
    // Ignored files need no check, because their text is never read.
    mayLeave: (paths) => paths.map(mayLeave(ai())),
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
