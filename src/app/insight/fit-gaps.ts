import { type Fitted, jsonBytes, Purse } from '../answer/budget.ts'
import type { GapList } from './gaps.ts'

const SEPARATOR = 1
const KINDS = ['apart', 'cut', 'wanted', 'dead_ends'] as const

/** Gaps within a budget: the first of each kind, then the second of each, and so on. Of one kind alone what is left out are results: its pages go on there. */
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
  const isOne = Object.keys(gaps.totals).length === 1
  const purse = new Purse(room)
  purse.spend(jsonBytes(shownOf()))
  let open: readonly (typeof KINDS)[number][] = KINDS
  while (open.length > 0) {
    open = open.filter((kind) => {
      const item = lists[kind][counts[kind]]
      const bytes = item === undefined ? Number.POSITIVE_INFINITY : jsonBytes(item) + SEPARATOR
      // A page of one kind goes on, however little it may hold.
      if (bytes > purse.left() && !(isOne && counts[kind] === 0 && item !== undefined)) return false
      purse.spend(bytes)
      counts[kind]++
      return true
    })
  }
  const omitted = KINDS.map((kind) => [isOne ? 'results' : kind, lists[kind].length - counts[kind]] as const).filter(
    ([, count]) => count > 0,
  )
  return { value: shownOf(), omitted: Object.fromEntries(omitted) }
}
