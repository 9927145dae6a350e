import { groupBy } from '../../core/group-by.ts'
import type { NodeId } from '../../core/ids.ts'
import type { LinkForm } from '../../core/note.ts'
import type { NameHit, Node, Problem, ProblemKind, Snapshot, WrittenLink } from '../../core/store.ts'
import { anchorOf, headingLinkText, linkText } from '../../core/text/link-text.ts'
import { DEFAULT_SEARCH, nearHits, nearTexts } from '../../search/similar-names.ts'
import type { Warning, WarningCode } from '../graph-core.ts'

const WARNING_CODES = { ambiguous_link: 'AMBIGUOUS_LINKS', malformed: 'MALFORMED' } as const

const MAX_DESCRIBED = 3

const MAX_NAMED = 5

export interface ReportedProblem {
  /** The kind of the problem. It is `in_comment` for any problem with a link in a comment. */
  readonly kind: ProblemKind | 'in_comment'
  readonly id: NodeId
  /** The 1-based line, or 0 for a problem of the whole file. */
  readonly line: number
  readonly text: string
  /** The link's 1-based position among equal links on the line. It is omitted for the first. */
  readonly nth?: number
  /** Number of equal links to the same target. It is omitted if there is only one. */
  readonly count?: number
  readonly places?: readonly { readonly id: NodeId; readonly line: number }[]
  /**
   * Ids of possible targets, starting with the current one. For `broken_heading`, the ids end with `#heading` or `#^block`. For
   * twins, they are the ids of the other twins.
   */
  readonly candidates?: readonly string[]
}

const MAX_SUGGESTIONS = 3

/** Reports problems with exactly two queries, regardless of their number. */
export async function reportProblems(snapshot: Snapshot, problems: readonly Problem[]): Promise<readonly ReportedProblem[]> {
  const [hits, notes] = await Promise.all([similarNames(snapshot, problems), linkedNotes(snapshot, problems)])
  const counts = new Map<string, number>()
  return problems.map((problem): ReportedProblem => {
    const { id, line } = problem
    const kind = reportedKind(problem)
    const text = problemText(problem)
    const key = JSON.stringify([kind, id, line, text])
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    const candidates = candidatesOf(problem, hits, notes)
    return { kind, id, line, text, ...(nth === 1 ? {} : { nth }), ...(candidates === undefined ? {} : { candidates }) }
  })
}

export function reportedKind(problem: Problem): ReportedProblem['kind'] {
  return 'link' in problem && problem.link.inComment === true ? 'in_comment' : problem.kind
}

export type SameProblems = readonly [Problem, ...Problem[]]

/** Groups equal links to the same target. */
export function mergeSame(problems: readonly Problem[]): readonly SameProblems[] {
  const keyOf = (problem: Problem): unknown =>
    'link' in problem ? `${reportedKind(problem)} ${problem.kind} ${problemText(problem)}\0${targetOf(problem)}` : problem
  return [...groupBy(problems, keyOf).values()].map(([first, ...more]) => [first as Problem, ...more])
}

function targetOf(problem: Extract<Problem, { readonly link: WrittenLink }>): string {
  return problem.kind === 'broken_link' ? problem.name : problem.to
}

const MAX_PLACES = 3

export async function reportGroups(snapshot: Snapshot, groups: readonly SameProblems[]): Promise<readonly ReportedProblem[]> {
  const reported = await reportProblems(
    snapshot,
    groups.map(([first]) => first),
  )
  return reported.map((problem, at) => {
    const group = groups[at] ?? []
    if (group.length < 2) return problem
    const lines = new Map(group.map(({ id, line }) => [`${line} ${id}`, { id, line }]))
    return { ...problem, count: group.length, places: [...lines.values()].slice(0, MAX_PLACES) }
  })
}

function problemText(problem: Problem): string {
  switch (problem.kind) {
    case 'broken_link':
    case 'broken_heading':
      return linkText(problem.link)
    case 'ambiguous_link': {
      const rule = problem.byAlias ? 'the shortest path among notes with that alias' : 'the shortest path'
      return `${linkText(problem.link)} → ${problem.to}, by ${rule}`
    }
    case 'malformed':
      return problem.message
    case 'orphan':
      return 'No other note links here, and this note links to no other note.'
    case 'twin':
      return 'The names differ only in case or Unicode form.'
    case 'conflict_copy':
      return 'A conflict copy made by a sync tool.'
    case 'outside_link':
      return `A symbolic link to ${problem.target}, which is outside the vault. It is ignored.`
  }
}

