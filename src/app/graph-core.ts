import type { Indexing } from '../core/indexing.ts'
import type { Store } from '../core/store.ts'

/** One open vault. It speaks plain serialisable data and knows neither MCP nor HTTP. */
export interface GraphCore {
  /** The vault's name where one process serves several; part of its ids. */
  readonly name?: string
  /** The vault's root as the user gave it, for messages. */
  readonly root: string
  readonly store: Store
  readonly indexing: Indexing
  close(): Promise<void>
}

export type WarningCode = 'INDEX_BUILDING' | 'STALE' | 'AMBIGUOUS_LINKS' | 'MALFORMED' | 'FALLBACK' | 'UNKNOWN_ID'

/** Something that a caller should know about an answer that is no error. */
export interface Warning {
  readonly code: WarningCode
  readonly message: string
}

export interface Answer<T> {
  readonly value: T
  readonly warnings: readonly Warning[]
}
