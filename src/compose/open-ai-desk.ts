import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { AiDesk } from '../workers/ai-desk.ts'

/** What a person says and is told of models on servers; opens the file of consent and usage when it is asked for something. */
export async function openAiDesk(settings: Settings, key?: AiKey): Promise<AiDesk> {
  const { AiDesk } = await import('../workers/ai-desk.ts')
  return new AiDesk(settings, key)
}
