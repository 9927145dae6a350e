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
import { answer, type Call, listed, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { mergeSame, type ReportedProblem, reportedKind, reportGroups, type SameProblems } from '../read/problems.ts'
import { trimFolder } from '../scope.ts'
import { type DuplicateNotes, listDuplicates } from './duplicates.ts'

/**
 * `in_comment` covers links in comments, which no other kind includes. `missing_note` and `duplicate` are only listed on request:
 * the links behind `missing_note` are already listed as broken, and `duplicate` requires an analysis of the whole vault.
 */
export const REPORTED_KINDS = [...PROBLEM_KINDS, 'in_comment', 'missing_note', 'duplicate'] as const
export type ReportedKind = (typeof REPORTED_KINDS)[number]
type StoredKind = Exclude<ReportedKind, 'duplicate'>

export interface ProblemsArguments extends PageArguments {
  readonly kind?: ReportedKind | undefined
  readonly folder?: string | undefined
  /** Restricts the list to problems of links to this note, given by id or title. The note need not exist. */
  readonly target?: string | undefined
  /** True to return only the number of problems of each kind. */
  readonly summary: boolean
}

type ListedArguments = Omit<ProblemsArguments, 'summary'>

export interface MissingNote {
  readonly kind: 'missing_note'
  /** Id in the form accepted by `get_neighbors`. */
  readonly id: NodeId
  readonly line: 0
  /** The name in the spelling used by most links. */
  readonly text: string
  /** Number of notes and canvases that link to the missing note. */
  readonly notes: number
  readonly sources: readonly { readonly id: NodeId; readonly line: number }[]
}

export interface ProblemList {
  readonly problems: readonly (ReportedProblem | MissingNote | DuplicateNotes)[]
  /** Total number, ignoring `limit` and `offset`. */
  readonly total: number
}

export interface ProblemSummary {
  readonly counts: Readonly<Partial<Record<ReportedKind, number>>>
  /** Excludes `missing_note`, because its links are already counted as broken. Includes duplicates only if they are requested. */
  readonly total: number
}

/**
 * Lists problems in the vault, or counts them by kind. Problems are ordered by id and line, missing notes by demand, and duplicates
 * by similarity.
 */
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
    const found = await withinScope(snapshot, core, args, (asked) => listOf({ core, snapshot }, kind, { asked, page }))
    const { problems, total } = found.value
    return { ...found, ...listed(found.value, { offset: page.offset, shown: problems.length, total }), warnings: found.warnings }
  })
}

async function countProblems(core: GraphCore, args: ListedArguments, call: Call): Promise<Answer<ProblemSummary>> {
  const { kind } = args
  if (kind === 'duplicate') {
    const { value, warnings } = await listDuplicates(core, { ...args, limit: 0 }, call)
    return { value: { counts: { duplicate: value.total }, total: value.total }, warnings }
  }
  return await answer(core, call, (snapshot) =>
    withinScope(snapshot, core, args, (asked) => summaryOf({ core, snapshot }, kind, asked)),
  )
}

async function withinScope<T extends { readonly total: number }>(
  snapshot: Snapshot,
  core: GraphCore,
  { folder, target }: Pick<ProblemsArguments, 'folder' | 'target'>,
  use: (asked: Asked) => Promise<T>,
): Promise<Answer<T>> {
  const trimmed = foldId(trimFolder(folder ?? ''))
  const meant = target === undefined ? undefined : await findNamed(snapshot, core, [target], { withMissing: true })
  const [id] = meant?.ids ?? []
  const value = await use({
    folder: trimmed === '' ? undefined : trimmed,
    target: id,
    // A name that does not resolve to a node has no problems.
    isNothing: meant !== undefined && id === undefined,
  })
  const empty = value.total === 0 ? await scopeWarnings(snapshot, { folder }) : []
  return { value, warnings: [...(meant?.warnings ?? []), ...empty] }
}

interface Asked {
  readonly folder: string | undefined
  readonly target: NodeId | undefined
  readonly isNothing: boolean
}

function filterOf({ folder, target }: Asked) {
  return { ...(folder === undefined ? {} : { folder }), ...(target === undefined ? {} : { target }) }
}

function wantedBy({ folder }: Asked): WantedFilter {
  return folder === undefined ? {} : { folder }
}

interface Source {
  readonly core: GraphCore
  readonly snapshot: Snapshot
}

async function listOf(
  { core, snapshot }: Source,
  kind: StoredKind | undefined,
  { asked, page }: { readonly asked: Asked; readonly page: Page },
): Promise<ProblemList> {
  if (asked.isNothing) return { problems: [], total: 0 }
  if (kind === 'missing_note') {
    const { items, total } = await snapshot.wanted(wantedBy(asked), page)
    return { problems: await missingNotes(snapshot, items), total }
  }
  const groups = await groupsOf({ core, snapshot }, kind, asked)
  const shown = groups.slice(page.offset, page.offset + page.limit)
  return { problems: await reportGroups(snapshot, shown), total: groups.length }
}

