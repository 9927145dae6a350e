import type { NodeId } from '../../core/ids.ts'
import type { Found } from '../../core/search.ts'
import type { FindOrder, NodeKind, Page, Scope, Snapshot } from '../../core/store.ts'
import {
  begun,
  type CommunityIds,
  positiveWords,
  type Query,
  type QueryWord,
  relaxed,
  type TitleIds,
  termsOf,
  titlesIn,
  toCondition,
} from '../../search/query/query.ts'
import type { GraphCore } from '../graph-core.ts'
import { lookUp, namedExactly, unknownNodeError } from '../names/known-node.ts'
import { WITH_TEXT } from '../scope.ts'

export interface QueryOptions {
  readonly scope: Scope
  /** `relevance` falls back to `modified` if the query has no words. */
  readonly orderBy: FindOrder['by']
  /** Defaults to ascending for titles, and to descending otherwise. */
  readonly order?: 'asc' | 'desc' | undefined
  readonly page: Page
  /** Notes of the communities named in the query. */
  readonly communities?: CommunityIds | undefined
}

export interface FoundByQuery {
  readonly found: Found
  /** Words to highlight. */
  readonly words: readonly QueryWord[]
  /**
   * Set if no note has all the words. `some`: the notes have some of the words. `begun`: the notes have words that begin like those
   * in the query.
   */
  readonly fallback: 'some' | 'begun' | undefined
  /** Titles in the query that belong to several nodes. All of these nodes are used. */
  readonly shared: readonly (readonly [title: string, ids: readonly NodeId[]])[]
}

/**
 * Returns the notes that match a query. If there are none, returns notes with some of the query's words, or with words that begin
 * like them.
 * @throws RouxError `NODE_NOT_FOUND` for the first note in the query that does not exist
 */
export async function findByQuery(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  query: Query,
  { scope, page, communities = new Map(), ...ordering }: QueryOptions,
): Promise<FoundByQuery> {
  const words = positiveWords(query)
  const [order, titles] = await Promise.all([orderOf(snapshot, core, words, ordering), titleIds(snapshot, core, query)])
  const options = { scope, order }
  for (const [title, ids] of titles) if (ids.length === 0) throw await unknownNodeError(snapshot, title)
  const shared = [...titles].flatMap(([title, ids]) => (new Set(ids).size > 1 ? [[title, [...new Set(ids)]] as const] : []))
  const found = await snapshot.find(toCondition(query, { titles, communities }), options, page)
  const others = [{ fallback: 'some', other: relaxed(query) } as const, { fallback: 'begun', other: begun(query) } as const]
  for (const { fallback, other } of found.total > 0 ? [] : others) {
    if (other === undefined) continue
    const near = positiveWords(other)
    const asked = { scope, order: await orderOf(snapshot, core, near, ordering) }
    const some = await snapshot.find(toCondition(other, { titles, communities }), asked, page)
    if (some.total > 0) return { found: some, words: near, fallback, shared }
  }
  return { found, words, fallback: undefined, shared }
}

async function orderOf(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  words: readonly QueryWord[],
  { orderBy, order }: Pick<QueryOptions, 'orderBy' | 'order'>,
): Promise<FindOrder> {
  const by = orderBy === 'relevance' && words.length === 0 ? 'modified' : orderBy
  const first = await namedExactly(snapshot, core, words.map(({ text }) => text).join(' '), { kinds: WITH_TEXT })
  return { by, direction: order ?? (by === 'title' ? 'asc' : 'desc'), terms: termsOf(words), first: first.all }
}

const ALL_KINDS: readonly NodeKind[] = ['note', 'canvas', 'attachment', 'missing']

/** Returns the ids for the titles in a query. Includes excluded files, because notes that link to them may be listed. */
async function titleIds(snapshot: Snapshot, core: Pick<GraphCore, 'name'>, query: Query): Promise<TitleIds> {
  const titles = titlesIn(query)
  if (titles.length === 0) return new Map()
  const trimmed = titles.map((title) => title.trim())
  const [named, byId] = await Promise.all([
    snapshot.names(trimmed, 'equal', { kinds: ALL_KINDS, withExcluded: true }),
    lookUp(snapshot, core, trimmed),
  ])
  return new Map(
    titles.map((title, at): readonly [string, readonly NodeId[]] => {
      const id = byId[at]
      return [title, [...(named[at] ?? []).map((hit) => hit.id), ...(id === undefined ? [] : [id])]]
    }),
  )
}
