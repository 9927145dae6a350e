import type { NodeId } from '../../core/ids.ts'

export const QUERY_KINDS = ['title', 'title with a typo', 'alias', 'heading', 'link sentence', 'first sentence'] as const
export type QueryKind = (typeof QUERY_KINDS)[number]

/** A query with a known answer, because it was made from that note. */
export interface KnownItem {
  readonly kind: QueryKind
  readonly query: string
  readonly wanted: NodeId
  /** The note that the query was taken from word for word, where that is another: it does not count as an answer. */
  readonly source?: NodeId
}
