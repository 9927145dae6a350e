import { anchorOf, headingLinkText } from '../../core/heading-text.ts'
import { foldId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Heading, LinkForm } from '../../core/note.ts'
import { type Page, type Paged, PROBLEM_KINDS, type Problem, type ProblemFilter, type ProblemKind } from '../../core/store.ts'
import type { Graph, GraphRow } from '../../graph/graph.ts'
import { nearNames, nearTexts } from '../../search/near-names.ts'
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
  const add = (count: number, list: () => readonly Draft[]): void => {
    const from = page.offset - total
    total += count
    if (count === 0 || from >= count || items.length >= page.limit) return
    const shown = list().slice(Math.max(0, from), Math.max(0, from) + page.limit - items.length)
    for (const draft of shown) items.push(draft.complete())
  }
  const outside = kinds.includes('outside_link') && filter.id === undefined ? projection.outside : []
  const outsideProblems = outside
    .filter(({ path }) => foldId(path).startsWith(start))
    .map(
      ({ path, target }): Problem => ({
        kind: 'outside_link',
        id: graph.idOf(foldId(path)),
        line: 0,
        text: `A symbolic link that leads out of the vault, to ${target}: left out.`,
      }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const only = filter.id === undefined ? undefined : graph.find(filter.id)
  for (const key of filter.id === undefined ? projection.notesWithProblems() : only === undefined ? [] : [only]) {
    const row = graph.row(key)
    if (row === undefined || row.excluded || !(start === '' || graph.folded(key).startsWith(start))) continue
    while (outsideProblems[0] !== undefined && outsideProblems[0].id < graph.id(key)) {
      const next = outsideProblems.shift() as Problem
      add(1, () => [draftOf(next)])
    }
    const count = filter.kind === undefined ? countAll(graph, row) : countOf(graph, row, filter.kind)
    add(count, () => kinds.flatMap((kind) => problemsOf(projection, row, kind)).sort((a, b) => a.line - b.line))
  }
  for (const problem of outsideProblems) add(1, () => [draftOf(problem)])
  return { items, total }
}

/** A problem whose candidates are looked for when it is shown: a file can have thousands. */
interface Draft {
  readonly line: number
  readonly complete: () => Problem
}

function draftOf(problem: Problem): Draft {
  return { line: problem.line, complete: () => problem }
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

function problemsOf(projection: Projection, row: GraphRow, kind: ProblemKind): readonly Draft[] {
  const { graph } = projection
  const id = graph.id(row.key)
  if (countOf(graph, row, kind) === 0) return []
  switch (kind) {
    case 'broken_link':
      return projection
        .links(row.key)
        .filter((link) => typeof link.to === 'string')
        .map((link) => ({
          line: link.line,
          complete: () => ({ kind, id, line: link.line, text: textOf(link), ...nearest(projection, row.key, String(link.to)) }),
        }))
    case 'broken_heading':
      return projection
        .links(row.key)
        .filter((link) => link.brokenSubpath === true)
        .map((link) => ({
          line: link.line,
          complete: () => ({ kind, id, line: link.line, text: textOf(link), ...nearestParts(projection, link) }),
        }))
    case 'ambiguous_link':
      return projection
        .links(row.key)
        .filter((link) => link.rivals !== undefined)
        .map((link) => draftOf({ kind, id, line: link.line, ...ambiguity(projection, link) }))
    case 'malformed':
      return (projection.info(row.key)?.malformed ?? []).map(({ line, message }) => draftOf({ kind, id, line, text: message }))
    case 'orphan':
      return [draftOf({ kind, id, line: 0, text: 'No other note links here, and it links to none.' })]
    case 'twin': {
      const candidates = graph.twins(row.key).map((key) => graph.id(key))
      return [draftOf({ kind, id, line: 0, text: 'The names differ only in case or Unicode form.', candidates })]
    }
    case 'conflict_copy':
      return [draftOf({ kind, id, line: 0, text: 'A copy that a sync tool made of a conflict.' })]
    case 'outside_link':
      return []
  }
}

/** How many names are offered for a link that points to nothing. */
const SUGGESTIONS = 3

/** The notes that a link of `source` may have meant; never itself, which would not write its own name wrong. */
function nearest(projection: Projection, source: number, target: string): Pick<Problem, 'candidates'> {
  const name = target.slice(target.lastIndexOf('/') + 1)
  const { graph } = projection
  const others = { accept: (key: number) => key !== source && graph.isListedNote(key), id: (key: number) => graph.id(key) }
  const keys = nearNames(projection.names(), name, others, SUGGESTIONS)
  return keys.length === 0 ? {} : { candidates: keys.map((key) => graph.id(key)) }
}

/** The headings or blocks of the note it leads to that a link may have meant, as its subpath would write them. */
function nearestParts(projection: Projection, { to, subpath = '', form }: ResolvedLink): Pick<Problem, 'candidates'> {
  const outline = typeof to === 'string' ? undefined : projection.info(to)
  const last = subpath.slice(subpath.lastIndexOf('#') + 1).trim()
  if (outline === undefined) return {}
  const near = last.startsWith('^')
    ? nearTexts(outline.blocks, last.slice(1), SUGGESTIONS).map((block) => `^${block}`)
    : nearHeadings(outline.headings, last, form)
  return near.length === 0 ? {} : { candidates: near.map((part) => `${projection.graph.id(Number(to))}#${part}`) }
}

function nearHeadings(headings: readonly Heading[], written: string, form: LinkForm): readonly string[] {
  const isAnchor = ANCHORED.has(form) && anchorOf(written) === written
  const texts = headings.map(({ text }) => (isAnchor ? anchorOf(text) : headingLinkText(text)))
  return nearTexts([...new Set(texts)], written, SUGGESTIONS)
}

/** Links that may name a heading by its anchor on the web. */
const ANCHORED: ReadonlySet<LinkForm> = new Set(['markdown', 'reference', 'html'])

function ambiguity({ graph }: Projection, link: ResolvedLink): Pick<Problem, 'text' | 'candidates'> {
  const chosen = graph.id(link.to as number)
  const rule = link.byAlias === undefined ? 'the shortest path' : 'the shortest path among notes with that alias'
  return {
    text: `${textOf(link)} → ${chosen}, by ${rule}`,
    candidates: [chosen, ...(link.rivals ?? []).map((key) => graph.id(key))],
  }
}

function textOf(link: ResolvedLink): string {
  const target = link.subpath === undefined ? link.target : `${link.target}#${link.subpath}`
  return link.form === 'wikilink' || link.form === 'page' ? `[[${target}]]` : target
}
