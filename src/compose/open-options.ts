import type { Settings } from '../config/settings.ts'
import type { KeySource } from '../core/chat.ts'
import type { DownloadProgress } from '../embed/embedder-settings.ts'
import { ComputeClient } from '../workers/compute-client.ts'
import { FileThreads, fileThread } from '../workers/files/file-threads.ts'
import { IndexerHost } from '../workers/indexer-channel.ts'
import { type EmbeddingOptions, type OpenEmbedding, openEmbedding } from '../workers/open-embedding.ts'
import { startWorker, takeIndexer } from '../workers/spare-worker.ts'

export interface OpenOptions {
  /** True to watch the folder and stay up to date (for servers), false to read it once (for commands). */
  readonly watch: boolean
  /** Name of the vault, if the process serves several. */
  readonly name?: string
  /** Receives the stack traces of unexpected errors, for the log. */
  readonly onError?: (stack: string) => void
  /** API key for the server at `embedder.base_url`. Never part of the settings. */
  readonly apiKey?: string
  /** Possible sources of the API key for the chat model. */
  readonly aiKey?: KeySource
  /** Returns the current `ai` settings, which are read for every question. Defaults to the settings that the vault was opened with. */
  readonly ai?: () => Settings['ai']
  /** Registers a listener for changes to the `ai` settings. */
  readonly onAiChange?: (listener: () => void) => void
  /** Password for the Neo4j database. Never part of the settings. */
  readonly storePassword?: string
  /** Name of a vault in the database, if it is served without its folder. */
  readonly stored?: string
  /** Resources shared by the vaults of one process. Omitted for a single vault. */
  readonly shared?: SharedParts | undefined
  /** Called on the first real request. */
  readonly onBegin?: () => void
  /** Returns the current permissions for writing and attachments. Defaults to the settings. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  readonly onDownload?: (progress: DownloadProgress) => void
}

/** Threads and models shared by the vaults of one process. */
export interface SharedParts {
  readonly indexers: IndexerHost
  readonly compute: ComputeClient
  /** Computes layouts in a separate thread. Users wait for the map, while whole-vault computations may take a minute. */
  readonly layouts: ComputeClient
  readonly files: FileThreads
  /** Returns a shared embedding for equal settings. */
  embedding(settings: Settings['embedder'], options: EmbeddingOptions): OpenEmbedding
  /** Call this after closing the vaults. */
  close(): Promise<void>
}

/** Creates the resources that several vaults share. Nothing is started before its first use. */
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
      // Share embeddings from a remote server only within a vault, because vaults may have different permissions to send data.
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