function candidatesOf(
  problem: Problem,
  hits: ReadonlyMap<string, readonly NameHit[]>,
  notes: ReadonlyMap<NodeId, Node>,
): readonly string[] | undefined {
  switch (problem.kind) {
    case 'ambiguous_link':
      return [problem.to, ...problem.rivals]
    case 'twin':
      return problem.twins
    case 'broken_link': {
      const name = lastName(problem.name)
      // A note rarely misspells its own name, so the note itself is not suggested.
      const others = (hits.get(name) ?? []).filter(({ id }) => id !== problem.id)
      return candidateSample(nearHits(name, others).map(({ id }) => id))
    }
    case 'broken_heading':
      return candidateSample(nearParts(problem.link, notes.get(problem.to)).map((part) => `${problem.to}#${part}`))
    default:
      return undefined
  }
}

function candidateSample(candidates: readonly string[]): readonly string[] | undefined {
  return candidates.length === 0 ? undefined : candidates.slice(0, MAX_SUGGESTIONS)
}

async function similarNames(snapshot: Snapshot, problems: readonly Problem[]): Promise<ReadonlyMap<string, readonly NameHit[]>> {
  const names = problems.flatMap((problem) => (problem.kind === 'broken_link' ? [lastName(problem.name)] : []))
  const distinct = [...new Set(names)]
  // The linking note is dropped later, so one more result is needed.
  const options = { ...DEFAULT_SEARCH, limit: DEFAULT_SEARCH.limit + 1 }
  const similar = distinct.length === 0 ? [] : await snapshot.names(distinct, 'similar', {}, options)
  return new Map(distinct.map((name, at) => [name, similar[at] ?? []]))
}

function lastName(target: string): string {
  return target.slice(target.lastIndexOf('/') + 1)
}

async function linkedNotes(snapshot: Snapshot, problems: readonly Problem[]): Promise<ReadonlyMap<NodeId, Node>> {
  const ids = problems.flatMap((problem) => (problem.kind === 'broken_heading' ? [problem.to] : []))
  const distinct = [...new Set(ids)]
  const nodes = distinct.length === 0 ? [] : await snapshot.nodes(distinct, { links: 0 })
  return new Map(nodes.flatMap((node) => (node === undefined ? [] : [[node.id, node]])))
}

function nearParts({ subpath = '', form }: WrittenLink, note: Node | undefined): readonly string[] {
  const last = subpath.slice(subpath.lastIndexOf('#') + 1).trim()
  if (note === undefined) return []
  if (last.startsWith('^')) return nearTexts(note.blocks, last.slice(1)).map((block) => `^${block}`)
  const isAnchor = FORMS_WITH_ANCHORS.has(form) && anchorOf(last) === last
  const texts = note.headings.map(({ text }) => (isAnchor ? anchorOf(text) : headingLinkText(text)))
  return nearTexts([...new Set(texts)], last)
}

/** Links of these forms may refer to HTML anchors of headings. */
const FORMS_WITH_ANCHORS: ReadonlySet<LinkForm> = new Set(['markdown', 'reference', 'html'])

export async function noteWarnings(snapshot: Snapshot, id: NodeId): Promise<readonly Warning[]> {
  const warnings = await Promise.all([warningOf(snapshot, id, 'ambiguous_link'), warningOf(snapshot, id, 'malformed')])
  return warnings.filter((warning) => warning !== undefined)
}

async function warningOf(snapshot: Snapshot, id: NodeId, kind: keyof typeof WARNING_CODES): Promise<Warning | undefined> {
  const { items, total } = await snapshot.problems({ kind, id }, { offset: 0, limit: MAX_DESCRIBED })
  if (items.length === 0) return undefined
  const more = total > items.length ? `; and ${total - items.length} more` : ''
  const code: WarningCode = WARNING_CODES[kind]
  const description = kind === 'malformed' ? 'Malformed, read as far as possible' : 'Links that match several notes'
  return { code, message: `${description}: ${(await reportProblems(snapshot, items)).map(describe).join('; ')}${more}.` }
}

function describe({ line, text, candidates }: ReportedProblem): string {
  const more = (candidates?.length ?? 0) - MAX_NAMED
  const names = [...(candidates?.slice(0, MAX_NAMED) ?? []), ...(more > 0 ? [`and ${more} more`] : [])]
  const fits = names.length === 0 ? '' : ` (${names.join(', ')})`
  return `line ${line}: ${text.replace(/\.$/, '')}${fits}`
}
