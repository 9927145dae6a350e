import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Adjacency } from '../../src/core/csr.ts'
import { alignTo, layOut, type Places, placeNew, radiusOf } from '../../src/insight/layout.ts'

test('an empty vault has an empty layout', () => {
  expect(layOut(linksOf(0, []), [])).toEqual(new Float32Array(0))
})

test('no two notes overlap', () => {
  fc.assert(
    fc.property(anyGraph(), ({ count, pairs, groups }) => {
      const links = linksOf(count, pairs)
      const places = layOut(links, [groups])
      expect(places.every(Number.isFinite)).toBe(true)
      expect(hiddenNotes(links, places)).toEqual([])
    }),
  )
})

test('the same notes and links get the same layout', () => {
  fc.assert(
    fc.property(anyGraph(), ({ count, pairs, groups }) => {
      const links = linksOf(count, pairs)
      expect(layOut(links, [groups])).toEqual(layOut(links, [groups]))
    }),
  )
})

test('notes are closer to their own group than to another', () => {
  // Two rings of twenty, with one link between them.
  const ring = (from: number) => Array.from({ length: 20 }, (_, at): [number, number] => [from + at, from + ((at + 1) % 20)])
  const links = linksOf(40, [...ring(0), ...ring(20), [0, 20]])
  const places = layOut(links, [Int32Array.from({ length: 40 }, (_, note) => Math.floor(note / 20))])
  const middles = [0, 20].map((from) => middleOf(places, from, from + 20))
  for (let note = 0; note < 40; note++) {
    const [own, other] = note < 20 ? middles : middles.toReversed()
    expect(apart(places, note, own), String(note)).toBeLessThan(apart(places, note, other))
  }
})

test('the parts of a large group are apart, also if all their links lead to other parts', () => {
  const count = 120
  const links = linksOf(count, [
    ...chain(count),
    ...Array.from({ length: count }, (_, note): [number, number] => [note, (note + 40) % count]),
  ])
  const part = Int32Array.from({ length: count }, (_, note) => Math.floor(note / 40))
  const shareBesideOwn = (levels: readonly Int32Array[]): number => {
    const places = layOut(links, levels)
    expect(hiddenNotes(links, places)).toEqual([])
    const notes = [...part.keys()]
    const nearest = notes.map((note) => {
      const from = [places[note * 2] ?? 0, places[note * 2 + 1] ?? 0] as const
      const distances = notes.map((other) => (other === note ? Infinity : apart(places, other, from)))
      return distances.indexOf(Math.min(...distances))
    })
    return nearest.filter((other, note) => part[other] === part[note]).length / count
  }
  expect(shareBesideOwn([new Int32Array(count), part])).toBeGreaterThan(0.75)
  expect(shareBesideOwn([new Int32Array(count)])).toBeLessThan(0.6)
})

test('more groups than territories do not overlap either', () => {
  const count = 900
  const links = linksOf(count, chain(count))
  const places = layOut(links, [Int32Array.from({ length: count }, (_, note) => Math.floor(note / 3))])
  expect(places.every(Number.isFinite)).toBe(true)
  expect(hiddenNotes(links, places)).toEqual([])
})

test('notes without links are below the others', () => {
  const places = layOut(linksOf(8, chain(6)), [new Int32Array(8)])
  const lowest = Math.max(...[0, 1, 2, 3, 4, 5].map((note) => places[note * 2 + 1] ?? 0))
  expect(places[13]).toBeGreaterThan(lowest)
  expect(places[15]).toBeGreaterThan(lowest)
})

/** Five groups of forty notes, each note linked with three of its group and every fifth one with another group. */
function fiveGroups(): { readonly links: Adjacency; readonly groups: Int32Array } {
  const pairs = Array.from({ length: 200 }, (_, note) => {
    const [group, at] = [Math.floor(note / 40), note % 40]
    const own = [1, 7, 19].map((step): [number, number] => [note, group * 40 + ((at + step) % 40)])
    return at % 5 === 0 ? [...own, [note, (note + 40) % 200] as const] : own
  })
  return { links: linksOf(200, pairs.flat()), groups: Int32Array.from({ length: 200 }, (_, note) => Math.floor(note / 40)) }
}

