import { type Fitted, jsonBytes, Purse } from '../answer/budget.ts'
import { compose } from '../answer/fit-list.ts'
import type { GapList } from './gaps.ts'

const SEPARATOR = 1
const KINDS = ['apart', 'cut', 'wanted', 'dead_ends'] as const

/** Gaps within a budget: the first of each kind, then the second of each, and so on; of one kind alone as other lists, whose pages go on. */
export function fitGaps(gaps: GapList, room: number): Fitted<GapList> {
  const lists = {
    apart: gaps.apart ?? [],
    cut: gaps.cut ?? [],
    wanted: gaps.wanted ?? [],
    dead_ends: gaps.dead_ends?.first ?? [],
  }
  const [only, ...more] = KINDS.filter((kind) => kind in gaps.totals)
  if (only !== undefined && more.length === 0) return fitPage(gaps, only, room)
  const counts = { apart: 0, cut: 0, wanted: 0, dead_ends: 0 }
  const shownOf = (): GapList => ({
    ...(gaps.apart && { apart: gaps.apart.slice(0, counts.apart) }),
    ...(gaps.cut && { cut: gaps.cut.slice(0, counts.cut) }),
    ...(gaps.wanted && { wanted: gaps.wanted.slice(0, counts.wanted) }),
    ...(gaps.dead_ends && { dead_ends: { ...gaps.dead_ends, first: gaps.dead_ends.first.slice(0, counts.dead_ends) } }),
    totals: gaps.totals,
  })
  const purse = new Purse(room)
  purse.spend(jsonBytes(shownOf()))
  let open: readonly (typeof KINDS)[number][] = KINDS
  while (open.length > 0) {
    open = open.filter((kind) => {
      const item = lists[kind][counts[kind]]
      const bytes = item === undefined ? Number.POSITIVE_INFINITY : jsonBytes(item) + SEPARATOR
      if (bytes > purse.left()) return false
      purse.spend(bytes)
      counts[kind]++
      return true
    })
  }
  const omitted = KINDS.map((kind) => [kind, lists[kind].length - counts[kind]] as const).filter(([, count]) => count > 0)
  return { value: shownOf(), omitted: Object.fromEntries(omitted) }
}

function fitPage(gaps: GapList, kind: (typeof KINDS)[number], room: number): Fitted<GapList> {
  const { apart = [], cut = [], wanted = [], dead_ends: ends } = gaps
  const all: readonly object[] = { apart, cut, wanted, dead_ends: ends?.first ?? [] }[kind]
  const withRows = (rows: readonly object[]) => ({ ...gaps, [kind]: kind === 'dead_ends' ? { ...ends, first: rows } : rows })
  const { rows, omitted } = compose(all, { room: room - jsonBytes(withRows([])) })
  return { value: withRows(rows), omitted }
}
