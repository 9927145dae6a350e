import type { MessagePort } from 'node:worker_threads'
import type { Settings } from '../config/settings.ts'
import type { VaultPath } from '../core/ids.ts'
import type { IndexName, IndexStatus } from '../core/indexing.ts'
import type { NoteText } from '../core/texts.ts'
import type { Call, Reply } from '../core/thread-calls.ts'
import type { FileStat } from '../core/vault.ts'
import type { EnginePlace } from '../store/open-writers.ts'

export interface IndexerData {
  /** Absolute path of the vault. */
  readonly root: string
  readonly settings: Pick<Settings, 'vault' | 'links' | 'tags' | 'embedder' | 'write' | 'files' | 'insight' | 'search' | 'ai'>
  /** The folder that holds the record of changes and the locks. */
  readonly stateFolder: string
  readonly engine: EnginePlace
  readonly watch: boolean
}

/** Data for one worker: the configuration, and what belongs to this worker only. */
export interface OpenIndexer extends IndexerData {
  /** The memory behind a `Freshness`. */
  readonly freshness: SharedArrayBuffer
  /** True if a worker that runs short of memory can be replaced by one with a larger heap. */
  readonly mayGrow: boolean
}

export type ToIndexer =
  /** Adds another vault to the worker. */
  | { readonly type: 'join'; readonly port: MessagePort }
  | { readonly type: 'open'; readonly data: OpenIndexer }
  | { readonly type: 'begin' }
  /** A call arrived while notes are being embedded. */
  | { readonly type: 'asked' }
  | { readonly type: 'call'; readonly call: Call }
  /** `replaced` is the number of replaced indexes that the reader has seen. */
  | { readonly type: 'damaged'; readonly which: IndexName; readonly replaced: number }
  /** Reply from the main thread's embedder. */
  | { readonly type: 'embedder'; readonly reply: Reply }
  /** The `ai` settings have changed. */
  | { readonly type: 'ai'; readonly ai: IndexerData['settings']['ai'] }
  | { readonly type: 'close' }
  /** No vault is open anymore, so the worker should exit. */
  | { readonly type: 'end' }

export type FromIndexer =
  | { readonly type: 'status'; readonly status: IndexStatus }
  | { readonly type: 'committed'; readonly generation: number }
  | { readonly type: 'replaced'; readonly which: IndexName; readonly cache: IndexStatus['cache'] }
  | { readonly type: 'reply'; readonly reply: Reply }
  /** The index now contains everything that the watcher has reported. */
  | { readonly type: 'caughtUp' }
  /** A crashed process's incomplete changes have been rolled back. */
  | { readonly type: 'recovered' }
  | { readonly type: 'embedder'; readonly call: Call }
  | { readonly type: 'error'; readonly stack: string }
  /** The worker's heap is nearly full, and the worker waits to be replaced. Sent only if `mayGrow` is set. */
  | { readonly type: 'full' }
  | { readonly type: 'closed' }

export type ReadVault = Pick<Settings['vault'], 'ignore' | 'gitignore' | 'mode'> & {
  readonly root: string
  readonly linkRoots: readonly string[]
}

export type ReadJob =
  /** A note's text. `known` is the stat of the version that the caller already has. */
  | { readonly kind: 'text'; readonly path: VaultPath; readonly known?: FileStat }
  | { readonly kind: 'bytes'; readonly path: VaultPath; readonly offset: number; readonly length: number }

/** `same` if the file still has the stat `known`; `undefined` if it is gone or cannot be read. */
export type ReadResult =
  | { readonly text: NoteText; readonly stat?: FileStat }
  | { readonly bytes: Uint8Array; readonly size: number }
  | 'same'
  | undefined

export type ToReader =
  | { readonly type: 'vault'; readonly vault: number; readonly at: ReadVault }
  | { readonly type: 'read'; readonly id: number; readonly vault: number; readonly job: ReadJob }

export type FromReader = { readonly type: 'up' } | { readonly type: 'read'; readonly id: number; readonly result: ReadResult }
