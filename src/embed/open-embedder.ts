import type { Embedder } from '../core/embedder.ts'
import type { EmbedderSettings } from './embedder-settings.ts'
import type { OpenAiDependencies } from './openai-embedder.ts'
import type { StaticTables } from './static-embedder.ts'
import type { TransformersDependencies } from './transformers-embedder.ts'

export interface EmbedderDependencies extends TransformersDependencies, OpenAiDependencies {
  readonly tables: { readonly english: string; readonly multilingual: string }
}

/** How long the built-in tables stay open after a query, in milliseconds. Reading them again takes as long as a short call. */
const UNUSED_AFTER = 30_000

/**
 * Opens the configured embedder, or returns `undefined` for `none`. Loads only the code that this embedder needs.
 * @throws RouxError `PROVIDER_ERROR` with a hint if it cannot be used; the signal's reason if aborted
 */
export async function openEmbedder(
  settings: EmbedderSettings,
  dependencies: EmbedderDependencies,
  signal?: AbortSignal,
): Promise<Embedder | undefined> {
  switch (settings.kind) {
    case 'static': {
      const { openLazyStaticEmbedder } = await import('./static-embedder.ts')
      return openLazyStaticEmbedder(tablesFor(settings, dependencies), { kept: UNUSED_AFTER, isExpected: true })
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

/** Returns the tables and the number of columns that the built-in embedder uses. */
export function tablesFor(
  { languages, dimensions }: Pick<EmbedderSettings, 'languages' | 'dimensions'>,
  { tables }: Pick<EmbedderDependencies, 'tables'>,
): StaticTables {
  return { ...(languages === 'english' ? { english: tables.english } : tables), dimensions }
}
