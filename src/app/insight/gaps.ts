import { foldId, type NodeId, withoutVault } from '../../core/ids.ts'
import type { Community } from '../../core/insight/insight.ts'
import { ALL, type NodeSummary, type WantedNote } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { type Call, listResult, type PageArguments, pageFor, type Read } from '../answer/answer-when-ready.ts'
import type { Fitted } from '../answer/budget.ts'
import { fitInTurn, fitMember } from '../answer/fit-members.ts'
import { roundScore } from '../answer/node-response.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { answerFromInsight, communityId, communityLabel } from '../find/communities.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { trimFolder } from '../scope.ts'
import { type MissingNote, missingNotes } from './get-problems.ts'
import { isBelow, type MapContext, summaryOf, titlesOf } from './map.ts'

export const GAP_KINDS = ['apart', 'cut', 'wanted', 'dead_ends'] as const
export type GapKind = (typeof GAP_KINDS)[number]

export interface GapsArguments extends PageArguments {
  /** If omitted, the first gaps of each kind are returned. */
  readonly kind?: GapKind | undefined
  readonly folder?: string | undefined
}

export interface GapList {
  readonly apart?: readonly ApartRow[]
  readonly cut?: readonly CutRow[]
  readonly wanted?: readonly WantedRow[]
  readonly dead_ends?: { readonly total: number; readonly stubs: number; readonly first: readonly NodeSummary[] }
  readonly totals: Readonly<Partial<Record<GapKind, number>>>
}

export interface ApartRow {
  readonly of: readonly [string, string]
  readonly labels: readonly [string, string]
  readonly alike: number
  readonly links: number
  readonly expected: number
  readonly nearest: readonly (readonly [NodeId, NodeId])[]
}

export interface CutRow extends NodeSummary {
  readonly falls_off: number
}

export interface WantedRow {
  readonly name: string
  readonly notes: number
  readonly sources: MissingNote['sources']
}

/**
 * Returns the key of a dismissed gap: `apart:c1,c4`, `cut:<id>`, `wanted:<name>` or `dead_ends:<id>`. Case, the vault's name and
 * the order of a pair make no difference.
 */
export function gapKey(kind: GapKind, of: string, { name }: Pick<GraphCore, 'name'>): string {
  if (kind === 'wanted') return `${kind}:${foldName(of)}`
  const ids = kind === 'apart' ? of.split(',') : [of]
  const ownIds = ids.map((id) => withoutVault(id.trim().toLowerCase(), name))
  return `${kind}:${ownIds.sort().join(',')}`
}

export function listGaps(core: GraphCore, args: GapsArguments, call: Call = {}): Promise<Answer<GapList>> {
  return answerFromInsight<GapList, 'whole'>(core, call, {
    from: core.insights,
    empty: { totals: {} },
    use: (insight, read, startedCall) => gapsOf({ core, insight, read, call: startedCall }, args),
  })
}

interface GapsContext extends MapContext {
  readonly call: Call
}

const FIRST_PER_KIND = 5

