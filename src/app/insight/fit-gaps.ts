import { type Fitted, jsonBytes, Purse } from '../answer/budget.ts'
import type { GapList } from './gaps.ts'

const SEPARATOR = 1
const KINDS = ['apart', 'cut', 'wanted', 'dead_ends'] as const

/** Gaps within a budget: the first of each kind, then the second of each, and so on. Of one kind alone the first is always there: its list must go on. */
export function fitGaps(gaps: GapList, room: number): Fitted<GapList> {
  const lists = {
    apart: gaps.apart ?? [],
    cut: gaps.cut ?? [],
    wanted: gaps.wanted ?? [],
    dead_ends: gaps.dead_ends?.first ?? [],
  }
  const counts = { apart: 0, cut: 0, wanted: 0, dead_ends: 0 }
  const shownOf = (): GapList => ({
    ...(gaps.apart && { apart: gaps.apart.slice(0, counts.apart) }),
    ...(gaps.cut && { cut: gaps.cut.slice(0, counts.cut) }),
    ...(gaps.wanted && { wanted: gaps.wanted.slice(0, counts.wanted) }),
    ...(gaps.dead_ends && { dead_ends: { ...gaps.dead_ends, first: gaps.dead_ends.first.slice(0, counts.dead_ends) } }),
    totals: gaps.totals,
  })
  const present = KINDS.filter((kind) => gaps[kind] !== undefined)
  const purse = new Purse(room)
  purse.spend(jsonBytes(shownOf()))
  let open: readonly (typeof KINDS)[number][] = KINDS
  while (open.length > 0) {
    open = open.filter((kind) => {
      const item = lists[kind][counts[kind]]
      const bytes = item === undefined ? Number.POSITIVE_INFINITY : jsonBytes(item) + SEPARATOR
      const isSure = item !== undefined && present.length === 1 && counts[kind] === 0
      if (bytes > purse.left() && !isSure) return false
      purse.spend(bytes)
      counts[kind]++
      return true
    })
  }
  const called = (kind: (typeof KINDS)[number]): string => (present.length === 1 ? 'results' : kind)
  const omitted = KINDS.map((kind) => [called(kind), lists[kind].length - counts[kind]] as const).filter(([, count]) => count > 0)
  return { value: shownOf(), omitted: Object.fromEntries(omitted) }
}
