import { compareTexts } from '../../core/text/compare-texts.ts'
import { foldName } from '../../core/text/fold.ts'
import type { Answer } from '../graph-core.ts'
import { orderWith } from './find-by-query.ts'
import type { FindArguments, FoundNode } from './find-nodes.ts'
import { EXAMPLES, type NoteCount, type NoteGroup, type NoteGroups } from './group-notes.ts'
import type { ResolvedName } from './resolve-nodes.ts'

export function mergeRanked<T extends { readonly score: number }>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists.flat().toSorted((a, b) => b.score - a.score)
}

type FoundInVault = readonly FoundNode[] | NoteGroups | NoteCount

export function mergeAnswers(answers: readonly FoundInVault[], order: Pick<FindArguments, 'orderBy' | 'order'>): FoundInVault {
  const grouped = answers.filter((answer) => 'groups' in answer)
  if (grouped.length > 0) return mergeGroups(grouped)
  const counts = answers.filter((answer) => 'total' in answer)
  const [count] = counts
  if (count !== undefined) return { counted: count.counted, total: sum(counts.map(({ total }) => total)) }
  return mergeFound(
    answers.filter((answer) => Array.isArray(answer)),
    order,
  )
}

function mergeGroups(answers: readonly NoteGroups[]): NoteGroups {
  const merged = new Map<string, NoteGroup>()
  for (const group of answers.flatMap(({ groups }) => groups)) {
    const key = JSON.stringify(group.value).toLowerCase()
    const sameGroup = merged.get(key)
    const examples = [...(sameGroup?.examples ?? []), ...group.examples].slice(0, EXAMPLES)
    merged.set(key, { value: sameGroup?.value ?? group.value, count: (sameGroup?.count ?? 0) + group.count, examples })
  }
  const groups = [...merged]
    .sort(([a, groupA], [b, other]) => other.count - groupA.count || compareTexts(a, b))
    .map(([, group]) => group)
  return {
    counted: answers[0]?.counted ?? '',
    groups,
    total: groups.length,
    notes: sum(answers.map(({ notes }) => notes)),
    without: sum(answers.map(({ without }) => without)),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

export function mergeFound(
  lists: readonly (readonly FoundNode[])[],
  { orderBy, order }: Pick<FindArguments, 'orderBy' | 'order'>,
): readonly FoundNode[] {
  const isScored = lists.some((list) => list.some(({ score }) => score < 1))
  const by = orderWith(orderBy, isScored)
  if (by === 'relevance') return mergeRanked(lists)
  const direction = (order ?? (by === 'title' ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  const keyed = lists.flat().map((note) => ({ note, key: sortKey(note, by, direction) }))
  return keyed.toSorted((a, b) => direction * compareTexts(a.key, b.key)).map(({ note }) => note)
}

export function mergeResolved(lists: readonly (readonly ResolvedName[])[]): readonly ResolvedName[] {
  const [first = []] = lists
  return first.map(({ query }, at) =>
    mergeName(
      query,
      lists.flatMap((list) => list[at] ?? []),
    ),
  )
}

const MAX_CANDIDATES = 5

function mergeName(query: string, answers: readonly ResolvedName[]): ResolvedName {
  const sorted = answers.filter(({ match }) => match !== null).toSorted((a, b) => b.score - a.score)
  const [best, next] = sorted
  if (best === undefined) return { query, match: null, score: 0 }
  if (next === undefined) return best
  const candidates = sorted.flatMap(({ match, score, candidates: own }) => own ?? (match === null ? [] : [{ id: match, score }]))
  return {
    ...best,
    candidates: candidates.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES),
    rule: best.score > next.score ? 'higher score' : 'first vault',
  }
}

/** Drops partial matches if another vault has notes with all words. */
export function withoutFallbacks<T extends { readonly answer: Answer<FoundInVault> }>(answers: readonly T[]): readonly T[] {
  const better = answers.filter(
    ({ answer: { value, warnings } }) =>
      Array.isArray(value) && value.length > 0 && !warnings.some(({ code }) => code === 'FALLBACK'),
  )
  return better.length > 0 ? better : answers
}

/** Returns the sort key. Notes without the requested time come last in both directions. */
function sortKey(note: FoundNode, by: 'title' | 'modified' | 'created', direction: number): string | number {
  if (by === 'title') return foldName(note.title)
  const time = Date.parse(note[by] ?? '')
  return Number.isNaN(time) ? direction * Number.POSITIVE_INFINITY : time
}
