import type { LoadedSettings } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { once } from '../core/waiting.ts'
import type { DownloadProgress } from '../embed/embedder-settings.ts'
import { ComputeClient } from '../workers/compute-client.ts'
import { FileThreads, fileThread } from '../workers/files/file-threads.ts'
import { IndexerHost } from '../workers/indexer-channel.ts'
import { type EmbeddingOptions, type OpenEmbedding, openEmbedding } from '../workers/open-embedding.ts'
import { startWorker, takeIndexer } from '../workers/spare-worker.ts'

export interface OpenOptions extends Pick<LoadedSettings, 'apiKey' | 'storePassword' | 'aiKey'> {
  /** True for servers, which watch the folder. Commands read it once. */
  readonly watch: boolean
  readonly name?: string
  readonly onError?: (stack: string) => void
  /** Returns the AI settings for each question. By default, they are those at opening. */
  readonly ai?: () => Settings['ai']
  readonly onAiChange?: (listener: () => void) => void
  /** Name of the vault in the database, if it is served without its folder. */
  readonly stored?: string
  readonly shared?: SharedParts | undefined
  readonly onBegin?: () => void
  /** Returns the current permissions. By default, they are those in the settings. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  readonly onDownload?: (progress: DownloadProgress) => void
}

export interface SharedParts {
  readonly indexers: IndexerHost
  readonly compute: ComputeClient
  /** Layouts need their own thread, because whole-vault computations take up to a minute. */
  readonly layouts: ComputeClient
  readonly files: FileThreads
  /** Opens an embedding. Equal settings share one, which closes when its last user has closed it. */
  embedding(settings: Settings['embedder'], options: EmbeddingOptions): OpenEmbedding
  close(): Promise<void>
}

export function shareParts(): SharedParts {
  const compute = new ComputeClient(() => startWorker('compute'))
  const layouts = new ComputeClient(() => startWorker('compute'))
  const files = new FileThreads(() => fileThread(startWorker('reader')))
  const embeddings = new Map<string, { readonly embedding: OpenEmbedding; users: number }>()
  return {
    indexers: new IndexerHost(takeIndexer),
    compute,
    layouts,
    files,
    embedding(settings, options) {
      // Vaults do not share remote embeddings, because they may have different permissions to send data.
      const vault = settings.kind === 'openai' ? options.name : undefined
      const key = JSON.stringify([settings, options.apiKey, options.gate?.(), vault])
      const shared = embeddings.get(key) ?? { embedding: openEmbedding(settings, options), users: 0 }
      embeddings.set(key, shared)
      shared.users++
      const close = once(async () => {
        shared.users--
        if (shared.users > 0) return
        embeddings.delete(key)
        await shared.embedding.close()
      })
      return { ...shared.embedding, close }
    },
    async close() {
      await Promise.all([
        compute.close(),
        layouts.close(),
        files.close(),
        ...[...embeddings.values()].map(({ embedding }) => embedding.close()),
      ])
    },
  }
}
