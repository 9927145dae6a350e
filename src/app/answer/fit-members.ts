import { isRecord } from '../../core/is-record.ts'
import { countInTurn, type Fitted, jsonBytes, nonZero, Purse, sums } from './budget.ts'
import { compose, firstEntries, firstItems, type Row } from './fit-list.ts'

/** Fits an answer into a number of bytes of JSON. */
type Fit = <V extends object>(value: V, room: number) => Fitted<V>

/**
 * Fits an answer with a single list, located at one of the given places: a member, or a nested member such as `dead_ends.first`. The
 * rows of the list count as results.
 */
export function fitMember(...places: readonly string[]): Fit {
  return (value, room) => {
    const place = places.find((one) => listAt(value, one) !== undefined)
    if (place === undefined) return { value, omitted: {} }
    const around = jsonBytes(withList(value, place, []))
    const { rows, omitted } = compose(listAt(value, place) ?? [], { room: room - around })
    return { value: withList(value, place, rows), omitted }
  }
}

/**
 * Fits an answer with several lists, given by name and place. Takes one item from each list in turn, so a long list cannot crowd
 * out the others. Other members are unchanged.
 */
export function fitInTurn(places: Readonly<Record<string, string>>): Fit {
  return (value, room) => {
    const lists = Object.entries(places).flatMap(([name, place]) => {
      const rows = listAt(value, place)
      return rows === undefined ? [] : [{ name, place, rows }]
    })
    const around = lists.reduce((rest, { place }) => withList(rest, place, []), value)
    const counts = countInTurn(
      lists.map(({ rows }) => rows),
      new Purse(room - jsonBytes(around)),
    )
    const shown = lists.map(({ rows }, at) => rows.slice(0, counts[at]))
    return {
      value: lists.reduce((rest, { place }, at) => withList(rest, place, shown[at] ?? []), value),
      omitted: nonZero(Object.fromEntries(lists.map(({ name, rows }, at) => [name, rows.length - (counts[at] ?? 0)]))),
    }
  }
}

/** Share (0–1) of the remaining bytes that a list may use, or a function that returns a number of bytes. */
type Share = number | ((left: number) => number)

/**
 * Fits the lists of an answer in rounds. The lists in a round share the bytes left before that round, and the next round gets what
 * remains.
 */
export function fitShares<V extends object>(
  value: V,
  rounds: readonly Readonly<{ [Name in keyof V]?: Share }>[],
  room: number,
): Fitted<V> {
  const lists = rounds.map((round) => Object.entries(round) as readonly (readonly [string, Share])[])
  let shown = lists.flat().reduce((rest, [name]) => withList(rest, name, []), value)
  let left = room - jsonBytes(shown)
  let omitted: Fitted<V>['omitted'] = {}
  for (const round of lists) {
    const before = left
    for (const [name, share] of round) {
      const most = typeof share === 'function' ? share(before) : Math.min(left, before * share)
      const list = compose(listAt(value, name) ?? [], { room: most, called: name, isFirstSure: false })
      shown = withList(shown, name, list.rows)
      omitted = sums(omitted, list.omitted)
      left -= list.bytes
    }
  }
  return { value: shown, omitted }
}

/** Fits the named lists and objects of an answer, in the given order, by keeping only their first items. Other members are unchanged. */
export function fitFacts<V extends object>(value: V, names: readonly (keyof V & string)[], room: number): Fitted<V> {
  const shown: Record<string, unknown> = { ...(value as Row) }
  const purse = new Purse(room)
  const omitted: Record<string, number> = {}
  for (const name of names) {
    const full: unknown = value[name]
    if (full === undefined) continue
    const isList = Array.isArray(full)
    const most = purse.left() + '[]'.length
    const some = (isList ? firstItems : firstEntries)(full, { fair: most, most })
    shown[name] = some
    purse.spend(jsonBytes(some) - '[]'.length)
    omitted[name] = isList
      ? full.length - (some as Row[]).length
      : Object.keys(full as Row).length - Object.keys(some as Row).length
  }
  return { value: shown as V, omitted: nonZero(omitted) }
}

function listAt(value: object, place: string): readonly object[] | undefined {
  const found = place.split('.').reduce<unknown>((at, member) => (isRecord(at) ? at[member] : undefined), value)
  return Array.isArray(found) ? found : undefined
}

function withList<V extends object>(value: V, place: string, rows: readonly unknown[]): V {
  const [member = '', ...inside] = place.split('.')
  const inner = inside.length === 0 ? rows : withList((value as Row)[member] as Row, inside.join('.'), rows)
  return { ...value, [member]: inner }
}
