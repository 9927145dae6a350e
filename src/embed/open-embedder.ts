import type { Embedder } from '../core/embedder.ts'
import type { EmbedderSettings } from './embedder-settings.ts'
import type { OpenAiDependencies } from './openai-embedder.ts'
import type { TransformersDependencies } from './transformers-embedder.ts'

export interface EmbedderDependencies extends TransformersDependencies, OpenAiDependencies {
  /** Path of the built-in embedding table. */
  readonly tablePath: string
}

/** How long the built-in table is kept after a query, in milliseconds. Reading the table again takes as long as a short call. */
const KEPT = 30_000

/**
 * Opens the configured embedder, or returns `undefined` for `none`. Loads only what the embedder needs.
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
      return openLazyStaticEmbedder(dependencies.tablePath, settings.dimensions, { kept: KEPT, isExpected: true, isSparse: true })
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
