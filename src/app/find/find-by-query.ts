import type { Condition } from '../../core/query.ts'
import type { FoundPage } from '../../core/search.ts'
import type { FindOrder, Page, Scope, Snapshot } from '../../core/store.ts'
import {
  type CommunityIds,
  foldersIn,
  type LookedUp,
  positiveWords,
  prefixQuery,
  type Query,
  type QuerySet,
  type QueryWord,
  setsIn,
  type TitleIds,
  termsOf,
  titlesIn,
  toCondition,
  withOptionalWords,
} from '../../search/query/query.ts'
import { matchFolders } from '../answer/scope-warnings.ts'
import type { GraphCore, Warning } from '../graph-core.ts'
import { namedExactly, requireNamed } from '../names/known-node.ts'
import { WITH_TEXT } from '../scope.ts'

export interface QueryOptions {
  readonly scope: Scope
  readonly orderBy: FindOrder['by']
  /** The default is `asc` for titles, and `desc` otherwise. */
  readonly order?: 'asc' | 'desc' | undefined
  readonly page: Page
  readonly communities?: CommunityIds | undefined
  readonly isPart?: boolean | undefined
}

export interface FoundByQuery {
  readonly notes: FoundPage
  readonly words: readonly QueryWord[]
  /**
   * Set if no note contains all words. `some` means notes with some of the words, `begun` notes with words that start with them.
   */
  readonly fallback: 'some' | 'begun' | undefined
  readonly emptySets: readonly QuerySet[]
  readonly folderWarnings: readonly Warning[]
}

/**
 * Finds notes for a query. If no note contains all words, the function looks for notes with some of the words, and then for notes
 * with words that start with them.
 * @throws RouxError `NODE_NOT_FOUND` or `AMBIGUOUS_NAME` for a note in the query
 */
export async function findByQuery(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  query: Query,
  { scope, page, ...options }: QueryOptions,
): Promise<FoundByQuery> {
  const words = positiveWords(query)
  const { condition, order, names, ...facts } = await prepareQuery(snapshot, core, query, options)
  const exact = await snapshot.find(condition, { scope, order }, page)
  const others = [
    { fallback: 'some', other: withOptionalWords(query) } as const,
    { fallback: 'begun', other: prefixQuery(query) } as const,
  ]
  for (const { fallback, other } of exact.total > 0 ? [] : others) {
    if (other === undefined) continue
    const near = positiveWords(other)
    const search = { scope, order: await orderOf(snapshot, core, near, options) }
    const fallbackResult = await snapshot.find(toCondition(other, names), search, page)
    if (fallbackResult.total > 0) return { notes: fallbackResult, words: near, fallback, ...facts }
  }
  return { notes: exact, words, fallback: undefined, ...facts }
}

export interface PreparedQuery extends Pick<FoundByQuery, 'emptySets' | 'folderWarnings'> {
  readonly condition: Condition | undefined
  readonly order: FindOrder
  readonly names: LookedUp
}

export async function prepareQuery(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  query: Query,
  { communities = new Map(), isPart = false, ...ordering }: Pick<QueryOptions, 'communities' | 'isPart' | 'orderBy' | 'order'>,
): Promise<PreparedQuery> {
  const [order, titles, folders] = await Promise.all([
    orderOf(snapshot, core, positiveWords(query), ordering),
    titleIds(snapshot, core, query),
    matchFolders(snapshot, foldersIn(query), { isPart }),
  ])
  const names = { titles, communities, folders: folders.paths }
  const emptySets = await findEmptySets(snapshot, query, names)
  return { condition: toCondition(query, names), order, emptySets, folderWarnings: folders.warnings, names }
}

const MAX_CHECKED_SETS = 5

async function findEmptySets(snapshot: Snapshot, query: Query, names: LookedUp): Promise<readonly QuerySet[]> {
  const sets = setsIn(query).slice(0, MAX_CHECKED_SETS)
  const options = { scope: { kinds: WITH_TEXT }, order: UNORDERED } as const
  const totals = await Promise.all(
    sets.map(async ({ part }) => (await snapshot.find(toCondition(part, names), options, NO_ITEMS)).total),
  )
  const empty = sets.filter((_, at) => totals[at] === 0)
  const isInside = (set: QuerySet, { span }: QuerySet): boolean => set.span.start > span.start && set.span.end < span.end
  return empty.filter((set) => !empty.some((other) => isInside(other, set)))
}

const UNORDERED: FindOrder = { by: 'relevance', direction: 'desc', terms: [], first: [] }
const NO_ITEMS: Page = { offset: 0, limit: 0 }

/** A query without words gives no relevance to sort by. */
export function orderWith(orderBy: FindOrder['by'], hasWords: boolean): FindOrder['by'] {
  return orderBy === 'relevance' && !hasWords ? 'modified' : orderBy
}

async function orderOf(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  words: readonly QueryWord[],
  { orderBy, order }: Pick<QueryOptions, 'orderBy' | 'order'>,
): Promise<FindOrder> {
  const by = orderWith(orderBy, words.length > 0)
  const first = await namedExactly(snapshot, core, words.map(({ text }) => text).join(' '), { kinds: WITH_TEXT })
  return { by, direction: order ?? (by === 'title' ? 'asc' : 'desc'), terms: termsOf(words), first: first.all }
}

/** Looks up the ids of titles in the query, including excluded files, because notes may link to them. */
async function titleIds(snapshot: Snapshot, core: Pick<GraphCore, 'name'>, query: Query): Promise<TitleIds> {
  const lookups = titlesIn(query).map(
    async (title) => [title, [(await requireNamed(snapshot, core, title.trim(), { withMissing: true })).id]] as const,
  )
  return new Map(await Promise.all(lookups))
}
