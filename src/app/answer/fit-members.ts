import { isRecord } from '../../core/is-record.ts'
import { Budget, type Counts, countInTurn, type Fitted, isLeftOut, jsonBytes, nonZero, sums } from './budget.ts'
import { compose, firstEntries, firstItems, type Row, sizeOf } from './fit-list.ts'

type Fit = <V extends object>(value: V, room: number) => Fitted<Partial<V>>

/** Fits a single list into the budget. `places` are its possible paths in the answer, such as `dead_ends.first`. */
export function fitMember(...places: readonly string[]): Fit {
  return (value, room) => {
    const place = places.find((candidate) => listAt(value, candidate) !== undefined)
    if (place === undefined) return { value, omitted: {} }
    const frameBytes = jsonBytes(withList(value, place, []))
    const { rows, omitted, capped } = compose(listAt(value, place) ?? [], { room: room - frameBytes })
    return { value: withList(value, place, rows), omitted, capped }
  }
}

/** Takes items from several lists in turn. `places` contains the path of each list. */
export function fitInTurn(places: Readonly<Record<string, string>>): Fit {
  return (value, room) => {
    const lists = Object.entries(places).flatMap(([name, place]) => {
      const rows = listAt(value, place)
      return rows === undefined ? [] : [{ name, place, rows }]
    })
    const frame = lists.reduce((rest, { place }) => withList(rest, place, []), value)
    const counts = countInTurn(
      lists.map(({ rows }) => rows),
      new Budget(room - jsonBytes(frame)),
    )
    return {
      value: lists.reduce((rest, { place, rows }, at) => withSome(rest, place, rows.slice(0, counts[at])), value),
      omitted: nonZero(Object.fromEntries(lists.map(({ name, rows }, at) => [name, rows.length - (counts[at] ?? 0)]))),
    }
  }
}

/** A share of the remaining bytes (0–1), or a function that returns a number of bytes. */
type Share = number | ((left: number) => number)

/** The lists of each round share the remaining bytes. */
export function fitShares<V extends object>(
  value: V,
  rounds: readonly Readonly<{ [Name in keyof V]?: Share }>[],
  room: number,
): Fitted<Partial<V>> {
  const lists = rounds.map((round) => Object.entries(round) as readonly (readonly [string, Share])[])
  let fitted = lists.flat().reduce((rest, [name]) => withList(rest, name, []), value)
  let remaining = room - jsonBytes(fitted)
  let omitted: Counts = {}
  let capped: Counts = {}
  for (const round of lists) {
    const before = remaining
    for (const [name, share] of round) {
      const maxBytes = typeof share === 'function' ? share(before) : Math.min(remaining, before * share)
      const list = compose(listAt(value, name) ?? [], { room: maxBytes, memberName: name, isFirstSure: false })
      fitted = withList(fitted, name, list.rows)
      omitted = sums(omitted, list.omitted)
      capped = sums(capped, list.capped)
      remaining -= list.bytes
    }
  }
  const names = lists.flat().map(([name]) => name)
  return { value: names.reduce((rest, name) => withSome(rest, name, listAt(fitted, name) ?? []), value), omitted, capped }
}

export function fitFacts<V extends object>(value: V, names: readonly (keyof V & string)[], room: number): Fitted<Partial<V>> {
  const fitted: Record<string, unknown> = { ...(value as Row) }
  const budget = new Budget(room)
  const omitted: Record<string, number> = {}
  for (const name of names) {
    const full: unknown = value[name]
    if (full === undefined) continue
    const isList = Array.isArray(full)
    const maxBytes = budget.available() + '[]'.length
    const firstPart = (isList ? firstItems : firstEntries)(full, { fair: maxBytes, maxBytes })
    budget.spend(jsonBytes(firstPart) - '[]'.length)
    omitted[name] = sizeOf(full) - sizeOf(firstPart)
    if (sizeOf(firstPart) > 0 || omitted[name] === 0) fitted[name] = firstPart
    else delete fitted[name]
  }
  return { value: fitted as Partial<V>, omitted: nonZero(omitted) }
}

function listAt(value: object, place: string): readonly object[] | undefined {
  const list = place.split('.').reduce<unknown>((at, member) => (isRecord(at) ? at[member] : undefined), value)
  return Array.isArray(list) ? list : undefined
}

/** Drops the list if no row fits, because an empty list would mean that there are no rows. */
function withSome<V extends object>(value: V, place: string, rows: readonly unknown[]): V {
  return withList(value, place, isLeftOut(listAt(value, place), rows) ? undefined : rows)
}

function withList<V extends object>(value: V, place: string, rows: readonly unknown[] | undefined): V {
  const [member = '', ...inside] = place.split('.')
  const inner = inside.length === 0 ? rows : withList((value as Row)[member] as Row, inside.join('.'), rows)
  if (inner !== undefined) return { ...value, [member]: inner }
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member)) as V
}
