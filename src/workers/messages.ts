import type { Settings } from '../config/settings.ts'
import type { CentralMetric, Scores } from '../core/analytics.ts'
import type { IndexStatus } from '../core/indexing.ts'

/** What the indexing worker works on. */
export interface IndexerData {
  /** The vault's folder, absolute. */
  readonly root: string
  readonly settings: Pick<Settings, 'vault' | 'links'>
  /** Path of the index on disk. */
  readonly file: string
  /** Name of the index in memory, unique in the process. */
  readonly memory: string
  readonly watch: boolean
}

export type ToIndexer =
  | { readonly type: 'open'; readonly data: IndexerData }
  | { readonly type: 'begin' }
  | { readonly type: 'reconcile'; readonly id: number; readonly paths?: readonly string[] }
  /** `replaced`: how many times the index had been replaced as far as the reader knows. */
  | { readonly type: 'damaged'; readonly replaced: number }
  | { readonly type: 'close' }

export type FromIndexer =
  | { readonly type: 'status'; readonly status: IndexStatus }
  | { readonly type: 'committed'; readonly generation: number }
  | { readonly type: 'replaced'; readonly cache: IndexStatus['cache'] }
  | { readonly type: 'reconciled'; readonly id: number; readonly error?: string }
  | { readonly type: 'error'; readonly stack: string }
  | { readonly type: 'closed' }

export interface ComputeRequest {
  readonly id: number
  readonly metric: CentralMetric
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

export type ComputeReply = { readonly id: number } & ({ readonly result: Scores } | { readonly error: string })
