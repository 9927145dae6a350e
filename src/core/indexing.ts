import type { Mode } from './note.ts'
import type { SearchProgress } from './search.ts'
import type { Listing } from './vault.ts'

export interface IndexStatus {
  /**
   * `waiting`: no index, not started · `building`: first index in progress · `verifying`: complete index, comparing files or
   * reading changes · `idle`: up to date · `missing`: no vault folder · `restarting`: complete index, restarting after a crash ·
   * `failed`: stopped, see `message`
   */
  readonly phase: 'waiting' | 'building' | 'verifying' | 'idle' | 'missing' | 'restarting' | 'failed'
  /** Number of files read so far, out of `total`, while building or verifying. */
  readonly done: number
  readonly total: number
  /** The value is `memory` if the cache folder is not writable. */
  readonly cache: 'disk' | 'memory'
  readonly file?: string
  readonly mode?: Mode
  readonly watch: 'events' | 'polling' | 'off'
  /** Omitted until files have been compared. */
  readonly search?: SearchProgress
  /** The reason, if changes are not being logged. */
  readonly log?: string
  /**
   * Set if another process maintains the index. `age` is the number of seconds since the last change. `silent` is the number of
   * seconds without a heartbeat, if that is more than a minute.
   */
  readonly feed?: { readonly age: number; readonly silent?: number }
  /** Folders and files that cannot be listed. Their notes are missing from the index. */
  readonly unlisted?: Listing['unreadable']
  /** A message for people, such as why indexing failed or why events are polled. */
  readonly message?: string
  readonly hint?: string
}

/** The phases in which the index is complete or will not become complete. */
export const SETTLED: ReadonlySet<IndexStatus['phase']> = new Set(['idle', 'missing', 'failed'])

export type SearchReadiness = 'words' | 'meaning'

/** The names of both database files: `index` holds notes and links, `search` holds words and vectors. */
export type IndexName = 'index' | 'search'

/** The service that reads files and commits the results. No other code writes to the store. */
export interface Indexing {
  status(): IndexStatus
  /** Starts indexing. The first request calls it, and nothing is written to disk before. Further calls have no effect. */
  begin(): void
  /**
   * Waits until the index is complete and has been compared with the files.
   * @param timeout milliseconds
   * @returns false on timeout; true even if the vault is missing or indexing failed (see `status`)
   */
  ready(timeout: number, signal?: AbortSignal): Promise<boolean>
  /**
   * Waits until all notes can be found by words, or by meaning.
   * @param timeout milliseconds
   * @returns false on timeout; true even if that is impossible (see `status().search.message`)
   */
  awaitFindable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean>
  /** True if the watcher has reported changes that are not in the store yet. */
  isBehind(): boolean
  /** Waits for all changes that the watcher has reported. @param timeout milliseconds @returns false on timeout */
  awaitCaughtUp(timeout: number, signal?: AbortSignal): Promise<boolean>
  /**
   * Waits for every change made before this call. If the watcher may have missed changes, all files are compared.
   * @throws RouxError if the files cannot be compared
   */
  awaitUpToDate(): Promise<void>
  /** Compares files with the index and commits the result. @param paths vault-relative; the whole vault if omitted */
  reconcile(paths?: readonly string[]): Promise<void>
  onStatus(listener: (status: IndexStatus) => void): () => void
  close(): Promise<void>
}
