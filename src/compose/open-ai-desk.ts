import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { AiDesk } from '../workers/ai-desk.ts'

/** Opens consent and usage of model servers on demand. */
export async function openAiDesk(settings: Settings, key?: AiKey): Promise<AiDesk> {
  const { AiDesk } = await import('../workers/ai-desk.ts')
  return new AiDesk(settings, key)
}
