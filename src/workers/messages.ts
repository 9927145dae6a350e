import type { MessagePort } from 'node:worker_threads'
import type { Settings } from '../config/settings.ts'
import type { VaultPath } from '../core/ids.ts'
import type { IndexName, IndexStatus } from '../core/indexing.ts'
import type { NoteText } from '../core/texts.ts'
import type { Call, Reply } from '../core/thread-calls.ts'
import type { FileStat } from '../core/vault.ts'
import type { EnginePlace } from '../store/open-writers.ts'

/** The configuration of an indexing worker. */
export interface IndexerData {
  /** The vault's folder, absolute. */
  readonly root: string
  readonly settings: Pick<Settings, 'vault' | 'links' | 'tags' | 'embedder' | 'write' | 'files' | 'insight' | 'ai'>
  /** Where the record of changes and the locks are kept. */
  readonly stateFolder: string
  readonly engine: EnginePlace
  readonly watch: boolean
}

/** The same, plus the parts made for each started worker. */
export interface OpenIndexer extends IndexerData {
  /** The counters of a `Freshness`. */
  readonly freshness: SharedArrayBuffer
}

export type ToIndexer =
  /** Another vault comes to the same worker. */
  | { readonly type: 'join'; readonly port: MessagePort }
  | { readonly type: 'open'; readonly data: OpenIndexer }
  | { readonly type: 'begin' }
  /** A call came while notes are being embedded. */
  | { readonly type: 'asked' }
  | { readonly type: 'call'; readonly call: Call }
  /** `replaced`: how many times the index had been replaced as far as the reader knows. */
  | { readonly type: 'damaged'; readonly which: IndexName; readonly replaced: number }
  /** The main thread's embedder answers. */
  | { readonly type: 'embedder'; readonly reply: Reply }
  /** The settings of `ai` changed. */
  | { readonly type: 'ai'; readonly ai: IndexerData['settings']['ai'] }
  | { readonly type: 'close' }
  /** No vault is open any more: the worker ends. */
  | { readonly type: 'end' }

export type FromIndexer =
  | { readonly type: 'status'; readonly status: IndexStatus }
  | { readonly type: 'committed'; readonly generation: number }
  | { readonly type: 'replaced'; readonly which: IndexName; readonly cache: IndexStatus['cache'] }
  | { readonly type: 'reply'; readonly reply: Reply }
  /** The index now contains everything the watcher reported. */
  | { readonly type: 'caughtUp' }
  /** Half-written changes of a dead process were undone. */
  | { readonly type: 'recovered' }
  | { readonly type: 'embedder'; readonly call: Call }
  | { readonly type: 'error'; readonly stack: string }
  | { readonly type: 'closed' }

/** The folder that files are read from. */
export type ReadVault = Pick<Settings['vault'], 'ignore' | 'gitignore' | 'mode'> & {
  readonly root: string
  readonly linkRoots: readonly string[]
}

export type ReadJob =
  /** A note; `known` means the receiver has facts for this stat. */
  | { readonly kind: 'text'; readonly path: VaultPath; readonly known?: FileStat }
  | { readonly kind: 'stretch'; readonly path: VaultPath; readonly offset: number; readonly length: number }

/** `undefined` when the file is gone or may not be read. */
export type ReadResult =
  | { readonly text: NoteText; readonly stat?: FileStat }
  | { readonly bytes: Uint8Array; readonly size: number }
  | 'same'
  | undefined

export type ToReader =
  | { readonly type: 'vault'; readonly vault: number; readonly at: ReadVault }
  | { readonly type: 'read'; readonly id: number; readonly vault: number; readonly job: ReadJob }

export type FromReader = { readonly type: 'up' } | { readonly type: 'read'; readonly id: number; readonly result: ReadResult }
