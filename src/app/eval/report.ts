import { type AskedItem, QUERY_KINDS, type QueryKind, type SearchMode } from './known-items.ts'
import { type Estimate, meanOf, ndcg, quantile, shareOf } from './statistics.ts'

export interface VaultReport {
  readonly vault: string
  readonly seed: number
  readonly embedder: string | null
  readonly scores: readonly KnownItemScores[]
  /** The list is empty without an embedder. */
  readonly meaning: readonly MeaningGain[]
  readonly slowest: readonly NotedQuery[]
  /** The queries whose note was not in the top ten. */
  readonly missed: readonly NotedQuery[]
}

export interface KnownItemScores {
  readonly kind: QueryKind | 'all'
  readonly mode: SearchMode
  readonly queries: number
  /** The share of queries whose note ranked first (`hit1`) or in the top five (`hit5`). */
  readonly hit1: Estimate
  readonly hit5: Estimate
  readonly ndcg: Estimate
  /** Times are in milliseconds. */
  readonly median: number
  readonly p99: number
}

export interface MeaningGain {
  readonly kind: QueryKind
  readonly gain: Estimate
}

/**
 * Compares the modes by confidence intervals of the paired differences. There is no total, because kinds have different numbers
 * of queries.
 */
export function meaningGains(modes: readonly EvaluatedMode[]): readonly MeaningGain[] {
  const askedBy = (searchMode: SearchMode) => modes.find(({ mode }) => mode === searchMode)?.results ?? []
  const words = askedBy('keyword')
  const differences = askedBy('hybrid').map(({ item, rank }, at) => {
    return { kind: item.kind, gain: ndcgAt(rank) - ndcgAt(words[at]?.rank ?? 0) }
  })
  return QUERY_KINDS.flatMap((kind) => {
    const gains = differences.filter((each) => each.kind === kind).map(({ gain }) => gain)
    return gains.length === 0 ? [] : [{ kind, gain: meanOf(gains) }]
  })
}

function ndcgAt(rank: number): number {
  return rank === 0 ? 0 : ndcg([...new Array<number>(rank - 1).fill(0), 1], [1])
}

export interface EvaluatedMode {
  readonly mode: SearchMode
  readonly results: readonly AskedItem[]
}

export function scoreKnownItems(modes: readonly EvaluatedMode[]): readonly KnownItemScores[] {
  return [...QUERY_KINDS, 'all' as const].flatMap((kind) =>
    modes.flatMap(({ mode, results }) => {
      const ofKind = kind === 'all' ? results : results.filter(({ item }) => item.kind === kind)
      return ofKind.length === 0 ? [] : [scoresOf(ofKind, kind, mode)]
    }),
  )
}

function scoresOf(results: readonly AskedItem[], kind: KnownItemScores['kind'], mode: SearchMode): KnownItemScores {
  const times = results.map(({ ms }) => ms)
  return {
    kind,
    mode,
    queries: results.length,
    hit1: shareOf(results.map(({ rank }) => rank === 1)),
    hit5: shareOf(results.map(({ rank }) => rank >= 1 && rank <= 5)),
    ndcg: meanOf(results.map(({ rank }) => ndcgAt(rank))),
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }
}

export interface NotedQuery {
  readonly mode: SearchMode
  readonly kind: QueryKind
  readonly query: string
  readonly wanted: string
  readonly ms: number
}

export function slowest(modes: readonly EvaluatedMode[], count: number): readonly NotedQuery[] {
  return toNotedQueries(modes)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
}

export function missed(modes: readonly EvaluatedMode[], count: number): readonly NotedQuery[] {
  const missing = toNotedQueries(modes.map(({ mode, results }) => ({ mode, results: results.filter(({ rank }) => rank === 0) })))
  return QUERY_KINDS.flatMap((kind) => missing.filter((query) => query.kind === kind).slice(0, count))
}

function toNotedQueries(modes: readonly EvaluatedMode[]): NotedQuery[] {
  return modes.flatMap(({ mode, results }) =>
    results.map(({ item: { kind, query, expected }, ms }) => ({ mode, kind, query, wanted: expected, ms })),
  )
}
