import type { Settings } from '../config/settings.ts'
import { ComputeClient } from '../workers/compute-client.ts'
import { FileThreads, fileThread } from '../workers/files/file-threads.ts'
import { IndexerHost } from '../workers/indexer-channel.ts'
import { type EmbeddingOptions, type OpenEmbedding, openEmbedding } from '../workers/open-embedding.ts'
import { startWorker, takeIndexer } from '../workers/spare-worker.ts'

/** Threads and models that several vaults of one process share. */
export interface SharedParts {
  readonly indexers: IndexerHost
  readonly compute: ComputeClient
  /** Lays notes out: a thread of its own, because a person waits for the map, and the vault as a whole may be computed for a minute. */
  readonly layouts: ComputeClient
  readonly files: FileThreads
  /** The same for the same settings. */
  embedding(settings: Settings['embedder'], options: EmbeddingOptions): OpenEmbedding
  /** After the vaults are closed. */
  close(): Promise<void>
}

/** Makes what several vaults share; nothing is started before it is used. */
export function shareParts(): SharedParts {
  const compute = new ComputeClient(() => startWorker('compute'))
  const layouts = new ComputeClient(() => startWorker('compute'))
  const files = new FileThreads(() => fileThread(startWorker('reader')))
  const embeddings = new Map<string, OpenEmbedding>()
  return {
    indexers: new IndexerHost(takeIndexer),
    compute,
    layouts,
    files,
    embedding(settings, options) {
      const key = JSON.stringify([settings, options.apiKey, options.gate])
      const embedding = embeddings.get(key) ?? openEmbedding(settings, options)
      embeddings.set(key, embedding)
      return embedding
    },
    async close() {
      await Promise.all([compute.close(), layouts.close(), files.close(), ...[...embeddings.values()].map((one) => one.close())])
    },
  }
}
