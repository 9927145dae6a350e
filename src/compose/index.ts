import type { Settings } from '../config/settings.ts'
import type { KeySource } from '../core/chat.ts'
import type { AiDesk } from '../workers/ai-desk.ts'

// Builds a GraphCore and its components from settings, for the command line and the library.
export type { AiDesk, NamedModel } from '../workers/ai-desk.ts'

export { type Diagnosis, diagnose, type IndexDiagnosis } from './diagnose.ts'

export { type FeederLease, openFeederLease, removeFed } from './engine.ts'

export { forgetHistory, type History, indexFile, measureIndexes, readHistory } from './index-files.ts'

export { lockServer } from './lock-server.ts'

export { openCore } from './open-core.ts'

export type { OpenOptions } from './open-options.ts'

export { type SharedParts, shareParts } from './open-options.ts'

/** Opens the consent and usage records of model servers on demand. */
export async function openAiDesk(settings: Settings, key?: KeySource): Promise<AiDesk> {
  const { AiDesk } = await import('../workers/ai-desk.ts')
  return new AiDesk(settings, key)
}
