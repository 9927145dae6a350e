import { foldName } from '../../../core/fold.ts'
import type { FindOptions, Found, FoundNote } from '../../../core/search.ts'
import type { Page } from '../../../core/store.ts'
import { evaluate, positiveWords, type QueryWord } from '../../../search/query/evaluate.ts'
import type { KeySet } from '../../../search/query/key-set.ts'
import type { Condition, Query } from '../../../search/query/query.ts'
import { type QueryTerm, queryTerms } from '../../../search/words/query.ts'
import { type VaultFacts, VaultSource } from './vault-source.ts'

/** Reads what the query will ask for. */
export async function settleFor(query: Query, order: FindOptions['orderBy'], facts: VaultFacts): Promise<void> {
  const kinds = kindsOf(query)
  const isOrderedByTime = order === 'created' || order === 'modified' || positiveWords(query).length === 0
  const asksTimes = kinds.has('time') || isOrderedByTime
  if (asksTimes || kinds.has('property') || kinds.has('type') || kinds.has('has')) await facts.facets.settle()
  if (kinds.has('relation')) await facts.relations.settle()
}

/** The notes among `candidates` that a query asks for, in the order wanted. Facts must be settled. */
export function findNotes(query: Query, candidates: KeySet, facts: VaultFacts, options: FindOptions, page: Page): Found {
  const { matches, fallback, words } = evaluate(query, new VaultSource(facts, candidates))
  const orderBy = options.orderBy === 'relevance' && words.length === 0 ? 'modified' : options.orderBy
  const end = page.offset + page.limit
  const scores =
    words.length === 0
      ? new Map<number, number>()
      : relevance(matches, words, { facts, limit: orderBy === 'relevance' ? end : matches.size })
  const keys =
    orderBy === 'relevance'
      ? byRelevance(matches, scores, { facts, limit: end })
      : bySortKey(matches, { ...options, orderBy }, facts)
  const { graph } = facts.projection
  const items = keys.slice(page.offset, end).map(
    (key): FoundNote => ({
      id: graph.id(key),
      title: graph.title(key),
      score: words.length === 0 ? 1 : (scores.get(key) ?? 0),
    }),
  )
  return { items, total: matches.size, fallback, words }
}

interface Wanted {
  readonly facts: VaultFacts
  /** How many of the best are needed. */
  readonly limit: number
}

/** Scores from 0 to 1 of the best matches; a note whose title or alias is what the words say has 1. */
function relevance(matches: KeySet, words: readonly QueryWord[], { facts, limit }: Wanted): Map<number, number> {
  const ranking = facts.words.rank(words.flatMap(termsOf), { limit, accept: (key) => matches.has(key) })
  const scores = new Map<number, number>()
  for (const { key, score } of ranking.hits) scores.set(key, ranking.maxScore === 0 ? 0 : score / ranking.maxScore)
  for (const key of namedLike(words.map((word) => word.text).join(' '), facts)) if (matches.has(key)) scores.set(key, 1)
  return scores
}

function termsOf({ form, text }: QueryWord): readonly QueryTerm[] {
  return form === 'prefix' ? queryTerms(text).map((term) => ({ ...term, match: 'prefix' as const, parts: [] })) : queryTerms(text)
}

/** Notes with this title or alias, else those with it but for accents and the like, and the note with this id. */
function namedLike(text: string, { projection }: VaultFacts): readonly number[] {
  const { graph } = projection
  const files = { accept: (key: number) => graph.isListedNote(key), id: (key: number) => graph.id(key) }
  const equal = projection.names().equal(text, files)
  const named = equal.length > 0 ? equal : projection.names().equalPlain(text, files)
  const node = graph.findNamed(text)
  return [...named.map(({ key }) => key), ...(node === undefined ? [] : [node])]
}

/** Those that have a score, best first, then by id the others: a word may be nothing that is ranked. */
function byRelevance(matches: KeySet, scores: ReadonlyMap<number, number>, { facts, limit }: Wanted): number[] {
  const { graph } = facts.projection
  const ranked = [...scores.keys()].sort(
    (a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || compare<string>(graph.id(a), graph.id(b)),
  )
  if (ranked.length >= limit || ranked.length === matches.size) return ranked
  for (const key of graph.order()) {
    if (ranked.length >= limit) break
    if (matches.has(key) && !scores.has(key)) ranked.push(key)
  }
  return ranked
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
