import { foldId, type NodeId } from '../../core/ids.ts'
import {
  ALL,
  type Page,
  PROBLEM_KINDS,
  type Problem,
  type Snapshot,
  type Store,
  type WantedFilter,
  type WantedNote,
} from '../../core/store.ts'
import { answer, type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { mergeSame, type ReportedProblem, reportedKind, reportGroups, type SameProblems } from '../read/problems.ts'
import { trimFolder } from '../scope.ts'
import { type DuplicateNotes, listDuplicates } from './duplicates.ts'

/**
 * The kinds of problems that are reported. A link in a comment has only the kind `in_comment`. `missing_note` and `duplicate` are
 * listed only on request.
 */
export const REPORTED_KINDS = [...PROBLEM_KINDS, 'in_comment', 'missing_note', 'duplicate'] as const
export type ReportedKind = (typeof REPORTED_KINDS)[number]
type StoredKind = Exclude<ReportedKind, 'duplicate'>

export interface ProblemsArguments extends PageArguments {
  readonly kind?: ReportedKind | undefined
  readonly folder?: string | undefined
  /** An id or title of a note, which need not exist. */
  readonly target?: string | undefined
  readonly summary: boolean
}

type ListedArguments = Omit<ProblemsArguments, 'summary'>

export interface MissingNote {
  readonly kind: 'missing_note'
  /** An id that `get_neighbors` accepts. */
  readonly id: NodeId
  readonly line: 0
  readonly text: string
  readonly notes: number
  readonly sources: readonly { readonly id: NodeId; readonly line: number }[]
}

export interface ProblemList {
  readonly problems: readonly (ReportedProblem | MissingNote | DuplicateNotes)[]
  readonly total: number
}

export interface ProblemSummary {
  readonly counts: Readonly<Partial<Record<ReportedKind, number>>>
  /**
   * Number of rows in the list. `missing_note` does not count, because `broken_link` counts the same links. `duplicate` counts only on
   * request.
   */
  readonly total: number
}

export function getProblems(
  core: GraphCore,
  { summary, ...args }: ProblemsArguments,
  call: Call = {},
): Promise<Answer<ProblemList | ProblemSummary>> {
  return summary ? countProblems(core, args, call) : listProblems(core, args, call)
}

export function listProblems(core: GraphCore, args: ListedArguments, call: Call = {}): Promise<Answer<ProblemList>> {
  const { kind } = args
  if (kind === 'duplicate') return listDuplicates(core, args, call)
  return answer(core, call, async (snapshot) => {
    const page = pageFor(args, call)
    const result = await withinScope(snapshot, core, args, (filter) => listOf({ core, snapshot }, kind, { asked: filter, page }))
    const { problems, total } = result.value
    return {
      ...result,
      ...listResult(result.value, { offset: page.offset, shown: problems.length, total }),
      warnings: result.warnings,
    }
  })
}

async function countProblems(core: GraphCore, args: ListedArguments, call: Call): Promise<Answer<ProblemSummary>> {
  const { kind } = args
  if (kind === 'duplicate') {
    const { value, warnings } = await listDuplicates(core, { ...args, limit: 0 }, call)
    return { value: { counts: { duplicate: value.total }, total: value.total }, warnings }
  }
  return await answer(core, call, (snapshot) =>
    withinScope(snapshot, core, args, (filter) => summaryOf({ core, snapshot }, kind, filter)),
  )
}

async function withinScope<T extends { readonly total: number }>(
  snapshot: Snapshot,
  core: GraphCore,
  { folder, target }: Pick<ProblemsArguments, 'folder' | 'target'>,
  run: (asked: ProblemFilter) => Promise<T>,
): Promise<Answer<T>> {
  const folderId = foldId(trimFolder(folder ?? ''))
  const named = target === undefined ? undefined : await findNamed(snapshot, core, [target], { withMissing: true })
  const [id] = named?.ids ?? []
  const value = await run({
    folder: folderId === '' ? undefined : folderId,
    target: id,
    isNothing: named !== undefined && id === undefined,
  })
  const empty = value.total === 0 ? await scopeWarnings(snapshot, { folder }) : []
  return { value, warnings: [...(named?.warnings ?? []), ...empty] }
}

interface ProblemFilter {
  readonly folder: string | undefined
  readonly target: NodeId | undefined
  readonly isNothing: boolean
}

function filterOf({ folder, target }: ProblemFilter) {
  return { ...(folder === undefined ? {} : { folder }), ...(target === undefined ? {} : { target }) }
}

function wantedBy({ folder }: ProblemFilter): WantedFilter {
  return folder === undefined ? {} : { folder }
}

interface Source {
  readonly core: GraphCore
  readonly snapshot: Snapshot
}

async function listOf(
  { core, snapshot }: Source,
  kind: StoredKind | undefined,
  { asked: filter, page }: { readonly asked: ProblemFilter; readonly page: Page },
): Promise<ProblemList> {
  if (filter.isNothing) return { problems: [], total: 0 }
  if (kind === 'missing_note') {
    const { items, total } = await snapshot.wantedNotes(wantedBy(filter), page)
    return { problems: await missingNotes(snapshot, items), total }
  }
  const groups = await groupsOf({ core, snapshot }, kind, filter)
  const shownGroups = groups.slice(page.offset, page.offset + page.limit)
  return { problems: await reportGroups(snapshot, shownGroups), total: groups.length }
}

async function groupsOf(
  source: Source,
  kind: Exclude<StoredKind, 'missing_note'> | undefined,
  filter: ProblemFilter,
): Promise<readonly SameProblems[]> {
  const { items, groups } = await problemsOf(source, filter)
  const cached = groups.get(kind)
  if (cached !== undefined) return cached
  const matching = kind === undefined ? items : items.filter((problem) => reportedKind(problem) === kind)
  // If a target is requested, equal links are reported separately.
  const merged: readonly SameProblems[] = filter.target === undefined ? mergeSame(matching) : matching.map((problem) => [problem])
  groups.set(kind, merged)
  return merged
}

interface FoundProblems {
  readonly items: readonly Problem[]
  /** The groups are cached, because grouping is slow in large vaults. */
  readonly groups: Map<ReportedKind | undefined, readonly SameProblems[]>
}

async function problemsOf(source: Source, filter: ProblemFilter): Promise<FoundProblems> {
  if (filter.folder === undefined && filter.target === undefined) return await everyProblem(source)
  return { items: (await source.snapshot.problems(filterOf(filter), ALL)).items, groups: new Map() }
}

interface KeptProblems extends FoundProblems, Pick<Snapshot, 'generation' | 'lineage'> {}

/** The problems of each store are cached, because finding them requires reading many files. */
const lastProblems = new WeakMap<Store, KeptProblems>()

async function everyProblem({ core, snapshot }: Source): Promise<FoundProblems> {
  const { generation, lineage, complete, isMixed } = snapshot
  // A rebuilt index has another lineage and starts its generations again.
  const canKeep = complete && !isMixed && lineage !== undefined
  const cached = lastProblems.get(core.store)
  if (canKeep && cached?.generation === generation && cached.lineage === lineage) return cached
  const { items } = await snapshot.problems({}, ALL)
  const result: FoundProblems = { items, groups: new Map() }
  if (canKeep) lastProblems.set(core.store, { generation, lineage, ...result })
  return result
}

/** Counts the rows that `getProblems` lists. */
export async function countForReaders(source: Source): Promise<{ readonly seen: number; readonly inComments: number }> {
  const groups = await groupsOf(source, undefined, { folder: undefined, target: undefined, isNothing: false })
  const inComments = groups.filter(([problem]) => reportedKind(problem) === 'in_comment').length
  return { seen: groups.length - inComments, inComments }
}

async function summaryOf(
  { core, snapshot }: Source,
  kind: StoredKind | undefined,
  filter: ProblemFilter,
): Promise<ProblemSummary> {
  const kinds = kind !== undefined ? [kind] : filter.target === undefined && !filter.isNothing ? COUNTED_KINDS : LINK_KINDS
  if (filter.isNothing) return { counts: Object.fromEntries(kinds.map((kindOfProblem) => [kindOfProblem, 0])), total: 0 }
  const [groups, missing] = await Promise.all([
    groupsOf({ core, snapshot }, undefined, filter),
    kinds.includes('missing_note') ? snapshot.wantedNotes(wantedBy(filter), { offset: 0, limit: 0 }) : { total: 0 },
  ])
  const countByKind = new Map<string, number>()
  for (const [problem] of groups) countByKind.set(reportedKind(problem), (countByKind.get(reportedKind(problem)) ?? 0) + 1)
  const counts = kinds.map(
    (countedKind) => [countedKind, countedKind === 'missing_note' ? missing.total : (countByKind.get(countedKind) ?? 0)] as const,
  )
  const shownCounts = kind === undefined ? counts.filter(([countedKind]) => countedKind !== 'missing_note') : counts
  return { counts: Object.fromEntries(counts), total: shownCounts.reduce((sum, [, count]) => sum + count, 0) }
}

const COUNTED_KINDS: readonly StoredKind[] = [...PROBLEM_KINDS, 'in_comment', 'missing_note']

export const LINK_KINDS: readonly StoredKind[] = ['broken_link', 'broken_heading', 'ambiguous_link', 'in_comment']

export async function missingNotes(snapshot: Snapshot, missing: readonly WantedNote[]): Promise<readonly MissingNote[]> {
  const pairs = missing.flatMap(({ ids, sources }) => sources.flatMap((source) => ids.map((id) => [source, id] as const)))
  const places = new Map<string, number>()
  for (const { from, to, line } of (await snapshot.occurrences(pairs)).flat().toReversed()) places.set(keyOf(from, to), line)
  return missing.map(({ name, ids, files, sources }) => ({
    kind: 'missing_note',
    id: ids[0],
    line: 0,
    text: name,
    notes: files,
    sources: sources.map((source) => ({
      id: source,
      line: Math.min(...ids.map((id) => places.get(keyOf(source, id)) ?? Number.POSITIVE_INFINITY)),
    })),
  }))
}

/** Returns a key for two ids, separated by NUL, which never occurs in ids. */
function keyOf(from: NodeId, to: NodeId): string {
  return `${from}\0${to}`
}
