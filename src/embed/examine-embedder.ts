import type { Embedder } from '../core/embedder.ts'
import { RouxError, reasonOf } from '../core/errors.ts'
import type { EmbedderSettings } from './embedder-settings.ts'
import { type EmbedderDependencies, openEmbedder } from './open-embedder.ts'

/** The result of examining an embedder: that it works, or a problem that prevents it from working. */
export interface EmbedderFinding {
  readonly works: boolean
  readonly message: string
  /** Suggested fix for the problem. */
  readonly hint?: string
}

/** Timeout for a server in milliseconds. A local server may have to load the model first. */
const SERVER_TIMEOUT = 8_000
/** Timeout for loading a model in milliseconds. */
const MODEL_TIMEOUT = 60_000

/**
 * Tries the configured embedder with a short string. Does not download anything, and contacts a server only if one is configured.
 * Every problem is returned as a finding.
 */
export async function examineEmbedder(
  settings: EmbedderSettings,
  dependencies: EmbedderDependencies,
): Promise<readonly EmbedderFinding[]> {
  if (settings.kind === 'none') return [{ works: true, message: 'none: notes are found by words' }]
  const careful = { ...settings, allowDownload: false }
  const obstacles = await findObstacles(careful, dependencies)
  return obstacles.length > 0 ? obstacles.map(toFinding) : [await tryEmbedder(careful, dependencies)]
}

/** Returns all missing parts of the `transformers` embedder, so the user sees them at once. */
async function findObstacles(settings: EmbedderSettings, dependencies: EmbedderDependencies): Promise<readonly unknown[]> {
  if (settings.kind !== 'transformers') return []
  const { obstaclesOf } = await import('./transformers-embedder.ts')
  return obstaclesOf(settings, dependencies)
}

async function tryEmbedder(settings: EmbedderSettings, dependencies: EmbedderDependencies): Promise<EmbedderFinding> {
  const patience = settings.kind === 'openai' ? SERVER_TIMEOUT : MODEL_TIMEOUT
  const signal = AbortSignal.timeout(patience)
  let embedder: Embedder | undefined
  try {
    // A short back-off, so the user does not wait for retries.
    embedder = await openEmbedder(settings, { ...dependencies, backoffMs: 1 }, signal)
    await embedder?.embed(['test'], 'query', signal)
    return { works: true, message: embedder?.id ?? 'none' }
  } catch (error) {
    if (!signal.aborted) return toFinding(error)
    const subject = settings.kind === 'openai' ? `The embedding server at ${settings.baseUrl ?? 'this computer'}` : 'The model'
    const message = `${subject} did not answer within ${patience / 1_000} s.`
    return { works: false, message, hint: 'Try again when it is less busy; a smaller model is faster.' }
  } finally {
    await embedder?.close()
  }
}

function toFinding(error: unknown): EmbedderFinding {
  const hint = error instanceof RouxError ? error.hint : undefined
  return { works: false, message: reasonOf(error), ...(hint === undefined ? {} : { hint }) }
}
