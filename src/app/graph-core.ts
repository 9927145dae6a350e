import type { Chat } from '../core/chat.ts'
import type { Embedder } from '../core/embedder.ts'
import type { Indexing } from '../core/indexing.ts'
import type { GraphLog } from '../core/insight/graph-changes.ts'
import type { Insights } from '../core/insight/insight.ts'
import type { InsightState } from '../core/insight/insight-state.ts'
import type { Layouts } from '../core/insight/layouts.ts'
import type { Planning, Writing } from '../core/operations.ts'
import type { Store } from '../core/store.ts'
import type { Texts, VaultFiles } from '../core/texts.ts'
import type { Rankings } from './links/rankings.ts'

/** One open vault. It speaks plain serialisable data and knows neither MCP nor HTTP. */
export interface GraphCore {
  /** The vault's name where one process serves several; part of its ids. */
  readonly name?: string
  /** The vault's root as the user gave it, for messages. */
  readonly root: string
  readonly store: Store
  readonly texts: Texts
  readonly rankings: Rankings
  readonly layouts: Layouts
  readonly insights: Insights
  readonly linkInsights: Insights<'links'>
  readonly insightState: InsightState
  /** Has both of this generation there for all who share the store; for the one who follows the folder. */
  readonly updateInsights?: () => Promise<void>
  readonly indexing: Indexing
  /** Whether the tools for the vault as a whole leave out a file of this path; absent where they leave out none. */
  readonly isIgnored?: (path: string) => boolean
  /** What changed in the graph; absent where none of it is kept. */
  readonly graphLog?: GraphLog
  /** Absent where notes are not found by meaning. */
  readonly embedding?: Embedding
  /** How much meaning counts against words, 0–1; `auto`: what was measured for the model. */
  readonly searchWeight: number | 'auto'
  /** A question begins that rests on the search indexes: what it will read can be read while it waits for the graph. */
  readonly loadSearchEarly?: () => void
  /** What operations would do can be told even where nothing may be written; absent where no one can tell. */
  readonly planning?: Planning | undefined
  /** Absent while nothing may be written. */
  readonly writing?: Writing | undefined
  /** The bytes of pictures that a person looks at. */
  readonly pictures: VaultFiles
  /** Absent while attachments are not offered. */
  readonly files?: VaultFiles | undefined
  /** Absent while no chat model may be asked. */
  readonly chat?: Chat | undefined
  close(): Promise<void>
}

/** What questions are embedded with. */
export interface Embedding {
  /** The embedder that is configured; opened with the first call. @throws RouxError `PROVIDER_ERROR` */
  open(): Promise<Embedder>
  /** One that vectors were made with before, where it can still be opened without further ado. */
  openFormer(id: string): Promise<Embedder | undefined>
  /** Whether texts of a file of this path may be given to it; absent: those of every file. */
  readonly mayEmbed?: ((path: string) => boolean) | undefined
}

export type WarningCode =
  | 'INDEX_BUILDING'
  | 'STALE'
  | 'AMBIGUOUS_LINKS'
  | 'MALFORMED'
  | 'FALLBACK'
  | 'UNKNOWN_ID'
  | 'EMBEDDING'
  | 'UNREAD'
  | 'CONTEXT_CUT'
  | 'ESTIMATED'
  | 'NOTICE'

/** Something that a caller should know about an answer that is no error. */
export interface Warning {
  readonly code: WarningCode
  readonly message: string
}

export interface Answer<T> {
  readonly value: T
  readonly warnings: readonly Warning[]
  /** Shown beside the value, to those who can look at them. */
  readonly images?: readonly Picture[]
  /** Of a list: where it stands in all that there is. */
  readonly list?: ListFacts
  /** What was left out so that the value keeps within its budget; absent when nothing was. */
  readonly omitted?: Omitted
}

/** Where the items of a list stand in all that there is. */
export interface ListFacts {
  /** Items before the first that is shown. */
  readonly offset: number
  readonly shown: number
  /** How many there are, as far as was counted. */
  readonly count: number
  /** What was counted: all that there is, the notes as relevant as was asked for, or less, because a vault could not answer. */
  readonly counted: 'all' | 'relevant' | 'part'
}

/** How many items of which kind a budget left out or cut, by the names of members; `results` are items of the list itself. */
export interface Omitted {
  readonly maxTokens: number
  readonly counts: Readonly<Record<string, number>>
}

export interface Picture {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}
