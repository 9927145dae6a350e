import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutNotes } from '../../src/insight/without-notes.ts'

type Link = readonly [from: number, to: number]

/** The graph of some links without the removed notes. */
function lose(count: number, links: readonly Link[], gone: readonly number[]) {
  const rows = Array.from({ length: count }, (_, node) => [
    ...new Set(links.flatMap(([from, to]) => (from === node ? [to] : []))),
  ])
  const offsets = [0]
  for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + row.length)
  const marks = Uint8Array.from(rows, (_, node) => Number(gone.includes(node)))
  return withoutNotes({ offsets: Uint32Array.from(offsets), targets: Uint32Array.from(rows.flat()) }, marks)
}

/** Connected components, by merging sets until nothing changes. */
function parts(count: number, links: readonly Link[], gone: readonly number[]): readonly (readonly number[])[] {
  const label = Array.from({ length: count }, (_, node) => node)
  for (let changed = true; changed; ) {
    changed = false
    for (const [a, b] of links) {
      if (gone.includes(a) || gone.includes(b)) continue
      const least = Math.min(label[a] ?? 0, label[b] ?? 0)
      if (label[a] !== least || label[b] !== least) changed = true
      label[a] = least
      label[b] = least
    }
  }
  const left = label.map((_, node) => node).filter((node) => !gone.includes(node))
  return [...new Set(left.map((node) => label[node]))].map((of) => left.filter((node) => label[node] === of))
}

test('removing a note in the middle of a chain leaves two parts, and reports the smaller one', () => {
  const line: readonly Link[] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
  ]
  expect(lose(5, line, [1])).toEqual({ orphaned: [0], fallsApart: [1], unreachable: [] })
  expect(lose(5, line, [2])).toEqual({ orphaned: [], fallsApart: [2], unreachable: [] })
  expect(lose(5, line, [0])).toEqual({ orphaned: [], fallsApart: [], unreachable: [] })
})

test('the remaining note of a pair is an orphan, not a separate part', () => {
  expect(lose(3, [[0, 1]], [0])).toEqual({ orphaned: [1], fallsApart: [], unreachable: [] })
})

test('notes that an index note reaches only through a removed note become unreachable', () => {
  const index = Array.from({ length: 45 }, (_, at): Link => [0, at + 1])
  const links: readonly Link[] = [...index, [1, 50], [50, 51], [2, 51]]
  expect(lose(52, links, [1]).unreachable).toEqual([50])
  expect(lose(52, links, [0]).unreachable).toEqual([...Array.from({ length: 45 }, (_, at) => at + 1), 50, 51])
  // A note with forty links has too few to be an index note.
  expect(lose(52, links.slice(5), [1]).unreachable).toEqual([])
})

test('for any removed notes, the parts equal those of an independent count', () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((count) =>
      fc.tuple(
        fc.constant(count),
        fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 20 }),
        fc.uniqueArray(fc.nat(count - 1), { maxLength: 4 }),
      ),
    )
  fc.assert(
    fc.property(graph, ([count, links, gone]) => {
      const { orphaned, fallsApart } = lose(count, links, gone)
      const touched = parts(count, links, []).filter((part) => part.some((node) => gone.includes(node)))
      const left = touched.map((whole) => parts(count, links, gone).filter((part) => part.every((node) => whole.includes(node))))
      const sizes = left.flatMap((some) =>
        some
          .map(({ length }) => length)
          .sort((a, b) => b - a)
          .slice(1),
      )
      expect([...fallsApart]).toEqual(sizes.sort((a, b) => b - a))
      const alone = left.flat().flatMap((part) => (part.length === 1 ? part : []))
      expect([...orphaned]).toEqual(alone.sort((a, b) => a - b))
    }),
  )
})

const MANY = 300_000
const MANY_NOTES = Array.from({ length: MANY }, (_, at) => at)

test('a hub with very many notes can be removed', () => {
  const offsets = Uint32Array.from([0, ...MANY_NOTES.map(() => MANY - 1)])
  const star = { offsets, targets: Uint32Array.from(MANY_NOTES.slice(1)) }
  const hub = Uint8Array.from(MANY_NOTES, (at) => Number(at === 0))
  expect(withoutNotes(star, hub).orphaned.length).toBe(MANY - 1)
})

test('removing very many unlinked notes does not copy all of them for each', () => {
  const none = { offsets: new Uint32Array(MANY + 1), targets: new Uint32Array() }
  const all = new Uint8Array(MANY).fill(1)
  expect(withoutNotes(none, all)).toEqual({ orphaned: [], fallsApart: [], unreachable: [] })
})
