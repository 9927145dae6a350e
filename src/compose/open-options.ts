import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { DownloadProgress } from '../embed/embedder-settings.ts'
import type { SharedParts } from './shared-parts.ts'

export interface OpenOptions {
  /** Watch the folder and stay fresh (a server), or read it once (a command). */
  readonly watch: boolean
  /** The vault's name, where one process serves several. */
  readonly name?: string
  /** Told of unexpected failures, for the log. */
  readonly onError?: (stack: string) => void
  /** What the server at `embedder.base_url` wants; never part of the settings. */
  readonly apiKey?: string
  /** Where the key of the chat model is to be had. */
  readonly aiKey?: AiKey
  /** Whether a chat model may be asked, looked at with every question; without it what the settings say. */
  readonly isAiOn?: () => boolean
  /** What the database of `store.type: neo4j` wants; never part of the settings. */
  readonly storePassword?: string
  /** A vault of that database that is answered for without its folder, by the name that it has there. */
  readonly stored?: string
  /** What the vaults of one process have in common; absent where there is one. */
  readonly shared?: SharedParts
  /** Told of the first real request. */
  readonly onBegin?: () => void
  /** What is switched on, asked whenever someone wants to write or to read an attachment; without it what the settings say. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  /** Told how far the download of a model is. */
  readonly onDownload?: (progress: DownloadProgress) => void
}