/** Returns all problems of a kind. Equal problems are grouped, unless the caller asked about links to one note. */
async function groupsOf(
  source: Source,
  kind: Exclude<StoredKind, 'missing_note'> | undefined,
  asked: Asked,
): Promise<readonly SameProblems[]> {
  const { items, groups } = await problemsOf(source, asked)
  const known = groups.get(kind)
  if (known !== undefined) return known
  const found = kind === undefined ? items : items.filter((problem) => reportedKind(problem) === kind)
  // One note has few such links, and a caller who asks about it wants to see every place.
  const merged: readonly SameProblems[] = asked.target === undefined ? mergeSame(found) : found.map((problem) => [problem])
  groups.set(kind, merged)
  return merged
}

interface FoundProblems {
  readonly items: readonly Problem[]
  /** Cached groups by requested kind, because comparing all problems of a large vault takes longer than the rest of an answer. */
  readonly groups: Map<ReportedKind | undefined, readonly SameProblems[]>
}

async function problemsOf(source: Source, asked: Asked): Promise<FoundProblems> {
  if (asked.folder === undefined && asked.target === undefined) return await everyProblem(source)
  return { items: (await source.snapshot.problems(filterOf(asked), ALL)).items, groups: new Map() }
}

interface KeptProblems extends FoundProblems, Pick<Snapshot, 'generation' | 'lineage'> {}

/** Caches all problems of the last requested generation, because finding them means reading the links of many files. */
const lastProblems = new WeakMap<Store, KeptProblems>()

async function everyProblem({ core, snapshot }: Source): Promise<FoundProblems> {
  const { generation, lineage, complete, isMixed } = snapshot
  // A rebuilt index starts counting generations again, under a new lineage.
  const canKeep = complete && !isMixed && lineage !== undefined
  const known = lastProblems.get(core.store)
  if (canKeep && known?.generation === generation && known.lineage === lineage) return known
  const { items } = await snapshot.problems({}, ALL)
  const found: FoundProblems = { items, groups: new Map() }
  if (canKeep) lastProblems.set(core.store, { generation, lineage, ...found })
  return found
}

export async function countForReaders(snapshot: Snapshot): Promise<{ readonly seen: number; readonly inComments: number }> {
  const all = (await snapshot.problems({}, ALL)).items
  const inComments = all.filter((problem) => reportedKind(problem) === 'in_comment').length
  return { seen: all.length - inComments, inComments }
}

async function summaryOf({ core, snapshot }: Source, kind: StoredKind | undefined, asked: Asked): Promise<ProblemSummary> {
  const kinds = kind !== undefined ? [kind] : asked.target === undefined && !asked.isNothing ? COUNTED_KINDS : LINK_KINDS
  if (asked.isNothing) return { counts: Object.fromEntries(kinds.map((one) => [one, 0])), total: 0 }
  const [{ items }, wanted] = await Promise.all([
    problemsOf({ core, snapshot }, asked),
    kinds.includes('missing_note') ? snapshot.wanted(wantedBy(asked), { offset: 0, limit: 0 }) : { total: 0 },
  ])
  const found = new Map<string, number>()
  for (const problem of items) found.set(reportedKind(problem), (found.get(reportedKind(problem)) ?? 0) + 1)
  const counts = kinds.map((one) => [one, one === 'missing_note' ? wanted.total : (found.get(one) ?? 0)] as const)
  const counted = kind === undefined ? counts.filter(([one]) => one !== 'missing_note') : counts
  return { counts: Object.fromEntries(counts), total: counted.reduce((sum, [, count]) => sum + count, 0) }
}

const COUNTED_KINDS: readonly StoredKind[] = [...PROBLEM_KINDS, 'in_comment', 'missing_note']

/** Kinds of link problems, which can be filtered by target. */
export const LINK_KINDS: readonly StoredKind[] = ['broken_link', 'broken_heading', 'ambiguous_link', 'in_comment']

/** Describes missing notes, including the first line that links to them in each source. */
export async function missingNotes(snapshot: Snapshot, wanted: readonly WantedNote[]): Promise<readonly MissingNote[]> {
  const pairs = wanted.flatMap(({ ids, sources }) => sources.flatMap((source) => ids.map((id) => [source, id] as const)))
  const places = new Map<string, number>()
  for (const { from, to, line } of (await snapshot.occurrences(pairs)).flat().toReversed()) places.set(keyOf(from, to), line)
  return wanted.map(({ name, ids, files, sources }) => ({
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

/** Ids never contain NUL. */
function keyOf(from: NodeId, to: NodeId): string {
  return `${from}\0${to}`
}
