import type { Embedder } from '../core/embedder.ts'
import { RouxError, reasonOf } from '../core/errors.ts'
import type { EmbedderSettings } from './embedder-settings.ts'
import type { OpenAiDependencies } from './openai-embedder.ts'
import type { StaticTables } from './static-embedder.ts'
import type { TransformersDependencies } from './transformers-embedder.ts'

export interface EmbedderDependencies extends TransformersDependencies, OpenAiDependencies {
  readonly tables: { readonly english: string; readonly multilingual: string }
}

/** The time in milliseconds after which unused tables are closed. They are quick to reopen. */
const UNUSED_AFTER = 30_000

/** Returns `undefined` for `none`. @throws RouxError `PROVIDER_ERROR` with a hint, or the signal's reason */
export async function openEmbedder(
  settings: EmbedderSettings,
  dependencies: EmbedderDependencies,
  signal?: AbortSignal,
): Promise<Embedder | undefined> {
  switch (settings.kind) {
    case 'static': {
      const { openStaticEmbedder } = await import('./static-embedder.ts')
      return openStaticEmbedder(tablesFor(settings, dependencies), { kept: UNUSED_AFTER, isExpected: true })
    }
    case 'transformers': {
      const { openTransformersEmbedder } = await import('./transformers-embedder.ts')
      return openTransformersEmbedder(settings, dependencies, signal)
    }
    case 'openai': {
      const { openOpenAiEmbedder } = await import('./openai-embedder.ts')
      return openOpenAiEmbedder(settings, dependencies, signal)
    }
    case 'none':
      return undefined
  }
}

export function tablesFor(
  { languages, dimensions }: Pick<EmbedderSettings, 'languages' | 'dimensions'>,
  { tables }: Pick<EmbedderDependencies, 'tables'>,
): StaticTables {
  return { ...(languages === 'english' ? { english: tables.english } : tables), dimensions }
}

export interface EmbedderFinding {
  readonly works: boolean
  readonly message: string
  readonly hint?: string
}

/** The timeout in milliseconds. A local server may have to load the model first. */
const SERVER_TIMEOUT_MS = 8_000
const MODEL_TIMEOUT_MS = 60_000

/** Checks an embedder with a short string. Nothing is downloaded, and every problem is returned as a finding. */
export async function examineEmbedder(
  settings: EmbedderSettings,
  dependencies: EmbedderDependencies,
): Promise<readonly EmbedderFinding[]> {
  if (settings.kind === 'none') return [{ works: true, message: 'none: notes are found by words' }]
  const careful = { ...settings, allowDownload: false }
  const obstacles = await findObstacles(careful, dependencies)
  return obstacles.length > 0 ? obstacles.map(toFinding) : [await tryEmbedder(careful, dependencies)]
}

async function findObstacles(settings: EmbedderSettings, dependencies: EmbedderDependencies): Promise<readonly unknown[]> {
  if (settings.kind !== 'transformers') return []
  const { obstaclesOf } = await import('./transformers-embedder.ts')
  return obstaclesOf(settings, dependencies)
}

async function tryEmbedder(settings: EmbedderSettings, dependencies: EmbedderDependencies): Promise<EmbedderFinding> {
  const patience = settings.kind === 'openai' ? SERVER_TIMEOUT_MS : MODEL_TIMEOUT_MS
  const signal = AbortSignal.timeout(patience)
  let embedder: Embedder | undefined
  try {
    // Retry quickly, because the user is waiting.
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
