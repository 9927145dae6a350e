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

export interface GraphCore {
  /** The vault's name, which is also the prefix of its ids. It is set only if the process serves several vaults. */
  readonly name?: string
  /** The root folder as the user gave it, for use in messages only. */
  readonly root: string
  readonly store: Store
  readonly texts: Texts
  readonly rankings: Rankings
  readonly layouts: Layouts
  readonly insights: Insights
  readonly linkInsights: Insights<'links'>
  readonly insightState: InsightState
  /** Computes and stores the insights of the current generation. Only the process that watches the folder has this function. */
  readonly updateInsights?: () => Promise<void>
  readonly indexing: Indexing
  readonly isIgnored?: (path: string) => boolean
  /** The change log. It is omitted if logging is off. */
  readonly graphLog?: GraphLog
  readonly embedding?: Embedding
  /** The weight of the semantic score, 0–1. `auto` stands for the weight measured for the model. */
  readonly searchWeight: number | 'auto'
  /** ISO 639-1 codes. An empty list stands for all languages. */
  readonly languages: readonly string[]
  readonly loadSearchEarly?: () => void
  /** Previews changes even if writing is off. A vault without a folder has no such interface. */
  readonly planning?: Planning | undefined
  readonly writing?: Writing | undefined
  readonly pictures: VaultFiles
  readonly files?: VaultFiles | undefined
  readonly chat?: Chat | undefined
  close(): Promise<void>
}

export interface Embedding {
  /** Opens the embedder on the first call. @throws RouxError `PROVIDER_ERROR` */
  open(): Promise<Embedder>
  /** Opens a built-in embedder. For any other id, the result is `undefined`. */
  openFormer(id: string): Promise<Embedder | undefined>
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

export interface Warning {
  readonly code: WarningCode
  readonly message: string
}

export interface Answer<T> {
  readonly value: T
  readonly warnings: readonly Warning[]
  readonly images?: readonly Picture[]
  readonly list?: ListFacts
  readonly omitted?: Omitted
  /** The paths that are already known, by id. The map may be incomplete. */
  readonly paths?: ReadonlyMap<NodeId, string>
}

export interface ListFacts {
  readonly offset: number
  readonly shown: number
  readonly count: number
  /** The value is `part` if some matches are unknown, for example because a vault did not respond. */
  readonly counted: 'all' | 'relevant' | 'part'
}

/** Number of omitted or truncated items, by member. `results` counts the items of the list. */
export interface Omitted {
  readonly maxTokens: number
  readonly counts: Readonly<Record<string, number>>
  readonly capped?: Readonly<Record<string, number>>
}

export interface Picture {
  readonly mimeType: string
  /** The bytes in Base64. */
  readonly data: string
}
