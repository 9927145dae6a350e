import type { Asked, SearchMode } from './ask.ts'
import { QUERY_KINDS, type QueryKind } from './known-items.ts'
import { type Estimate, meanOf, quantile, shareOf } from './statistics.ts'

/** How well a vault's own notes are found. */
export interface VaultReport {
  readonly vault: string
  readonly seed: number
  readonly embedder: string | null
  readonly scores: readonly KnownItemScores[]
  readonly slowest: readonly NotedQuery[]
  /** Queries whose note was not among the first ten. */
  readonly missed: readonly NotedQuery[]
}

/** How queries of one kind were answered in one mode. */
export interface KnownItemScores {
  readonly kind: QueryKind | 'all'
  readonly mode: SearchMode
  readonly queries: number
  /** Shares of queries whose note came first, or among the first five. */
  readonly hit1: Estimate
  readonly hit5: Estimate
  /** Mean of 1 / rank among the first ten. */
  readonly mrr: Estimate
  /** Milliseconds. */
  readonly median: number
  readonly p99: number
}

export interface AskedMode {
  readonly mode: SearchMode
  readonly asked: readonly Asked[]
}

/** The scores of every kind that has queries, then of all, mode by mode within. */
export function scoreKnownItems(modes: readonly AskedMode[]): readonly KnownItemScores[] {
  return [...QUERY_KINDS, 'all' as const].flatMap((kind) =>
    modes.flatMap(({ mode, asked }) => {
      const own = kind === 'all' ? asked : asked.filter(({ item }) => item.kind === kind)
      return own.length === 0 ? [] : [scoresOf(own, kind, mode)]
    }),
  )
}

function scoresOf(asked: readonly Asked[], kind: KnownItemScores['kind'], mode: SearchMode): KnownItemScores {
  const times = asked.map(({ ms }) => ms)
  return {
    kind,
    mode,
    queries: asked.length,
    hit1: shareOf(asked.map(({ rank }) => rank === 1)),
    hit5: shareOf(asked.map(({ rank }) => rank >= 1 && rank <= 5)),
    mrr: meanOf(asked.map(({ rank }) => (rank === 0 ? 0 : 1 / rank))),
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }
}

/** A query worth a look. */
export interface NotedQuery {
  readonly mode: SearchMode
  readonly kind: QueryKind
  readonly query: string
  readonly wanted: string
  readonly ms: number
}

/** The queries that took longest, over all modes. */
export function slowest(modes: readonly AskedMode[], count: number): readonly NotedQuery[] {
  return noted(modes)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
}

/** The first queries of each kind whose note was not among the first ten. */
export function missed(modes: readonly AskedMode[], count: number): readonly NotedQuery[] {
  const lost = noted(modes.map(({ mode, asked }) => ({ mode, asked: asked.filter(({ rank }) => rank === 0) })))
  return QUERY_KINDS.flatMap((kind) => lost.filter((query) => query.kind === kind).slice(0, count))
}

function noted(modes: readonly AskedMode[]): NotedQuery[] {
  return modes.flatMap(({ mode, asked }) =>
    asked.map(({ item: { kind, query, wanted }, ms }) => ({ mode, kind, query, wanted, ms })),
  )
}
