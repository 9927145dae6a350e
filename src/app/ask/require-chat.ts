import type { Chat } from '../../core/chat.ts'
import { RouxError } from '../../core/errors.ts'
import type { GraphCore } from '../graph-core.ts'

/** The chat model. @throws RouxError `AI_DISABLED` with the setting that switches it on */
export function requireChat({ chat }: GraphCore): Chat {
  if (chat !== undefined) return chat
  throw new RouxError('AI_DISABLED', 'Asking a chat model is switched off.', {
    hint: 'The setting ai.enabled switches it on; docs/ai.md says how.',
  })
}