async function gapsOf(reading: GapsContext, args: GapsArguments): Promise<Answer<GapList>> {
  const { core, insight, read, call } = reading
  const { kind } = args
  const page = kind === undefined ? { offset: 0, limit: Math.min(FIRST_PER_KIND, args.limit) } : pageFor(args, call)
  const pageOf = <T>(items: readonly T[]): readonly T[] => items.slice(page.offset, page.offset + page.limit)
  const wants = (gapKind: GapKind): boolean => kind === undefined || kind === gapKind
  const dismissed = await core.insightState.dismissed()
  const isOpen = (gapKind: GapKind, of: string): boolean => !dismissed.has(gapKey(gapKind, of, core))
  const folder = foldId(trimFolder(args.folder ?? ''))
  const idOf = (note: number): NodeId => insight.ids[note] as NodeId
  const isIn = (note: number): boolean => folder === '' || isBelow(idOf(note), folder, core)
  const { gaps, communities } = insight
  const list = communities.levels[0].list
  const apartPairs = gaps.apart
    .filter(({ of }) => folder === '' || of.some((place) => (list[place] as Community).key.some(isIn)))
    .map((pair) => ({ pair, ids: pair.of.map((place) => (list[place] as Community).id) as [string, string] }))
    .filter(({ ids }) => isOpen('apart', ids.join(',')))
  const cuts = gaps.cut.filter(({ note }) => isIn(note) && isOpen('cut', idOf(note)))
  const openEnds = (notes: readonly number[]) => notes.filter((note) => isIn(note) && isOpen('dead_ends', idOf(note)))
  const stubs = openEnds(gaps.deadEndStubs)
  const ends = [...openEnds(gaps.deadEnds), ...stubs]
  const missing = wants('wanted') ? await wantedOf(reading, folder, isOpen) : []
  const numbers = new Set([...pageOf(cuts).map(({ note }) => note), ...pageOf(ends)])
  const titles = await read((snapshot) => titlesOf(snapshot, [...numbers].map(idOf)))
  const labels = await core.insightState.labels()
  const labelOf = (place: number): string => communityLabel(list[place] as Community, labels)
  const totals = { apart: apartPairs.length, cut: cuts.length, wanted: missing.length, dead_ends: ends.length }
  const value: GapList = {
    ...(wants('apart') && {
      apart: pageOf(apartPairs).map(({ pair, ids: [a, b] }) => ({
        of: [communityId(a, core), communityId(b, core)],
        labels: [labelOf(pair.of[0]), labelOf(pair.of[1])],
        alike: roundScore(pair.alike),
        links: pair.links,
        expected: Number(pair.expected.toFixed(1)),
        nearest: pair.nearest.map(([from, to]) => [idOf(from), idOf(to)] as const),
      })),
    }),
    ...(wants('cut') && {
      cut: pageOf(cuts).map(({ note, fallsOff }) => ({ ...summaryOf(idOf(note), titles), falls_off: fallsOff })),
    }),
    ...(wants('wanted') && { wanted: await wantedRows(read, pageOf(missing)) }),
    ...(wants('dead_ends') && {
      dead_ends: {
        total: ends.length,
        stubs: stubs.length,
        first: pageOf(ends).map((note) => summaryOf(idOf(note), titles)),
      },
    }),
    totals: Object.fromEntries(Object.entries(totals).filter(([name]) => wants(name as GapKind))),
  }
  const isEmpty = Object.values(value.totals).every((total) => total === 0)
  const warnings = isEmpty ? await read((snapshot) => scopeWarnings(snapshot, { folder: args.folder })) : []
  if (kind === undefined) return { value, warnings }
  const total = totals[kind]
  const length = Math.max(0, Math.min(page.limit, total - page.offset))
  return { ...listResult(value, { offset: page.offset, shown: length, total }), warnings }
}

const fitKinds = fitInTurn({ apart: 'apart', cut: 'cut', wanted: 'wanted', dead_ends: 'dead_ends.first' })

const fitPage = fitMember('apart', 'cut', 'wanted', 'dead_ends.first')

export function fitGaps(gaps: GapList, room: number): Fitted<Partial<GapList>> {
  return Object.keys(gaps.totals).length === 1 ? fitPage(gaps, room) : fitKinds(gaps, room)
}

async function wantedOf(
  { core: { isIgnored }, read }: GapsContext,
  folder: string,
  isOpen: (kind: GapKind, of: string) => boolean,
): Promise<readonly WantedNote[]> {
  const filter = {
    ...(folder === '' ? {} : { folder }),
    ...(isIgnored === undefined ? {} : { counts: (path: string) => !isIgnored(path) }),
  }
  const { items } = await read((snapshot) => snapshot.wantedNotes(filter, ALL))
  return items.filter(({ name }) => isOpen('wanted', name))
}

async function wantedRows(read: Read, missing: readonly WantedNote[]): Promise<readonly WantedRow[]> {
  const missingRows = await read((snapshot) => missingNotes(snapshot, missing))
  return missingRows.map(({ text, notes, sources }) => ({ name: text, notes, sources }))
}
