import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { DownloadProgress } from '../embed/embedder-settings.ts'
import { ComputeClient } from '../workers/compute-client.ts'
import { FileThreads, fileThread } from '../workers/files/file-threads.ts'
import { IndexerHost } from '../workers/indexer-channel.ts'
import { type EmbeddingOptions, type OpenEmbedding, openEmbedding } from '../workers/open-embedding.ts'
import { startWorker, takeIndexer } from '../workers/spare-worker.ts'

export interface OpenOptions {
  /** Watch the folder and stay fresh (a server), or read it once (a command). */
  readonly watch: boolean
  /** The vault's name, where one process serves several. */
  readonly name?: string
  /** Called for unexpected failures, for the log. */
  readonly onError?: (stack: string) => void
  /** The key of the server at `embedder.base_url`; never part of the settings. */
  readonly apiKey?: string
  /** Where the key of the chat model is to be had. */
  readonly aiKey?: AiKey
  /** The current settings of `ai`, read with every question; by default those that the vault is opened with. */
  readonly ai?: () => Settings['ai']
  /** Takes a listener for changes of these settings. */
  readonly onAiChange?: (listener: () => void) => void
  /** The password of the Neo4j database; never part of the settings. */
  readonly storePassword?: string
  /** A vault of that database that is answered for without its folder, by the name that it has there. */
  readonly stored?: string
  /** Parts shared by the vaults of one process; absent for a single vault. */
  readonly shared?: SharedParts | undefined
  /** Called at the first real request. */
  readonly onBegin?: () => void
  /** The current permissions for writing and attachments; the settings decide by default. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  /** Called with the progress of a model's download. */
  readonly onDownload?: (progress: DownloadProgress) => void
}

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
      // What may leave can come to differ between vaults.
      const vault = settings.kind === 'openai' ? options.name : undefined
      const key = JSON.stringify([settings, options.apiKey, options.gate?.(), vault])
      const embedding = embeddings.get(key) ?? openEmbedding(settings, options)
      embeddings.set(key, embedding)
      return embedding
    },
    async close() {
      await Promise.all([compute.close(), layouts.close(), files.close(), ...[...embeddings.values()].map((one) => one.close())])
    },
  }
}
