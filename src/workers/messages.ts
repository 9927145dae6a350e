import type { MessagePort } from 'node:worker_threads'
import type { Settings } from '../config/settings.ts'
import type { CentralMetric } from '../core/analytics.ts'
import type { ChangeFate, ChangeSummary } from '../core/changes.ts'
import type { EmbedKind } from '../core/embedder.ts'
import type { RouxError } from '../core/errors.ts'
import type { VaultPath } from '../core/ids.ts'
import type { IndexStatus, SearchReadiness } from '../core/indexing.ts'
import type { LaidOutGraph } from '../core/insight/layouts.ts'
import type { WriteRequest, WriteResult } from '../core/operations.ts'
import type { Scores } from '../core/store.ts'
import type { NoteText } from '../core/texts.ts'
import type { FileStat } from '../core/vault.ts'
import type { WrittenGraph } from '../core/vector-graphs.ts'
import type { NoteFacts, RunPlan, RunResult, RunSubject, TextOfNote } from '../insight/insight-run.ts'
import type { LaidOut } from '../insight/layout.ts'
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
  | { readonly type: 'reconcile'; readonly id: number; readonly paths?: readonly string[] }
  /** `replaced`: how many times the index had been replaced as far as the reader knows. */
  | { readonly type: 'damaged'; readonly replaced: number }
  | { readonly type: 'searchDamaged' }
  | { readonly type: 'write'; readonly id: number; readonly job: WriteJob }
  | { readonly type: 'findable'; readonly id: number; readonly by: SearchReadiness }
  | EmbedderReply
  /** The settings of `ai` changed. */
  | { readonly type: 'ai'; readonly ai: IndexerData['settings']['ai'] }
  | { readonly type: 'close' }
  /** No vault is open any more: the worker ends. */
  | { readonly type: 'end' }

export type FromIndexer =
  | { readonly type: 'status'; readonly status: IndexStatus }
  | { readonly type: 'committed'; readonly generation: number }
  | { readonly type: 'replaced'; readonly cache: IndexStatus['cache'] }
  | { readonly type: 'searchReplaced'; readonly cache: IndexStatus['cache'] }
  | { readonly type: 'reconciled'; readonly id: number; readonly error?: string }
  | { readonly type: 'found'; readonly id: number }
  /** The index now contains everything the watcher reported. */
  | { readonly type: 'caughtUp' }
  /** Half-written changes of a dead process were undone. */
  | { readonly type: 'recovered' }
  /** The requested write is recorded as this change; no file was touched yet. */
  | { readonly type: 'begun'; readonly id: number; readonly changeId: string }
  | { readonly type: 'written'; readonly id: number; readonly outcome: WriteOutcome }
  | EmbedderRequest
  | { readonly type: 'error'; readonly stack: string }
  | { readonly type: 'closed' }

/** A call of `Writing`. */
export type WriteJob =
  | { readonly kind: 'run'; readonly request: WriteRequest }
  | { readonly kind: 'undo'; readonly changeId: string }
  | { readonly kind: 'changes'; readonly limit: number }
  /** Asks for the outcome of a change that a dead worker had begun. */
  | { readonly kind: 'state'; readonly changeId: string }

/** The outcome. Errors are sent as parts, because classes do not pass between threads. */
export type WriteOutcome =
  | { readonly value: WriteResult | readonly ChangeSummary[] | ChangeFate | undefined }
  | { readonly error: Pick<RouxError, 'code' | 'message' | 'hint' | 'candidates'> }
  | { readonly failure: string }

/** Requests of the indexing worker to the embedder on the main thread. */
export type EmbedderRequest =
  | { readonly type: 'openEmbedder'; readonly id: number }
  | { readonly type: 'embed'; readonly id: number; readonly texts: readonly string[]; readonly kind: EmbedKind }

export type EmbedderReply =
  | {
      readonly type: 'embedderOpened'
      readonly id: number
      readonly embedder: string
      readonly dimensions: number
      readonly batch: number
    }
  | { readonly type: 'embedded'; readonly id: number; readonly vectors: readonly Float32Array[] }
  | {
      readonly type: 'embedderFailed'
      readonly id: number
      readonly message: string
      readonly hint?: string
      readonly isTransient: boolean
    }

export type ComputeRequest = { readonly id: number } & ComputeJob

export type ComputeJob =
  | {
      readonly type: 'layOut'
      readonly graph: Omit<LaidOutGraph, 'ids'>
      readonly before: Float32Array | undefined
      readonly again: boolean
    }
  | {
      readonly type: 'metric'
      readonly metric: CentralMetric
      readonly offsets: Uint32Array
      readonly targets: Uint32Array
    }
  /** A graph of vectors is known by a number. */
  | { readonly type: 'beginGraph'; readonly graph: number; readonly dimensions: number }
  | { readonly type: 'addVectors'; readonly graph: number; readonly labels: Uint32Array; readonly vectors: Float32Array }
  | { readonly type: 'deleteVectors'; readonly graph: number; readonly labels: Uint32Array }
  | { readonly type: 'writeGraph'; readonly graph: number; readonly path: string }
  | { readonly type: 'endGraph'; readonly graph: number }
  /** A run over a vault as a whole is known by a number, too; `file`: what is kept between runs; `guard`: see `ThreadGuard`. */
  | {
      readonly type: 'beginInsight'
      readonly run: number
      readonly file: string
      readonly subject: RunSubject
      readonly guard: Int32Array<SharedArrayBuffer>
    }
  | { readonly type: 'addNotes'; readonly run: number; readonly notes: readonly NoteFacts[] }
  | { readonly type: 'planInsight'; readonly run: number }
  | { readonly type: 'addTexts'; readonly run: number; readonly texts: readonly TextOfNote[] }
  | { readonly type: 'finishInsight'; readonly run: number; readonly former: Uint8Array | undefined }
  | { readonly type: 'endInsight'; readonly run: number }

export type ComputeResult = Scores | WrittenGraph | RunPlan | RunResult | LaidOut | undefined

/** `share`: how much is done, told now and then before the result. */
export type ComputeReply = { readonly id: number } & (
  | { readonly result: ComputeResult }
  | { readonly error: string }
  | { readonly share: number }
)

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
