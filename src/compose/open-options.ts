import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { DownloadProgress } from '../embed/embedder-settings.ts'
import type { SharedParts } from './shared-parts.ts'

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
  /** Whether chat models are allowed, checked with every question; the settings decide by default. */
  readonly isAiOn?: () => boolean
  /** The password of the Neo4j database; never part of the settings. */
  readonly storePassword?: string
  /** A vault of that database that is answered for without its folder, by the name that it has there. */
  readonly stored?: string
  /** Parts shared by the vaults of one process; absent for a single vault. */
  readonly shared?: SharedParts
  /** Called at the first real request. */
  readonly onBegin?: () => void
  /** The current permissions for writing and attachments; the settings decide by default. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  /** Called with the progress of a model's download. */
  readonly onDownload?: (progress: DownloadProgress) => void
}
