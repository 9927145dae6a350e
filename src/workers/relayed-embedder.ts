import type { Embedder, EmbedKind } from '../core/embedder.ts'
import type { Calls } from '../core/thread-calls.ts'

export type EmbedderService = ReturnType<typeof embedderService>

/** Returns an embedder's methods for another thread. `open` is called for each request and may return the same embedder. */
export function embedderService(open: () => Promise<Embedder>) {
  return {
    async open(): Promise<Pick<Embedder, 'id' | 'dimensions' | 'languages' | 'acrossFrom' | 'batch'>> {
      const { id, dimensions, languages, acrossFrom, batch } = await open()
      return { id, dimensions, languages, acrossFrom, batch }
    },
    embed: async ({ texts, kind }: { texts: readonly string[]; kind: EmbedKind }): Promise<readonly Float32Array[]> =>
      (await open()).embed(texts, kind),
  }
}

/** Opens an embedder in another thread. @throws errors from opening it there */
export async function openRelayedEmbedder(calls: Calls<EmbedderService>): Promise<Embedder> {
  return {
    ...(await calls.call('open', undefined)),
    async embed(texts, kind, signal) {
      signal?.throwIfAborted()
      const vectors = await calls.call('embed', { texts, kind })
      signal?.throwIfAborted()
      return vectors
    },
    close: async () => {},
  }
}
