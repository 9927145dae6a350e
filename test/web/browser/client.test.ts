import { describe, expect, test } from 'vitest'
import type { NodeId } from '../../../src/core/ids.ts'
import type { VaultPicture } from '../../../src/core/insight/picture.ts'
import { coloursOf, PALETTE } from '../../../src/web/client/colours.ts'
import { around, graphOf, neighbours, overviewBy, towards } from '../../../src/web/client/graph.ts'
import { isJournal } from '../../../src/web/client/journals.ts'
import { noteAddress } from '../../../src/web/client/note-address.ts'
import { plainLine } from '../../../src/web/client/plain-line.ts'

/** A picture of notes at places, `a: 0 0 = group`, and of links between them, `a b`. */
function pictureOf(notes: readonly string[], links: readonly string[]): VaultPicture {
  const parsed = notes.map((note) => /^(\w+): (\S+) (\S+)(?: = (\d+))?$/.exec(note) ?? [])
  const ids = parsed.map(([, id = '']) => id as NodeId)
  const pairs = links.flatMap((link) => link.split(' ').map((id) => ids.indexOf(id as NodeId)))
  const places = parsed.flatMap(([, , x, y]) => [Number(x), Number(y)])
  const groups = [...new Set(parsed.map(([, , , , group]) => Number(group ?? 0)))].sort((a, b) => a - b)
  const base64 = (array: Float32Array | Uint32Array): string => Buffer.from(array.buffer).toString('base64')
  return {
    generation: 1,
    ids,
    titles: ids,
    folders: ids.map(() => 0),
    folder_names: [''],
    tags: ids.map(() => []),
    tag_names: [],
    communities: parsed.map(([, , , , group]) => groups.indexOf(Number(group ?? 0))),
    groups: groups.map((group) => ({
      id: `c${group}`,
      label: `group ${group}`,
      notes: parsed.filter(([, , , , own]) => Number(own ?? 0) === group).length,
    })),
    region_of: ids.map(() => -1),
    regions: [],
    is_grouping: false,
    places: base64(Float32Array.from(places)),
    links: base64(Uint32Array.from(pairs)),
    is_crowded: false,
  }
}

const CROSS = graphOf(pictureOf(['m: 0 0', 'r: 5 1', 'f: 9 0', 'u: 0 -5', 'x: 3 0'], ['m r', 'm f', 'm u', 'f x']))

describe('an arrow key', () => {
  test.each([
    ['right', [1, 0], 'r'],
    ['up', [0, -1], 'u'],
    ['left', [-1, 0], undefined],
  ] as const)('%s goes to the nearest linked note there', (_, direction, wanted) => {
    const found = towards(CROSS, 0, { direction })
    expect(found === undefined ? undefined : CROSS.picture.ids[found]).toBe(wanted)
  })

  test('goes to no note that is filtered out', () => {
    const shown = Uint8Array.from(CROSS.picture.ids, (id) => Number(id !== 'r'))
    expect(CROSS.picture.ids[towards(CROSS, 0, { direction: [1, 0], shown }) ?? -1]).toBe('f')
  })
})

test.each([
  ['Journal/2025-02-01.md', true],
  ['journals/2025_02_01.md', true],
  ['20250201.md', true],
  ['2025-02.md', true],
  ['2025-W05.md', true],
  ['weekly/2025 w5.md', true],
  ['2025-Q1.md', true],
  ['2025.02.01.md', true],
  ['2025.md', false],
  ['2025-13-01.md', false],
  ['1234567.md', false],
  ['2025-02-01 Whiteboards.md', false],
  ['2025-02-01/Whiteboards.md', false],
])('%s is a journal: %s', (id, wanted) => {
  expect(isJournal(id)).toBe(wanted)
})

test('what is around a note grows with the steps', () => {
  const idsAround = (steps: number) => [...around(CROSS, 1, steps)].map((note) => CROSS.picture.ids[note]).sort()
  expect([idsAround(0), idsAround(1), idsAround(2), idsAround(3)]).toEqual([
    ['r'],
    ['m', 'r'],
    ['f', 'm', 'r', 'u'],
    ['f', 'm', 'r', 'u', 'x'],
  ])
})

