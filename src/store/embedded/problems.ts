import { foldId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import { folderStart } from '../../core/paths.ts'
import {
  type Page,
  type Paged,
  PROBLEM_KINDS,
  type Problem,
  type ProblemCounts,
  type ProblemFilter,
  type ProblemKind,
} from '../../core/store.ts'
import type { Graph, GraphRow } from '../../graph/graph.ts'
import { writtenAt } from '../note-facts.ts'
import { endOf } from './node.ts'
import { isOrphan, type Projection } from './projection.ts'

/** Returns problems ordered by id and line. Only the files on the page are read, unless the filter names a target. */
export function findProblems(projection: Projection, filter: ProblemFilter, page: Page): Paged<Problem> {
  const kinds: readonly ProblemKind[] = filter.kind === undefined ? PROBLEM_KINDS : [filter.kind]
  const { graph } = projection
  const items: Problem[] = []
  let total = 0
  const add = (count: number, list: () => readonly Problem[]): void => {
    const from = page.offset - total
    total += count
    if (count === 0 || from >= count || items.length >= page.limit) return
    for (const problem of list().slice(Math.max(0, from), Math.max(0, from) + page.limit - items.length)) items.push(problem)
  }
  const outside = kinds.includes('outside_link') ? outsideProblems(projection, filter) : []
  for (const row of rowsOf(projection, filter)) {
    while (outside[0] !== undefined && outside[0].id < graph.id(row.key)) {
      const next = outside.shift() as Problem
      add(1, () => [next])
    }
    const list = () => kinds.flatMap((kind) => problemsOf(projection, row, { ...filter, kind })).sort((a, b) => a.line - b.line)
    if (filter.target === undefined)
      add(filter.kind === undefined ? countAll(graph, row) : countOf(graph, row, filter.kind), list)
    else {
      const problems = list()
      add(problems.length, () => problems)
    }
  }
  for (const problem of outside) add(1, () => [problem])
  return { items, total }
}

export function countProblems(projection: Projection, filter: Omit<ProblemFilter, 'kind'>): ProblemCounts {
  const counts = Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, 0])) as Record<ProblemKind, number>
  counts.outside_link = outsideProblems(projection, filter).length
  for (const row of rowsOf(projection, filter)) {
    for (const kind of PROBLEM_KINDS) {
      counts[kind] +=
        filter.target === undefined
          ? countOf(projection.graph, row, kind)
          : problemsOf(projection, row, { ...filter, kind }).length
    }
  }
  return counts
}

/** Returns symbolic links that point outside the vault, ordered by id. */
function outsideProblems({ graph, outside }: Projection, { id, target, folder }: ProblemFilter): Problem[] {
  if (id !== undefined || target !== undefined) return []
  const start = folder === undefined ? '' : folderStart(folder)
  return outside
    .filter(({ path }) => foldId(path).startsWith(start))
    .map(({ path, target: to }): Problem => ({ kind: 'outside_link', id: graph.idOf(foldId(path)), line: 0, target: to }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Yields files that may match the filter, ordered by id. */
function* rowsOf(projection: Projection, { id, target, folder }: ProblemFilter): IterableIterator<GraphRow> {
  const { graph } = projection
  const start = folder === undefined ? '' : folderStart(folder)
  const only = id === undefined ? undefined : graph.find(id)
  const targetIndex = target === undefined ? undefined : graph.find(target)
  const sources = targetIndex === undefined ? [] : graph.sources(targetIndex)
  const linking = target === undefined ? undefined : new Set(sources)
  for (const key of id === undefined ? projection.notesWithProblems() : only === undefined ? [] : [only]) {
    const row = graph.row(key)
    if (row === undefined || row.excluded || linking?.has(key) === false) continue
    if (start === '' || graph.folded(key).startsWith(start)) yield row
  }
}

/** Counts the problems of a file without listing them, which is fast enough for every file. */
function countAll(graph: Graph, row: GraphRow): number {
  return graph.problemCount(row.key) + countOf(graph, row, 'orphan') + countOf(graph, row, 'twin')
}

function countOf(graph: Graph, row: GraphRow, kind: ProblemKind): number {
  const [broken, ambiguous, malformed, brokenHeadings] = row.problems
  switch (kind) {
    case 'broken_link':
      return broken
    case 'broken_heading':
      return brokenHeadings
    case 'ambiguous_link':
      return ambiguous
    case 'malformed':
      return malformed
    case 'orphan':
      return row.kind === 'note' && isOrphan(graph, row.key) ? 1 : 0
    case 'twin':
      return row.kind === 'note' && graph.hasTwins(row.key) ? 1 : 0
    case 'conflict_copy':
      return row.conflict ? 1 : 0
    case 'outside_link':
      return 0
  }
}

type StoredFilter = ProblemFilter & { readonly kind: ProblemKind }

function problemsOf(projection: Projection, row: GraphRow, { kind, target }: StoredFilter): readonly Problem[] {
  const { graph } = projection
  const id = graph.id(row.key)
  if (countOf(graph, row, kind) === 0 || (target !== undefined && !OF_LINKS.has(kind))) return []
  const end = target === undefined ? undefined : graph.find(target)
  const links = (isTroubled: (link: ResolvedLink) => boolean): readonly ResolvedLink[] =>
    projection.links(row.key).filter((link) => isTroubled(link) && (end === undefined || endOf(projection, link) === end))
  switch (kind) {
    case 'broken_link':
      return links(({ to }) => typeof to === 'string').map((link) => ({ kind, id, ...writtenAt(link), name: String(link.to) }))
    case 'broken_heading':
      return links(({ brokenSubpath }) => brokenSubpath === true).map((link) => ({
        kind,
        id,
        ...writtenAt(link),
        to: graph.id(Number(link.to)),
      }))
    case 'ambiguous_link':
      return links(({ rivals }) => rivals !== undefined).map((link) => ({
        kind,
        id,
        ...writtenAt(link),
        to: graph.id(Number(link.to)),
        byAlias: link.byAlias === true,
        rivals: (link.rivals ?? []).map((key) => graph.id(key)),
      }))
    case 'malformed':
      return (projection.info(row.key)?.malformed ?? []).map(({ line, message }) => ({ kind, id, line, message }))
    case 'twin':
      return [{ kind, id, line: 0, twins: graph.twins(row.key).map((key) => graph.id(key)) }]
    case 'orphan':
    case 'conflict_copy':
      return [{ kind, id, line: 0 }]
    case 'outside_link':
      return []
  }
}

const OF_LINKS: ReadonlySet<ProblemKind> = new Set(['broken_link', 'broken_heading', 'ambiguous_link'])
