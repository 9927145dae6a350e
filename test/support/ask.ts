import { type FoundByQuery, findByQuery, type QueryOptions } from '../../src/app/find/find-by-query.ts'
import { lookUp, ownNames } from '../../src/app/names/known-node.ts'
import { type ReportedProblem, reportProblems } from '../../src/app/read/problems.ts'
import type { NodeId } from '../../src/core/ids.ts'
import type { NameHit, NameMatch, NameOptions, Page, Paged, ProblemFilter, Scope, Snapshot, Store } from '../../src/core/store.ts'
import { parseQuery } from '../../src/search/query/parse-query.ts'
import { queryTerms } from '../../src/search/words/query-terms.ts'

type Asked = {
  readonly [K in keyof Snapshot as Snapshot[K] extends (...given: never[]) => Promise<unknown> ? K : never]: Snapshot[K]
}

/** A store that answers single questions, each from a new snapshot; lists of one are unwrapped. */
export interface Asking extends Omit<Asked, 'names' | 'problems' | 'words' | 'nearest' | 'nearestNames' | 'vectors' | 'find'> {
  state(): Promise<Pick<Snapshot, 'generation' | 'files' | 'complete'>>
  /** Arguments as a caller writes them. */
  lookUp(ids: readonly string[]): Promise<readonly (NodeId | undefined)[]>
  named(name: string, scope: Scope, match?: NameMatch, options?: NameOptions): Promise<readonly NameHit[]>
  /** By words. */
  problems(filter: ProblemFilter, page: Page): Promise<Paged<ReportedProblem>>
  words(text: string, scope: Scope, limit: number): ReturnType<Snapshot['words']>
  nearest(
    embedder: string,
    vector: Float32Array,
    scope: Scope,
    limit: number,
  ): Promise<Awaited<ReturnType<Snapshot['nearest']>>[number]>
  nearestNames(
    embedder: string,
    vector: Float32Array,
    scope: Scope,
    options: NameOptions,
  ): Promise<Awaited<ReturnType<Snapshot['nearestNames']>>[number]>
  vectors(embedder: string, id: NodeId): Promise<Awaited<ReturnType<Snapshot['vectors']>>[number]>
  /** A query as written. */
  find(query: string, now: Date, options: QueryOptions): Promise<FoundByQuery>
}

export function ask(store: Store, vault?: string): Asking {
  const core = vault === undefined ? {} : { name: vault }
  const own: Partial<Asking> = {
    state: () => store.read(async ({ generation, files, complete }) => ({ generation, files, complete })),
    lookUp: (ids) => store.read((snapshot) => lookUp(snapshot, core, ids)),
    named: (name, scope, match = 'equal', options) =>
      store.read(async (snapshot) => {
        const [hits = []] = await snapshot.names([name], match, scope, options)
        return match === 'similar' ? hits : ownNames(hits)
      }),
    problems: (filter, page) =>
      store.read(async (snapshot) => {
        const { items, total } = await snapshot.problems(filter, page)
        return { items: await reportProblems(snapshot, items), total }
      }),
    words: (text, scope, limit) => store.read((snapshot) => snapshot.words(queryTerms(text), scope, limit)),
    nearest: (embedder, vector, scope, limit) =>
      store.read(async (snapshot) => (await snapshot.nearest(embedder, [vector], scope, limit))[0] ?? []),
    nearestNames: (embedder, vector, scope, options) =>
      store.read(async (snapshot) => (await snapshot.nearestNames(embedder, [vector], scope, options))[0] ?? []),
    vectors: (embedder, id) => store.read(async (snapshot) => (await snapshot.vectors(embedder, [id]))[0]),
    find: (query, now, options) => store.read((snapshot) => findByQuery(snapshot, core, parseQuery(query, now), options)),
  }
  return new Proxy(own as Asking, {
    get: (_, name: keyof Asking) =>
      own[name] ??
      ((...given: unknown[]) =>
        store.read((snapshot) =>
          (snapshot[name as keyof Asked] as (...args: unknown[]) => Promise<unknown>).apply(snapshot, given),
        )),
  })
}