test('the notes fill a landscape frame without large gaps', () => {
  const { links, groups } = fiveGroups()
  const places = layOut(links, [groups])
  const [xs, ys] = [0, 1].map((axis) => places.filter((_, at) => at % 2 === axis))
  const [left, width] = [Math.min(...(xs ?? [])), span(xs)]
  const [top, height] = [Math.min(...(ys ?? [])), span(ys)]
  expect(width / height).toBeGreaterThan(1.2)
  expect(width / height).toBeLessThan(1.5)
  // Each square has room for about three notes.
  const squares = new Set(
    Array.from(groups, (_, note) => {
      const [x, y] = [((places[note * 2] ?? 0) - left) / width, ((places[note * 2 + 1] ?? 0) - top) / height]
      return Math.floor(x * 8.99) + 9 * Math.floor(y * 6.99)
    }),
  )
  expect(squares.size).toBeGreaterThan(0.75 * 9 * 7)
})

test('notes are closer together in the middle of their group than at its border', () => {
  const { links, groups } = fiveGroups()
  const places = layOut(links, [groups])
  const shares = [0, 40, 80, 120, 160].map((from) => {
    const middle = middleOf(places, from, from + 40)
    const distances = [...Array(40).keys()].map((at) => apart(places, from + at, middle))
    return distances.filter((distance) => distance < 0.5 * Math.max(...distances)).length / 40
  })
  // Half of the radius is a quarter of a disc.
  expect(shares.reduce((sum, share) => sum + share, 0) / 5).toBeGreaterThan(0.4)
})

test('linked notes of a group are closer to each other than to others', () => {
  // Forty pairs, and an index note that links to all of them.
  const links = linksOf(81, [
    ...Array.from({ length: 40 }, (_, pair): [number, number] => [2 * pair, 2 * pair + 1]),
    ...Array.from({ length: 80 }, (_, note): [number, number] => [80, note]),
  ])
  const places = layOut(links, [new Int32Array(81)])
  const distances = (note: number): readonly number[] =>
    [...Array(80).keys()].map((other) =>
      other === note ? Infinity : apart(places, note, [places[other * 2] ?? 0, places[other * 2 + 1] ?? 0]),
    )
  const beside = [...Array(80).keys()].filter((note) => distances(note)[note ^ 1] === Math.min(...distances(note)))
  expect(beside.length).toBeGreaterThan(25)
})

test('groups are neighbors that do not mix', () => {
  const { links, groups } = fiveGroups()
  const places = layOut(links, [groups])
  const strays = [...groups.keys()].filter((note) => {
    const others = [...groups.keys()].filter((other) => other !== note)
    const distance = (other: number): number => apart(places, note, [places[other * 2] ?? 0, places[other * 2 + 1] ?? 0])
    const nearest = others.toSorted((a, b) => distance(a) - distance(b)).slice(0, 4)
    return nearest.filter((other) => groups[other] === groups[note]).length < 2
  })
  expect(strays).toEqual([])
})

test('a few notes linked only to an index note do not shrink all others', () => {
  // Pairs linked from three index notes, and two pairs in a group of their own linked from one of these.
  const [paired, index] = [400, 404]
  const links = linksOf(index + 3, [
    ...Array.from({ length: index / 2 }, (_, pair): [number, number] => [2 * pair, 2 * pair + 1]),
    ...[0, 1, 2].flatMap((hub) => Array.from({ length: paired }, (_, note): [number, number] => [index + hub, note])),
    [index, paired],
    [index, paired + 2],
  ])
  const groups = Int32Array.from({ length: index + 3 }, (_, note) => (note < paired || note >= index ? 0 : Math.floor(note / 2)))
  const places = layOut(links, [groups])
  const middle = middleOf(places, 0, index + 3)
  const distances = Array.from(groups, (_, note) => apart(places, note, middle)).toSorted((a, b) => a - b)
  expect((distances.at(-1) ?? 0) / (distances[Math.floor(0.95 * distances.length)] ?? 1)).toBeLessThan(1.3)
})

