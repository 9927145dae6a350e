import type { Chat } from '../core/chat.ts'
import type { Embedder } from '../core/embedder.ts'
import type { NodeId } from '../core/ids.ts'
import type { Indexing } from '../core/indexing.ts'
import type { GraphLog } from '../core/insight/graph-changes.ts'
import type { Insights } from '../core/insight/insight.ts'
import type { InsightState } from '../core/insight/insight-state.ts'
import type { Layouts } from '../core/insight/layouts.ts'
import type { Planning, Writing } from '../core/operations.ts'
import type { Store } from '../core/store.ts'
import type { Texts, VaultFiles } from '../core/texts.ts'
import type { Rankings } from './links/rankings.ts'

/** One open vault. Uses plain serializable data and does not depend on MCP or HTTP. */
export interface GraphCore {
  /** Name of the vault if one process serves several vaults. It is part of the vault's ids. */
  readonly name?: string
  /** Root folder of the vault as given by the user, for use in messages. */
  readonly root: string
  readonly store: Store
  readonly texts: Texts
  readonly rankings: Rankings
  readonly layouts: Layouts
  readonly insights: Insights
  readonly linkInsights: Insights<'links'>
  readonly insightState: InsightState
  /**
   * Computes the insights of this generation and stores them for all processes that use the store. Set only in the process that
   * watches the folder.
   */
  readonly updateInsights?: () => Promise<void>
  readonly indexing: Indexing
  /** Checks whether the whole-vault tools ignore the file with this path. Omitted if they do not ignore any files. */
  readonly isIgnored?: (path: string) => boolean
  /** Log of graph changes. Omitted if logging is off. */
  readonly graphLog?: GraphLog
  /** Omitted if semantic search is off. */
  readonly embedding?: Embedding
  /** Weight of the semantic score relative to words, 0–1. `auto` uses the weight measured for the model. */
  readonly searchWeight: number | 'auto'
  /** ISO 639-1 codes of the languages that notes and questions can be in. Empty for all. */
  readonly languages: readonly string[]
  /** Loads the search indexes early, while a question waits for the graph. */
  readonly loadSearchEarly?: () => void
  /** Plans operations, even if writing is off. Omitted if planning is unavailable. */
  readonly planning?: Planning | undefined
  /** Omitted if writing is off. */
  readonly writing?: Writing | undefined
  /** Reads images for display. */
  readonly pictures: VaultFiles
  /** Omitted if attachments are off. */
  readonly files?: VaultFiles | undefined
  /** Omitted if no chat model may be used. */
  readonly chat?: Chat | undefined
  close(): Promise<void>
}

export interface Embedding {
  /** Returns the configured embedder. The first call opens it. @throws RouxError `PROVIDER_ERROR` */
  open(): Promise<Embedder>
  /** Opens the previous embedder, if that is possible without further setup. */
  openFormer(id: string): Promise<Embedder | undefined>
  /** Checks whether text from a file may be embedded. If omitted, all text may be embedded. */
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

/** Something that a caller should know about an answer but that is not an error. */
export interface Warning {
  readonly code: WarningCode
  readonly message: string
}

export interface Answer<T> {
  readonly value: T
  readonly warnings: readonly Warning[]
  /** Shown with the value to clients that can display images. */
  readonly images?: readonly Picture[]
  /** For lists, the position of the shown items within the total. */
  readonly list?: ListFacts
  /** Items omitted because of the budget. Absent if there are none. */
  readonly omitted?: Omitted
  /** Paths that the use case has already read, by node id. The caller looks up the paths of other nodes. */
  readonly paths?: ReadonlyMap<NodeId, string>
}

export interface ListFacts {
  /** Number of items before the first one shown. */
  readonly offset: number
  readonly shown: number
  readonly count: number
  /** The items included in `count`: all, only the relevant ones, or only a part, for example because a vault could not answer. */
  readonly counted: 'all' | 'relevant' | 'part'
}

/** Number of items omitted or truncated, mostly because of the budget, by member. `results` counts the items of the list itself. */
export interface Omitted {
  readonly maxTokens: number
  readonly counts: Readonly<Record<string, number>>
  /** Number of items beyond a fixed maximum, by member. They are not shown even with a larger budget. */
  readonly capped?: Readonly<Record<string, number>>
}

export interface Picture {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}
