import type { Settings } from '../config/settings.ts'
import type { KeySource } from '../core/chat.ts'
import type { DownloadProgress } from '../embed/embedder-settings.ts'
import { ComputeClient } from '../workers/compute-client.ts'
import { FileThreads, fileThread } from '../workers/files/file-threads.ts'
import { IndexerHost } from '../workers/indexer-channel.ts'
import { type EmbeddingOptions, type OpenEmbedding, openEmbedding } from '../workers/open-embedding.ts'
import { startWorker, takeIndexer } from '../workers/spare-worker.ts'

export interface OpenOptions {
  /** Servers watch the folder. Commands read it once. */
  readonly watch: boolean
  readonly name?: string
  readonly onError?: (stack: string) => void
  /** API key for the embedding server. Never part of the settings. */
  readonly apiKey?: string
  readonly aiKey?: KeySource
  /** Read for every question. Defaults to the settings at opening. */
  readonly ai?: () => Settings['ai']
  readonly onAiChange?: (listener: () => void) => void
  /** Password for the Neo4j database. Never part of the settings. */
  readonly storePassword?: string
  /** Name of the vault in the database, if it is served without its folder. */
  readonly stored?: string
  readonly shared?: SharedParts | undefined
  readonly onBegin?: () => void
  /** Defaults to the settings. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  readonly onDownload?: (progress: DownloadProgress) => void
}

export interface SharedParts {
  readonly indexers: IndexerHost
  readonly compute: ComputeClient
  /** Layouts need their own thread, because whole-vault computations take up to a minute. */
  readonly layouts: ComputeClient
  readonly files: FileThreads
  /** Equal settings share one embedding. */
  embedding(settings: Settings['embedder'], options: EmbeddingOptions): OpenEmbedding
  close(): Promise<void>
}

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
      // Do not share remote embeddings between vaults, which may have different permissions to send data.
      const vault = settings.kind === 'openai' ? options.name : undefined
      const key = JSON.stringify([settings, options.apiKey, options.gate?.(), vault])
      const embedding = embeddings.get(key) ?? openEmbedding(settings, options)
      embeddings.set(key, embedding)
      return embedding
    },
    async close() {
      await Promise.all([
        compute.close(),
        layouts.close(),
        files.close(),
        ...[...embeddings.values()].map((embedding) => embedding.close()),
      ])
    },
  }
}
