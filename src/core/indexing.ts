import type { Mode } from './note.ts'
import type { SearchProgress } from './search.ts'

/** The state of indexing, for people and answers. */
export interface IndexStatus {
  /**
   * `waiting`: nothing complete and nothing begun · `building`: no complete state yet · `verifying`: a complete state
   * is served while files are compared or changes are read · `idle`: the state matches the files · `missing`: the
   * vault's folder does not exist · `restarting`: indexing ended unexpectedly and is being restarted; a complete state
   * is served · `failed`: indexing stopped, see `message`
   */
  readonly phase: 'waiting' | 'building' | 'verifying' | 'idle' | 'missing' | 'restarting' | 'failed'
  /** Files read so far of `total`, while building or verifying. */
  readonly done: number
  readonly total: number
  /** Where the index is kept: `memory` when the cache folder cannot be written. */
  readonly cache: 'disk' | 'memory'
  /** Path of the index file; absent in memory. */
  readonly file?: string
  /** The mode the vault is read in, once known. */
  readonly mode?: Mode
  /** How changes are noticed. */
  readonly watch: 'events' | 'polling' | 'off'
  /** The progress of search; absent until the files were compared. */
  readonly search?: SearchProgress
  /** Why what changes is not logged just now; absent where it is. */
  readonly log?: string
  /**
   * Where another process feeds the index: how old the last change is, and, when the process that follows the folder was not heard of for a minute, for how
   * long. Seconds.
   */
  readonly feed?: { readonly age: number; readonly silent?: number }
  /** A message for people: why something failed, why the cache is in memory, why events are polled. */
  readonly message?: string
  /** How to fix it, if known. */
  readonly hint?: string
}

export type SearchReadiness = 'words' | 'meaning'

/** Notes and links are in one file, the words and vectors that find them in another. */
export type IndexName = 'index' | 'search'

/** The indexing side for `app/`. It reads files and commits their facts; nobody else writes the store. */
export interface Indexing {
  status(): IndexStatus
  /**
   * The first real request: from now on the index may be committed to disk. Before it, files are read but nothing is written.
   * Idempotent.
   */
  begin(): void
  /**
   * Waits until the store holds a complete state that was compared with the files since start-up.
   * @returns false when `timeout` (ms) passed first; true also when the vault is missing or indexing failed (see `status`).
   */
  ready(timeout: number, signal?: AbortSignal): Promise<boolean>
  /**
   * Waits until every note that the store holds can be found by its words, or by its meaning.
   * @returns false when `timeout` (ms) passed first; true also when that cannot be reached (see `status().search.message`).
   */
  findable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean>
  /** True if the watcher reported changes that are not in the store yet. */
  isBehind(): boolean
  /**
   * Waits until what the watcher told of files is in the store; at once where there is nothing of that kind.
   * @returns false when `timeout` (ms) passed first.
   */
  caughtUp(timeout: number, signal?: AbortSignal): Promise<boolean>
  /** Compares these vault-relative paths (files or folders; all when absent) with the files and resolves when the result is committed. */
  reconcile(paths?: readonly string[]): Promise<void>
  /** Tells of every change of status. Returns how to stop listening. */
  onStatus(listener: (status: IndexStatus) => void): () => void
  close(): Promise<void>
}
