import type { Mode } from './note.ts'
import type { SearchProgress } from './search.ts'
import type { Listing } from './vault.ts'

/** Status of indexing, for people and for tool results. */
export interface IndexStatus {
  /**
   * `waiting`: there is no complete index and indexing has not started · `building`: the first index is being built · `verifying`:
   * a complete index is served while files are compared or changes are read · `idle`: the index matches the files · `missing`: the
   * vault's folder does not exist · `restarting`: indexing stopped unexpectedly and is being restarted while a complete index is
   * served · `failed`: indexing stopped, see `message`
   */
  readonly phase: 'waiting' | 'building' | 'verifying' | 'idle' | 'missing' | 'restarting' | 'failed'
  /** Number of files read so far, out of `total`, while building or verifying. */
  readonly done: number
  readonly total: number
  /** Where the index is stored. `memory` if the cache folder is not writable. */
  readonly cache: 'disk' | 'memory'
  /** Path of the index file. Omitted if the index is in memory. */
  readonly file?: string
  /** The mode in which the vault is read, once known. */
  readonly mode?: Mode
  /** How changes are detected. */
  readonly watch: 'events' | 'polling' | 'off'
  /** Progress of the search index. Omitted until files have been compared. */
  readonly search?: SearchProgress
  /** Why changes are currently not logged. Omitted while changes are logged. */
  readonly log?: string
  /**
   * Set if another process maintains the index. `age`: seconds since the last change. `silent`: seconds since that process was last
   * heard from, if more than a minute.
   */
  readonly feed?: { readonly age: number; readonly silent?: number }
  /** Folders and files that cannot be listed. Their notes are missing from the index. */
  readonly unlisted?: Listing['unreadable']
  /** A message for people, such as why indexing failed, why the index is in memory or why events are polled. */
  readonly message?: string
  /** How to fix the problem, if known. */
  readonly hint?: string
}

/** Phases in which the index is complete or will not become complete. */
export const SETTLED: ReadonlySet<IndexStatus['phase']> = new Set(['idle', 'missing', 'failed'])

export type SearchReadiness = 'words' | 'meaning'

/** `index` is the file with the notes and links. `search` is a separate file with the words and vectors used to find them. */
export type IndexName = 'index' | 'search'

/** Indexing as seen by `app/`. It reads files and commits the results. Nothing else writes to the store. */
export interface Indexing {
  status(): IndexStatus
  /** Called on the first real request. Until then, files are read but nothing is written to disk. Idempotent. */
  begin(): void
  /**
   * Waits until the store has a complete state that has been compared with the files since start-up.
   * @param timeout milliseconds
   * @returns false if the timeout passed first; true even if the vault is missing or indexing failed (see `status`)
   */
  ready(timeout: number, signal?: AbortSignal): Promise<boolean>
  /**
   * Waits until every stored note can be found by its words, or by semantic similarity.
   * @param timeout milliseconds
   * @returns false if the timeout passed first; true even if that state is unreachable (see `status().search.message`)
   */
  findable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean>
  /** Checks whether the watcher has reported changes that are not in the store yet. */
  isBehind(): boolean
  /**
   * Waits until all changes reported by the watcher are in the store. Returns immediately if there are none.
   * @param timeout milliseconds
   * @returns false if the timeout passed first
   */
  caughtUp(timeout: number, signal?: AbortSignal): Promise<boolean>
  /**
   * Waits until every change made before this call is in the store. Compares all files if the watcher may have missed changes.
   * @throws RouxError if the files cannot be compared
   */
  current(): Promise<void>
  /**
   * Compares files or folders with the index and resolves once the result is committed.
   * @param paths vault-relative; the whole vault if omitted
   */
  reconcile(paths?: readonly string[]): Promise<void>
  /** Calls the listener on every status change. Returns a function that removes the listener. */
  onStatus(listener: (status: IndexStatus) => void): () => void
  close(): Promise<void>
}
