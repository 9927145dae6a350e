import { foldName } from '../../../core/fold.ts'
import type { FindOptions, Found, FoundNote } from '../../../core/search.ts'
import type { Page } from '../../../core/store.ts'
import { evaluate, type QueryWord } from '../../../search/query/evaluate.ts'
import type { KeySet } from '../../../search/query/key-set.ts'
import type { Condition, Query } from '../../../search/query/query.ts'
import { type QueryTerm, queryTerms } from '../../../search/words/query.ts'
import { type VaultFacts, VaultSource } from './vault-source.ts'

/** Reads what the query will ask for. */
export async function settleFor(query: Query, order: FindOptions['orderBy'], facts: VaultFacts): Promise<void> {
  const kinds = kindsOf(query)
  const asksTimes = kinds.has('time') || order === 'created' || order === 'modified' || !kinds.has('text')
  if (asksTimes || kinds.has('property') || kinds.has('type') || kinds.has('has')) await facts.facets.settle()
  if (kinds.has('relation')) await facts.relations.settle()
}

/** The notes among `candidates` that a query asks for, in the order wanted. Facts must be settled. */
export function findNotes(query: Query, candidates: KeySet, facts: VaultFacts, options: FindOptions, page: Page): Found {
  const { matches, fallback, words } = evaluate(query, new VaultSource(facts, candidates))
  const orderBy = options.orderBy === 'relevance' && words.length === 0 ? 'modified' : options.orderBy
  const scores = words.length === 0 ? new Map<number, number>() : relevance(matches, words, facts)
  const keys = orderBy === 'relevance' ? byRelevance(matches, scores, facts) : bySortKey(matches, { ...options, orderBy }, facts)
  const { graph } = facts.projection
  const items = keys.slice(page.offset, page.offset + page.limit).map(
    (key): FoundNote => ({
      id: graph.id(key),
      title: graph.title(key),
      score: words.length === 0 ? 1 : (scores.get(key) ?? 0),
    }),
  )
  return { items, total: keys.length, fallback, words }
}

/** Scores from 0 to 1; a note whose title or alias is what the words say has 1. */
function relevance(matches: KeySet, words: readonly QueryWord[], facts: VaultFacts): Map<number, number> {
  const text = words.map((word) => word.text).join(' ')
  const ranking = facts.words.rank(words.flatMap(termsOf), { limit: matches.size, accept: (key) => matches.has(key) })
  const scores = new Map<number, number>()
  for (const { key, score } of ranking.hits) scores.set(key, ranking.maxScore === 0 ? 0 : score / ranking.maxScore)
  for (const key of namedLike(text, facts)) if (matches.has(key)) scores.set(key, 1)
  return scores
}

function termsOf({ form, text }: QueryWord): readonly QueryTerm[] {
  return form === 'prefix' ? queryTerms(text).map((term) => ({ ...term, match: 'prefix' as const, parts: [] })) : queryTerms(text)
}

function namedLike(text: string, { projection }: VaultFacts): readonly number[] {
  const { graph } = projection
  const hits = projection.names().equal(text, { accept: (key) => graph.isListedNote(key), id: (key) => graph.id(key) })
  return hits.map(({ key }) => key)
}

function byRelevance(matches: KeySet, scores: ReadonlyMap<number, number>, { projection: { graph } }: VaultFacts): number[] {
  const id = (key: number): string => graph.id(key)
  return [...matches].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || compare(id(a), id(b)))
}

function bySortKey(matches: KeySet, { orderBy, order }: FindOptions, { projection: { graph }, facets }: VaultFacts): number[] {
  const sign = (order ?? (orderBy === 'title' ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  const rows = [...matches].map((key) => ({
    key,
    id: graph.id(key),
    // What says no time comes last, in either order.
    value:
      orderBy === 'title'
        ? foldName(graph.title(key))
        : timeOr(facets.time(key, orderBy === 'created' ? 'created' : 'modified'), sign),
  }))
  rows.sort((a, b) => sign * compare(a.value, b.value) || compare(a.id, b.id))
  return rows.map(({ key }) => key)
}

function timeOr(time: number, sign: number): number {
  return Number.isNaN(time) ? sign * Number.POSITIVE_INFINITY : time
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function kindsOf(query: Query | Condition): ReadonlySet<string> {
  const kinds = new Set<string>()
  const collect = (part: Query | Condition): void => {
    kinds.add(part.kind)
    if (part.kind === 'and' || part.kind === 'or') for (const inner of part.parts) collect(inner)
    else if (part.kind === 'not') collect(part.part)
  }
  collect(query)
  return kinds
}
