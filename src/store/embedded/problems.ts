import { foldId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import {
  type Page,
  type Paged,
  PROBLEM_KINDS,
  type Problem,
  type ProblemFilter,
  type ProblemKind,
  type WrittenLink,
} from '../../core/store.ts'
import type { Graph, GraphRow } from '../../graph/graph.ts'
import { isOrphan } from './notes-with-problems.ts'
import type { Projection } from './projection.ts'
import { folderStart } from './scope.ts'

/**
 * What is wrong in the vault, by id, then line. Only the files of the page asked for are looked into; how many problems the others
 * have is known without.
 */
export function findProblems(projection: Projection, filter: ProblemFilter, page: Page): Paged<Problem> {
  const kinds: readonly ProblemKind[] = filter.kind === undefined ? PROBLEM_KINDS : [filter.kind]
  const start = filter.folder === undefined ? '' : folderStart(filter.folder)
  const { graph } = projection
  const items: Problem[] = []
  let total = 0
  const add = (count: number, list: () => readonly Problem[]): void => {
    const from = page.offset - total
    total += count
    if (count === 0 || from >= count || items.length >= page.limit) return
    for (const problem of list().slice(Math.max(0, from), Math.max(0, from) + page.limit - items.length)) items.push(problem)
  }
  const outside = kinds.includes('outside_link') && filter.id === undefined ? projection.outside : []
  const outsideProblems = outside
    .filter(({ path }) => foldId(path).startsWith(start))
    .map(({ path, target }): Problem => ({ kind: 'outside_link', id: graph.idOf(foldId(path)), line: 0, target }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const only = filter.id === undefined ? undefined : graph.find(filter.id)
  for (const key of filter.id === undefined ? projection.notesWithProblems() : only === undefined ? [] : [only]) {
    const row = graph.row(key)
    if (row === undefined || row.excluded || !(start === '' || graph.folded(key).startsWith(start))) continue
    while (outsideProblems[0] !== undefined && outsideProblems[0].id < graph.id(key)) {
      const next = outsideProblems.shift() as Problem
      add(1, () => [next])
    }
    const count = filter.kind === undefined ? countAll(graph, row) : countOf(graph, row, filter.kind)
    add(count, () => kinds.flatMap((kind) => problemsOf(projection, row, kind)).sort((a, b) => a.line - b.line))
  }
  for (const problem of outsideProblems) add(1, () => [problem])
  return { items, total }
}

/** As many as `countOf` of every kind: ten thousand files are asked, and the graph has the sum at hand. */
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

function problemsOf(projection: Projection, row: GraphRow, kind: ProblemKind): readonly Problem[] {
  const { graph } = projection
  const id = graph.id(row.key)
  if (countOf(graph, row, kind) === 0) return []
  const links = (isMeant: (link: ResolvedLink) => boolean): readonly ResolvedLink[] => projection.links(row.key).filter(isMeant)
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

function writtenAt({ line, form, target, subpath }: ResolvedLink): { readonly line: number; readonly link: WrittenLink } {
  return { line, link: { form, target, ...(subpath === undefined ? {} : { subpath }) } }
}