test('what is around a note does not go on by way of a note that links to a large part of all', () => {
  const leaves = Array.from({ length: 60 }, (_, at) => `leaf${at}`)
  const notes = ['index', 'own', 'near', 'far', ...leaves].map((name, at) => `${name}: ${at} 0`)
  const links = [...leaves, 'own'].map((name) => `index ${name}`)
  const graph = graphOf(pictureOf(notes, [...links, 'own near', 'near far']))
  const names = (from: number, steps: number) => [...around(graph, from, steps)].map((note) => graph.picture.ids[note]).sort()
  expect(names(1, 2)).toEqual(['far', 'index', 'near', 'own'])
  // What is looked at itself is left by all of its links.
  expect(names(0, 1)).toHaveLength(62)
})

test('every community has a colour, the largest ones their own, and the others one that is not beside them', () => {
  // Eleven groups in a row; one more is smaller and lies beside the first.
  const row = Array.from({ length: 11 }, (_, group) => [
    `a${group}: ${group * 10} 0 = ${group}`,
    `b${group}: ${group * 10} 1 = ${group}`,
  ])
  const graph = graphOf(pictureOf([...row.flat(), 'last: 1 0 = 12'], []))
  const { colours, legend } = coloursOf(graph, 'community')
  const own = new Set(colours.filter((_, note) => note < 22))
  expect(own.size).toBe(PALETTE.length - 1)
  expect(legend.map(({ notes }) => notes)).toEqual(Array(PALETTE.length - 1).fill(2))
  expect(colours.at(-1)).not.toBe(colours[0])
  expect(Math.max(...colours)).toBeLessThan(PALETTE.length - 1)
})

test('a vault with more communities than can be told apart is coloured by regions, unless one has most of the notes', () => {
  const overviewOf = (communities: number, regions: readonly number[]) => {
    const notes = Array.from({ length: 60 }, (_, at) => `n${at}: ${at} 0 = ${at % communities}`)
    const sized = regions.map((size, at) => ({ id: `r${at}`, label: `region ${at}`, notes: size }))
    const regionOf = regions.flatMap((size, at) => Array<number>(size).fill(at))
    const graph = graphOf({ ...pictureOf(notes, []), regions: sized, region_of: regionOf })
    return { by: overviewBy(graph), legend: coloursOf(graph, overviewBy(graph)).legend.map(({ name }) => name) }
  }
  expect(overviewOf(30, [30, 20, 10])).toEqual({ by: 'region', legend: ['region 0', 'region 1', 'region 2'] })
  expect(overviewOf(30, [50, 10]).by).toBe('community')
  expect(overviewOf(3, [30, 20, 10])).toEqual({ by: 'community', legend: ['group 0', 'group 1', 'group 2'] })
})

test('a line of Markdown reads as its text', () => {
  expect(plainLine('**See** [[a/b|that]], [[c#d]], [here](e.md) and `code` ![[f.png]]')).toBe(
    'See that, c#d, here and code f.png',
  )
  expect(plainLine('| [[Ciabatta\\|ciabatta]] | [[')).toBe('| ciabatta | [[')
  expect(plainLine('### Dataview')).toBe('Dataview')
  expect(plainLine('> - [ ] Ask [[Feature]: more](https://example.org/a_(b)) ^ask')).toBe('Ask [Feature]: more')
  expect(plainLine('or <button id=HH>[Open](a.md)</button> if 1 < 2')).toBe('or Open if 1 < 2')
  expect(plainLine('You can [submit a pull request](https://example.org/very/lo…')).toBe('You can submit a pull request…')
})

test('every name that a note can hold has an address, from which it is read again', () => {
  expect(noteAddress('\ud800 note')).toBe('#note=%EF%BF%BD+note')
  for (const id of ['a b.md', 'x&y=#.md', 'work:Größe/日本.md', '%41.md'])
    expect(new URLSearchParams(noteAddress(id).slice(1)).get('note')).toBe(id)
})

test('of a vault that is drawn in part, sizes of notes and what is said of it are those of the whole', () => {
  const drawn = pictureOf(['a: 0 0', 'b: 1 0 = 1'], ['a b'])
  const groups = [
    { id: 'c0', label: 'small', notes: 40 },
    { id: 'c1', label: 'large', notes: 60 },
  ]
  const graph = graphOf({ ...drawn, groups, count: 100, link_count: 300, degrees: [7, 1], named: [] })
  expect([graph.count, graph.vault, [...graph.degrees], [...neighbours(graph, 0)]]).toEqual([
    2,
    { notes: 100, links: 300 },
    [7, 1],
    [1],
  ])
  expect(coloursOf(graph, 'community').legend.map(({ name, notes }) => `${name} ${notes}`)).toEqual(['large 60', 'small 40'])
})
