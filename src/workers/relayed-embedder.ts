import type { Embedder, EmbedKind } from '../core/embedder.ts'
import type { Calls } from '../core/thread-calls.ts'

export type EmbedderService = ReturnType<typeof embedderService>

/** An embedder as other threads call it; `open` is called each time, and may return the one that is open. */
export function embedderService(open: () => Promise<Embedder>) {
  return {
    async open(): Promise<Pick<Embedder, 'id' | 'dimensions' | 'batch'>> {
      const { id, dimensions, batch } = await open()
      return { id, dimensions, batch }
    },
    embed: async ({ texts, kind }: { texts: readonly string[]; kind: EmbedKind }): Promise<readonly Float32Array[]> =>
      (await open()).embed(texts, kind),
  }
}

/** The embedder of another thread. @throws what that thread throws when it opens it */
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