test('notes keep their place, and a new note appears next to its neighbors', () => {
  fc.assert(
    fc.property(anyGraph(), fc.nat(), ({ count, pairs, groups }, chosen) => {
      const before = layOut(linksOf(count, pairs), [groups])
      const links = linksOf(count + 1, [...pairs, [count, chosen % count]])
      const after = placeNew(links, before)
      expect(after.subarray(0, count * 2)).toEqual(before)
      expect(hiddenNotes(links, after, [count])).toEqual([])
      const near = Math.hypot(...[0, 1].map((axis) => (after[count * 2 + axis] ?? 0) - (after[(chosen % count) * 2 + axis] ?? 0)))
      expect(near).toBeLessThan(3 * Math.sqrt(count) + 12)
    }),
  )
})

test('new notes without links go below everything and do not overlap', () => {
  const before = layOut(linksOf(6, chain(6)), [])
  const links = linksOf(9, chain(6))
  const after = placeNew(links, before)
  expect(hiddenNotes(links, after)).toEqual([])
  expect(after[13]).toBeGreaterThan(Math.max(...[0, 1, 2, 3, 4, 5].map((note) => before[note * 2 + 1] ?? 0)))
})

function span(all: ArrayLike<number> = []): number {
  const values = Array.from(all)
  return Math.max(...values) - Math.min(...values)
}

function anyGraph() {
  return fc.integer({ min: 1, max: 60 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      pairs: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 120 }),
      groups: fc.array(fc.nat(4), { minLength: count, maxLength: count }).map((groups) => Int32Array.from(groups)),
    }),
  )
}

function chain(count: number): readonly (readonly [number, number])[] {
  return Array.from({ length: count - 1 }, (_, at) => [at, at + 1])
}

function linksOf(count: number, pairs: readonly (readonly [number, number])[]): Adjacency {
  const rows = Array.from({ length: count }, () => new Set<number>())
  for (const [a, b] of pairs) {
    if (a === b) continue
    rows[a]?.add(b)
    rows[b]?.add(a)
  }
  const offsets = new Uint32Array(count + 1)
  for (const [at, row] of rows.entries()) offsets[at + 1] = (offsets[at] ?? 0) + row.size
  return { offsets, targets: Uint32Array.from(rows.flatMap((row) => [...row].sort((a, b) => a - b))) }
}

/** Pairs of overlapping notes; with `of`, only pairs that include one of these. */
function hiddenNotes({ offsets }: Adjacency, places: Places, of?: readonly number[]): readonly (readonly [number, number])[] {
  const count = places.length / 2
  const radius = (note: number) => radiusOf((offsets[note + 1] ?? 0) - (offsets[note] ?? 0))
  const found: [number, number][] = []
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      if (of !== undefined && !of.includes(a) && !of.includes(b)) continue
      const distance = Math.hypot(
        (places[a * 2] ?? 0) - (places[b * 2] ?? 0),
        (places[a * 2 + 1] ?? 0) - (places[b * 2 + 1] ?? 0),
      )
      if (distance < radius(a) + radius(b)) found.push([a, b])
    }
  }
  return found
}

function middleOf(places: Places, from: number, to: number): readonly [number, number] {
  let [x, y] = [0, 0]
  for (let note = from; note < to; note++) {
    x += places[note * 2] ?? 0
    y += places[note * 2 + 1] ?? 0
  }
  return [x / (to - from), y / (to - from)]
}

function apart(places: Places, note: number, [x, y]: readonly [number, number] = [0, 0]): number {
  return Math.hypot((places[note * 2] ?? 0) - x, (places[note * 2 + 1] ?? 0) - y)
}

test('a rotated and mirrored layout is turned back to the previous one', () => {
  fc.assert(
    fc.property(
      anyGraph(),
      fc.double({ min: 0, max: 6.28, noNaN: true }),
      fc.boolean(),
      ({ count, pairs, groups }, angle, isMirrored) => {
        const before = layOut(linksOf(count, pairs), [groups])
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
        const turned = before.map((_, at) => {
          const x = before[at & ~1] ?? 0
          const y = (before[at | 1] ?? 0) * (isMirrored ? -1 : 1)
          return 7 + (at % 2 === 0 ? cos * x - sin * y : sin * x + cos * y)
        })
        for (const [at, value] of alignTo(turned, before).entries()) expect(value).toBeCloseTo(before[at] ?? 0, 2)
      },
    ),
  )
})
