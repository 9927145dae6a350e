import type { Chat } from '../core/chat.ts'
import type { Embedder } from '../core/embedder.ts'
import type { NodeId } from '../core/ids.ts'
import type { Indexing } from '../core/indexing.ts'
import type { GraphLog } from '../core/insight/graph-changes.ts'
import type { InsightState, Insights } from '../core/insight/insight.ts'
import type { Layouts } from '../core/insight/layouts.ts'
import type { Planning, Writing } from '../core/operations.ts'
import type { Store } from '../core/store.ts'
import type { Texts, VaultFiles } from '../core/texts.ts'
import type { Rankings } from './links/rankings.ts'

/** One open vault. Its values are plain data, independent of MCP and HTTP. */
export interface GraphCore {
  /** Name of the vault, which is part of its ids. Set if a process serves several vaults. */
  readonly name?: string
  /** Root folder of the vault as the user gave it, for messages. */
  readonly root: string
  readonly store: Store
  readonly texts: Texts
  readonly rankings: Rankings
  readonly layouts: Layouts
  readonly insights: Insights
  readonly linkInsights: Insights<'links'>
  readonly insightState: InsightState
  /**
   * Computes the insights of the current generation and stores them for all processes that use the store. Set only in the process
   * that watches the folder.
   */
  readonly updateInsights?: () => Promise<void>
  readonly indexing: Indexing
  /** Checks whether the analyses of the whole vault ignore a file. Omitted if they ignore none. */
  readonly isIgnored?: (path: string) => boolean
  /** Log of graph changes. Omitted if logging is off. */
  readonly graphLog?: GraphLog
  /** Omitted if semantic search is off. */
  readonly embedding?: Embedding
  /** Weight of the semantic score relative to words, 0–1. `auto` uses the weight measured for the model. */
  readonly searchWeight: number | 'auto'
  /** ISO 639-1 codes of the languages of notes and questions. Empty for all languages. */
  readonly languages: readonly string[]
  /** Loads the search indexes while a question waits for the graph. */
  readonly loadSearchEarly?: () => void
  /** Plans operations, even if writing is off. Omitted for a vault without a folder. */
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
  /** Opens the embedder with this id if it needs no setup. */
  openFormer(id: string): Promise<Embedder | undefined>
  /** Checks whether text of a file may be embedded. Omitted if all text may. */
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

/** Something that a caller should know about an answer, although the call succeeded. */
export interface Warning {
  readonly code: WarningCode
  readonly message: string
}

export interface Answer<T> {
  readonly value: T
  readonly warnings: readonly Warning[]
  /** Shown in addition to the value, by clients that can display images. */
  readonly images?: readonly Picture[]
  /** For a list, its length and the position of the shown items. */
  readonly list?: ListFacts
  /** Items that the budget left out. Omitted if there are none. */
  readonly omitted?: Omitted
  /** Paths that the use case has read, by id. The paths of other nodes must be looked up. */
  readonly paths?: ReadonlyMap<NodeId, string>
}

export interface ListFacts {
  /** Number of items before the first one shown. */
  readonly offset: number
  readonly shown: number
  readonly count: number
  /** Which items `count` includes: all, the relevant ones, or only a part, for example because a vault could not answer. */
  readonly counted: 'all' | 'relevant' | 'part'
}

/**
 * Number of items omitted or truncated by member, mostly because of the budget. `results` counts the items of the list itself.
 */
export interface Omitted {
  readonly maxTokens: number
  readonly counts: Readonly<Record<string, number>>
  /** Number of items beyond a fixed limit, by member. A larger budget would not show them. */
  readonly capped?: Readonly<Record<string, number>>
}

export interface Picture {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}
