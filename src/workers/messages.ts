import type { MessagePort } from 'node:worker_threads'
import type { Settings } from '../config/settings.ts'
import type { VaultPath } from '../core/ids.ts'
import type { IndexName, IndexStatus } from '../core/indexing.ts'
import type { FileBytes, NoteText } from '../core/texts.ts'
import type { Call, Reply } from '../core/thread-calls.ts'
import type { FileStat } from '../core/vault.ts'
import type { EnginePlace } from '../store/open-writers.ts'
import type { VaultOptions } from '../vault/open-vault.ts'

export interface IndexerData {
  readonly root: string
  readonly settings: Pick<Settings, 'vault' | 'links' | 'tags' | 'embedder' | 'write' | 'files' | 'insight' | 'search' | 'ai'>
  /** The folder of the journal and the locks. */
  readonly stateFolder: string
  readonly engine: EnginePlace
  readonly watch: boolean
}

export interface OpenIndexer extends IndexerData {
  readonly freshness: SharedArrayBuffer
  /** True if a worker with a larger heap can replace this one. */
  readonly mayGrow: boolean
}

export type ToIndexer =
  | { readonly type: 'join'; readonly port: MessagePort }
  | { readonly type: 'open'; readonly data: OpenIndexer }
  | { readonly type: 'begin' }
  | { readonly type: 'callStarted' }
  | { readonly type: 'call'; readonly call: Call }
  /** An index is damaged. `replaced` is the number of replacements known to the reader. */
  | { readonly type: 'damaged'; readonly which: IndexName; readonly replaced: number }
  | { readonly type: 'embedder'; readonly reply: Reply }
  | { readonly type: 'ai'; readonly ai: IndexerData['settings']['ai'] }
  | { readonly type: 'close' }
  /** Exit, because no vault is open. */
  | { readonly type: 'end' }

export type FromIndexer =
  | { readonly type: 'status'; readonly status: IndexStatus }
  | { readonly type: 'committed'; readonly generation: number }
  | { readonly type: 'replaced'; readonly which: IndexName; readonly cache: IndexStatus['cache'] }
  | { readonly type: 'reply'; readonly reply: Reply }
  /** The index contains all reported changes. */
  | { readonly type: 'caughtUp' }
  /** Incomplete changes of a crashed process have been rolled back. */
  | { readonly type: 'recovered' }
  | { readonly type: 'embedder'; readonly call: Call }
  | { readonly type: 'error'; readonly stack: string }
  /** A message that the heap is nearly full. It is sent only with `mayGrow`. */
  | { readonly type: 'full' }
  | { readonly type: 'closed' }

export interface ReadVault extends VaultOptions {
  readonly root: string
}

export type ReadJob =
  /** A read of a note. `known` is the stat of the caller's version. */
  | { readonly kind: 'text'; readonly path: VaultPath; readonly known?: FileStat }
  | { readonly kind: 'bytes'; readonly path: VaultPath; readonly offset: number; readonly length: number }

/** The result of a read. It is `same` if the stat is `known`, and `undefined` if the file cannot be read. */
export type ReadResult = { readonly text: NoteText; readonly stat?: FileStat } | FileBytes | 'same' | undefined

export type ToReader =
  | { readonly type: 'vault'; readonly vault: number; readonly at: ReadVault }
  | { readonly type: 'forget'; readonly vault: number }
  | { readonly type: 'read'; readonly id: number; readonly vault: number; readonly job: ReadJob }

export type FromReader = { readonly type: 'up' } | { readonly type: 'read'; readonly id: number; readonly result: ReadResult }
