import { describe, expect, test } from 'vitest'
import type { NodeId } from '../../../src/core/ids.ts'
import type { VaultPicture } from '../../../src/core/insight/picture.ts'
import { readEvents } from '../../../src/web/client/api.ts'
import { colorsOf, INDEX, PALETTE } from '../../../src/web/client/colors.ts'
import { around, boundsOf, graphOf, nearby, neighbors, overviewBy, towards } from '../../../src/web/client/graph.ts'
import { areasOf, landPartsOf, partsWithin } from '../../../src/web/client/map-areas.ts'
import { fitInto } from '../../../src/web/client/map-fit.ts'
import { Dots, placeLabel, wrapped } from '../../../src/web/client/map-labels.ts'
import { closestTo, exitOf, groundAt, weightsOf } from '../../../src/web/client/map-scene.ts'
import { placesIn, shapeFor } from '../../../src/web/client/map-shape.ts'
import { plainText } from '../../../src/web/client/plain-text.ts'
import { isJournal, noteAddress } from '../../../src/web/client/state.ts'

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
    const found = towards(CROSS, 0, direction)
    expect(found === undefined ? undefined : CROSS.picture.ids[found]).toBe(wanted)
  })

  test('skips notes that are filtered out', () => {
    const shown = Uint8Array.from(CROSS.picture.ids, (id) => Number(id !== 'r'))
    expect(CROSS.picture.ids[towards(CROSS, 0, [1, 0], shown) ?? -1]).toBe('f')
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

test('more steps show more notes around a note', () => {
  const idsAround = (steps: number) => [...around(CROSS, 1, steps)].map((note) => CROSS.picture.ids[note]).sort()
  expect([idsAround(0), idsAround(1), idsAround(2), idsAround(3)]).toEqual([
    ['r'],
    ['m', 'r'],
    ['f', 'm', 'r', 'u'],
    ['f', 'm', 'r', 'u', 'x'],
  ])
})

test('the surroundings of a note do not include paths through a note that links to a large part of the vault', () => {
  const leaves = Array.from({ length: 60 }, (_, at) => `leaf${at}`)
  const notes = ['index', 'own', 'near', 'far', ...leaves].map((name, at) => `${name}: ${at} 0`)
  const links = [...leaves, 'own'].map((name) => `index ${name}`)
  const graph = graphOf(pictureOf(notes, [...links, 'own near', 'near far']))
  const names = (from: number, steps: number) => [...around(graph, from, steps)].map((note) => graph.picture.ids[note]).sort()
  expect(names(1, 2)).toEqual(['far', 'index', 'near', 'own'])
  // What is looked at itself is left by all of its links.
  expect(names(0, 1)).toHaveLength(62)
})

test('the largest communities get a color each, and the others are gray and counted together', () => {
  const sized = (sizes: readonly number[]) =>
    colorsOf(
      graphOf(
        pictureOf(
          sizes.flatMap((size, group) =>
            Array.from({ length: size }, (_, at) => `n${group}x${at}: ${group} ${at} = ${group + 1}`),
          ),
          [],
        ),
      ),
      'community',
    )
  const { colors, legend } = sized(Array.from({ length: 14 }, (_, group) => 20 - group))
  expect(new Set(colors.slice(0, -15)).size).toBe(12)
  expect([...new Set(colors.slice(-15))]).toEqual([PALETTE.length - 1])
  expect(legend.slice(0, 12).map(({ notes }) => notes)).toEqual(Array.from({ length: 12 }, (_, group) => 20 - group))
  expect(legend.slice(12)).toEqual([{ name: 'other', color: PALETTE.at(-1), notes: 15, isRest: true }])
  // Seven colors are enough if the other groups are small.
  expect(sized([...Array(7).fill(20), 1, 1]).legend.map(({ notes }) => notes)).toEqual([...Array(7).fill(20), 2])
})

test('an index note has no palette color, and a single small group is named instead of called "other"', () => {
  const leaves = Array.from({ length: 60 }, (_, at) => `leaf${at}: ${at} 0 = ${(at % 13) + 1}`)
  const links = leaves.map((_, at) => `index leaf${at}`)
  const { colors, legend, cssOf } = colorsOf(graphOf(pictureOf([...leaves, 'index: 0 5 = 1'], links)), 'community')
  expect(colors[60]).toBe(INDEX)
  expect(cssOf(60)).toBe('var(--text)')
  expect([...colors.slice(0, 60)]).not.toContain(INDEX)
  expect(legend.slice(12)).toEqual([
    { name: 'group 9', color: PALETTE.at(-1), notes: 4 },
    { name: 'index notes', color: 'var(--text)', notes: 1, isRest: true },
  ])
})

test('areas meet without overlapping, and contain their communities but no stray notes', () => {
  const row = (group: number, left: number) =>
    Array.from({ length: 25 }, (_, at) => `g${group}n${at}: ${left + (at % 5) * 2} ${Math.floor(at / 5) * 2} = ${group}`)
  // The last note of the first community lies among the notes of the others.
  const notes = [...row(1, 0), ...row(2, 10), 'stray: 15 3 = 1']
  const links = notes.slice(1).map((note) => `g1n0 ${note.split(':')[0]}`)
  const graph = graphOf(pictureOf(notes, links))
  const { colors } = colorsOf(graph, 'folder')
  const look = { shown: new Uint8Array(graph.count).fill(1), palette: PALETTE }
  expect(areasOf(graph, { ...look, colors }).all).toHaveLength(1)
  const { all, colorAt } = areasOf(graph, { ...look, colors: Uint8Array.from(graph.picture.communities) })
  expect(all.map(({ color, outlines }) => [color, outlines.length])).toEqual([
    [0, 1],
    [1, 1],
  ])
  const [first = [], second = []] = all.map(({ outlines }) => boundsOf(outlines[0] ?? []))
  const gap = (second[0] ?? 0) - (first[2] ?? 0)
  expect(gap).toBeGreaterThan(0)
  expect(gap).toBeLessThan(1)
  const found = [...Array(graph.count).keys()].map((note) =>
    colorAt(graph.places[note * 2] ?? 0, graph.places[note * 2 + 1] ?? 0),
  )
  expect(found).toEqual([...Array(25).fill(0), ...Array(26).fill(1)])
})

/** Rows of ten notes of a group, for `pictureOf`. */
function block(group: number, left: number, rows: number): readonly string[] {
  return Array.from(
    { length: rows * 10 },
    (_, at) => `g${group}n${at}: ${left + 2 * (at % 10)} ${2 * Math.floor(at / 10)} = ${group}`,
  )
}

test('a large region has its communities as parts, and a small region has none', () => {
  const notes = [...block(1, 0, 6), ...block(2, 20, 6), ...block(3, 60, 3), ...block(4, 80, 3)]
  const ids = notes.map((note) => note.split(':')[0] ?? '')
  const picture = pictureOf(
    notes,
    ids.slice(1).map((id, at) => `${ids[at]} ${id}`),
  )
  const isSmall = picture.communities.map((group) => Number(group > 1))
  const graph = graphOf({ ...picture, region_of: isSmall })
  const look = {
    shown: new Uint8Array(graph.count).fill(1),
    colors: Uint8Array.from(isSmall),
    palette: PALETTE,
    isColoredByGroup: true,
    groupedBy: 'region',
  } as const
  const parts = landPartsOf(graph, look)
  expect(parts.map(({ color, label, notes, outlines }) => [color, label, notes.length, outlines.length])).toEqual([
    [0, 'group 1', 60, 1],
    [0, 'group 2', 60, 1],
  ])
  expect(parts.map(({ has }) => [has(9, 5), has(29, 5), has(69, 3)])).toEqual([
    [true, false, false],
    [false, true, false],
  ])
  expect(landPartsOf(graph, { ...look, groupedBy: 'community' })).toEqual([])
})

test('parts with better linked notes have a darker background, which lies below the names', () => {
  const chain = [1, 2].flatMap((of) => Array.from({ length: 59 }, (_, at) => `g${of}n${at} g${of}n${at + 1}`))
  const more = Array.from({ length: 58 }, (_, at) => `g2n${at} g2n${at + 2}`)
  const graph = graphOf({
    ...pictureOf([...block(1, 0, 6), ...block(2, 20, 6)], [...chain, ...more]),
    region_of: Array(120).fill(0),
    regions: [{ id: 'r0', label: 'a', notes: 120 }],
  })
  const shown = new Uint8Array(120).fill(1)
  const look = {
    ...{ shown, colors: new Uint8Array(120), palette: PALETTE, isColoredByGroup: true, groupedBy: 'region' as const },
    ...{ focus: undefined, lit: undefined, path: [] },
  }
  expect(landPartsOf(graph, look).map(({ label, rank }) => [label, rank])).toEqual([
    ['group 1', 0],
    ['group 2', 1],
  ])
  const theme = { ground: '#ffffff', text: '#000000', link: '#000000', accent: '#000000', area: 0.1, dots: 1 }
  const sizes = { width: 100, height: 100, ratio: 1, magnified: 1, isNarrow: false }
  const frame = { graph, look, theme, ...sizes, camera: { x: 0, y: 0, scale: 1 }, highlight: undefined }
  const grounds = [[-90, 0] as const, [9, 5] as const, [29, 5] as const].map((at) => groundAt(frame, at))
  expect(grounds[0]).toBe('#ffffff')
  const sums = grounds.map((ground) =>
    [1, 3, 5].reduce((sum, from) => sum + Number.parseInt(ground.slice(from, from + 2), 16), 0),
  )
  expect(sums).toEqual(sums.toSorted((a, b) => b - a))
  expect(new Set(sums).size).toBe(3)
})

test('links between two lands are drawn as one band, including those of an index note', () => {
  const row = (group: number, left: number) =>
    Array.from({ length: 25 }, (_, at) => `g${group}n${at}: ${left + (at % 5) * 2} ${Math.floor(at / 5) * 2} = ${group}`)
  const links = ['g1n0 g1n1', 'g1n0 g2n0', 'g2n5 g1n5', 'g1n12 g2n1', 'g1n12 g1n3']
  const all = [...row(1, 0), ...row(2, 10)]
  const graph = graphOf(
    pictureOf(all, [...links, ...[1, 2].flatMap((of) => all.slice(1, 25).map((_, at) => `g${of}n${at} g${of}n${at + 1}`))]),
  )
  const colors = Uint8Array.from(graph.picture.communities)
  colors[12] = INDEX
  const { bands, of } = areasOf(graph, { shown: new Uint8Array(graph.count).fill(1), colors })
  expect(bands.map(({ from, to, links }) => [from, to, links])).toEqual([[0, 1, 3]])
  expect(of[12]).toBe(0)
})

test('the areas around notes are in view and not covered', () => {
  const points = Array.from({ length: 100 }, (_, at) => [at % 10, Math.floor(at / 10)]).flat()
  const legend = [0, 300, 120, 400] as const
  const { x, y, scale } = fitInto(points, { width: 400, height: 400, covered: [legend], most: 60, reach: 2 })
  const [left, bottom] = [200 + (0 - x) * scale, 200 + (9 - y) * scale]
  // The areas of notes at the corners are round.
  const near = 0.6 * 2 * scale
  expect(left - near > legend[2] || bottom + near < legend[1]).toBe(true)
  expect(200 + (-2 - x) * scale).toBeGreaterThan(0)
  expect(200 + (11 - x) * scale).toBeLessThan(400)
})

test('a name takes a free place on its land, and a required name hides as few notes as possible', () => {
  const dots = new Dots(200, 100)
  dots.add([0, 0, 120, 100])
  dots.add([150, 40, 160, 60])
  const view = { width: 200, height: 100 }
  const words = { text: 'a', lines: ['a'], font: '', spacing: 0, width: 40, height: 20 }
  const centers = [
    [60, 50],
    [150, 50],
    [150, 70],
  ] as const
  const label = (placing?: Parameters<typeof placeLabel>[3]) =>
    placeLabel({ ...view, covered: [], dots, placed: [] }, words, centers, placing)?.box
  expect(label()).toEqual([130, 60, 170, 80])
  const isAllowed = ([, y]: readonly [number, number]): boolean => y < 60
  expect(label({ isAllowed })).toBeUndefined()
  expect(label({ isAllowed, mostHidden: Infinity })).toEqual([130, 40, 170, 60])
  expect(label({ isAllowed, mostHidden: 10 })).toBeUndefined()
})

test('an area has no hole that a name would fill', () => {
  const ring = Array.from({ length: 60 }, (_, at) => {
    const [turn, away] = [((at % 20) / 20) * 2 * Math.PI, 6 + 2 * Math.floor(at / 20)]
    return `n${at}: ${(away * Math.cos(turn)).toFixed(2)} ${(away * Math.sin(turn)).toFixed(2)} = 1`
  })
  const graph = graphOf(
    pictureOf(
      ring,
      ring.slice(1).map((_, at) => `n0 n${at + 1}`),
    ),
  )
  const look = { shown: new Uint8Array(graph.count).fill(1), palette: PALETTE, colors: new Uint8Array(graph.count) }
  expect(areasOf(graph, look).colorAt(0, 0)).toBe(0)
  expect(areasOf(graph, look).colorAt(14, 0)).toBeUndefined()
})

test('a layout is turned and stretched to fill the window', () => {
  const wide = pictureOf(['a: 0 0', 'b: 20 10'], ['a b'])
  expect(shapeFor(wide, 2)).toEqual({ isTurned: false, across: 1, down: 1 })
  expect(shapeFor(wide, 0.5)).toEqual({ isTurned: true, across: 1, down: 1 })
  expect(shapeFor(wide, 1.2)).toEqual({ isTurned: false, across: 1, down: 1.3 })
  expect([...placesIn(wide, shapeFor(wide, 0.5))].map(Math.abs)).toEqual([0, 0, 10, 20])
  expect([...placesIn(wide, shapeFor(wide, 2.2))]).toEqual([0, 0, 22, 10].map(Math.fround))
  // A note without links stays below the others, even if they are turned.
  const { isTurned, ...shape } = shapeFor(pictureOf(['a: 0 0', 'b: 20 10', 'c: 10 13'], ['a b']), 0.5)
  const places = placesIn(pictureOf(['a: 0 0', 'b: 20 10', 'c: 10 13'], ['a b']), { isTurned: true, ...shape })
  expect(isTurned).toBe(true)
  expect(places[5]).toBeGreaterThan(Math.max(places[1] ?? 0, places[3] ?? 0))
})

test('a community keeps its color when another outgrows it and when the page is reloaded', () => {
  const row = (sizes: Readonly<Record<string, number>>) =>
    graphOf(
      pictureOf(
        Object.entries(sizes).flatMap(([group, size]) =>
          Array.from({ length: size }, (_, at) => `n${group}x${at}: ${at} ${group} = ${group}`),
        ),
        [],
      ),
    )
  const names = (colored: ReturnType<typeof colorsOf>) =>
    Object.fromEntries(colored.legend.map(({ name, color }) => [name, color]))
  const before = colorsOf(row({ 1: 3, 2: 2, 3: 2 }), 'community')
  const grown = row({ 1: 1, 2: 4, 3: 2 })
  expect(names(colorsOf(grown, 'community', before))).toEqual(names(before))
  expect(names(colorsOf(grown, 'community'))).toEqual(names(before))
})

test('a vault with too many communities is colored by region, unless one region has most of the notes', () => {
  const overviewOf = (communities: number, regions: readonly number[]) => {
    const notes = Array.from({ length: 60 }, (_, at) => `n${at}: ${at} 0 = ${at % communities}`)
    const sized = regions.map((size, at) => ({ id: `r${at}`, label: `region ${at}`, notes: size }))
    const regionOf = regions.flatMap((size, at) => Array<number>(size).fill(at))
    const graph = graphOf({ ...pictureOf(notes, []), regions: sized, region_of: regionOf })
    return { by: overviewBy(graph), legend: colorsOf(graph, overviewBy(graph)).legend.map(({ name }) => name) }
  }
  expect(overviewOf(30, [30, 20, 10])).toEqual({ by: 'region', legend: ['region 0', 'region 1', 'region 2'] })
  expect(overviewOf(30, [50, 10]).by).toBe('community')
  expect(overviewOf(3, [30, 20, 10])).toEqual({ by: 'community', legend: ['group 0', 'group 1', 'group 2'] })
})

test.each([
  ['**See** [[a/b|that]], [[c#d]], [here](e.md) and `code` ![[f.png]]', 'See that, c#d, here and code f.png'],
  ['| [[Ciabatta\\|ciabatta]] | 70 % |', 'ciabatta · 70 %'],
  ['| Range | Feels |\n| ----- | :---: |\n| 60 % | dry |', 'Range · Feels 60 % · dry'],
  ['### Dataview', 'Dataview'],
  ['Title\n=====\n\nText', 'Title Text'],
  ['> - [ ] Ask [[Feature]: more](https://example.org/a_(b)) ^ask', 'Ask [Feature]: more'],
  ['> [!warning]- Hot\n> Do not touch.', 'Hot Do not touch.'],
  ['or <button id=HH>[Open](a.md)</button> if 1 < 2', 'or Open if 1 < 2'],
  ['You can [submit a pull request](https://example.org/very/lo…', 'You can submit a pull request…'],
  ['…xample.org/long/address) and more', '… and more'],
  ['A link to [[Bread/Cia…', 'A link to Bread/Cia…'],
  ['seen %% not for you %% by all', 'seen by all'],
  ['seen %% not for\nyou', 'seen'],
  ['seen %% not for you…', 'seen …'],
  ['…not for you %% seen', '… seen'],
  ['`%%` begins a comment', '%% begins a comment'],
  ['seen <!-- hidden --> by all', 'seen by all'],
  [
    '==marked==, *leaning*, _also_, ~~gone~~, ***both***, **bold and _leaning_**',
    'marked, leaning, also, gone, both, bold and leaning',
  ],
  ['2 * 3 * 4, snake_case_name, a == b, `x*y*z`', '2 * 3 * 4, snake_case_name, a == b, x*y*z'],
  ['not \\*this\\*', 'not *this*'],
  ['```js\nlet a = 1\n```', 'let a = 1'],
  ['Said[^1] by <https://example.org>', 'Said by https://example.org'],
])('%j reads as %j', (markdown, plain) => {
  expect(plainText(markdown)).toBe(plain)
})

test('every possible name of a note can be written to an address and read back', () => {
  expect(noteAddress('\ud800 note')).toBe('#note=%EF%BF%BD+note')
  for (const id of ['a b.md', 'x&y=#.md', 'work:Größe/日本.md', '%41.md'])
    expect(new URLSearchParams(noteAddress(id).slice(1)).get('note')).toBe(id)
})

test('the address of a note names its vault if there are several', () => {
  expect(noteAddress('a.md', 'work')).toBe('#vault=work&note=a.md')
})

function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

test.each([
  ['whole', ['event: message\ndata: {}\n\n', ': still here\n\n'], 1],
  ['cut within the name of a field', ['event: message\nda', 'ta: {}\n\n'], 1],
  ['cut within a character', ['data: é', '\n\ndata: {}\n\n'], 2],
  ['byte by byte', [...'data: {}\n\n: data: none\n\ndata: {}\n\n'], 2],
])('an event of a stream is received when it comes %s', async (_, parts, events) => {
  const bytes = parts.flatMap((part) => {
    const encoded = new TextEncoder().encode(part)
    return part.includes('é') ? [encoded.slice(0, 7), encoded.slice(7)] : [encoded]
  })
  let heard = 0
  await readEvents(streamOf(bytes), () => heard++)
  expect(heard).toBe(events)
})

test('in a partly drawn vault, sizes and counts are those of the whole vault', () => {
  const drawn = pictureOf(['a: 0 0', 'b: 1 0 = 1'], ['a b'])
  const groups = [
    { id: 'c0', label: 'small', notes: 40 },
    { id: 'c1', label: 'large', notes: 60 },
  ]
  const graph = graphOf({ ...drawn, groups, count: 100, link_count: 300, degrees: [7, 1], named: [] })
  expect([graph.count, graph.vault, [...graph.degrees], [...neighbors(graph, 0)]]).toEqual([
    2,
    { notes: 100, links: 300 },
    [7, 1],
    [1],
  ])
  expect(colorsOf(graph, 'community').legend.map(({ name, notes }) => `${name} ${notes}`)).toEqual(['large 60', 'small 40'])
})

test('a note is shown with its linked notes, except index notes and distant ones', () => {
  const index = Array.from({ length: 41 }, (_, at) => `i${at}: 90 ${at}`)
  const graph = graphOf(
    pictureOf(
      ['a: 0 0', 'b: 1 0', 'c: 0 1', 'd: 2 2', 'far: 40 0', 'index: 1 1', ...index],
      ['a b', 'a c', 'a d', 'a far', 'a index', ...index.map((_, at) => `index i${at}`)],
    ),
  )
  expect(nearby(graph, 0).map((note) => graph.picture.ids[note])).toEqual(['a', 'b', 'c', 'd'])
  expect(nearby(graph, 6)).toEqual([6])
})

test('better linked notes weigh more in their group, and leaves and links with index notes weigh little', () => {
  const leaves = Array.from({ length: 50 }, (_, at) => `l${at}`)
  const graph = graphOf(
    pictureOf(
      ['best: 0 0', 'index: 0 0', 'own: 0 0 = 1', 'few: 0 0 = 1', ...leaves.map((leaf) => `${leaf}: 1 1`)],
      [...leaves.slice(0, 16).map((leaf) => `best ${leaf}`), ...leaves.map((leaf) => `index ${leaf}`), 'own few'],
    ),
  )
  const weights = Object.fromEntries(graph.picture.ids.map((id, note) => [id, weightsOf(graph)[note] ?? 0]))
  expect(weights.best).toBe(1)
  expect(weights.l0).toBeLessThan(0.25)
  expect(weights.l49).toBe(0)
  // If the notes of a group have few links, the same number of links has more weight.
  expect(weights.own).toBeGreaterThan(weights.l0 ?? 1)
})

test('the linked notes with the most common links come first, and daily notes last', () => {
  const picture = pictureOf(
    ['a: 0 0', 'day: 0 0', 'far: 0 0', 'near: 0 0', 'hidden: 0 0', 'out: 0 0'],
    ['a day', 'a far', 'a near', 'a hidden', 'near day', 'near hidden', 'far out'],
  )
  const graph = graphOf({ ...picture, titles: picture.titles.map((title) => (title === 'day' ? '2025-02-01 Day' : title)) })
  const look = { shown: Uint8Array.from(picture.ids, (id) => Number(id !== 'hidden')) } as Parameters<typeof closestTo>[0]['look']
  expect(closestTo({ graph, look }, 0).map((note) => picture.ids[note])).toEqual(['near', 'far', 'day'])
})

test('a part belongs to a chosen group only if all its notes do, and not because a search found one', () => {
  const parts = [{ notes: [1, 2] }, { notes: [3, 4] }]
  expect(partsWithin(parts, new Set([1, 2, 3]))).toEqual([{ notes: [1, 2] }])
  expect(partsWithin(parts, new Set([1, 3]))).toEqual([])
})

test('a link that leaves the view is drawn to the edge', () => {
  const shown = { width: 200, height: 100, view: { width: 100, height: 50 } } as Parameters<typeof exitOf>[0]
  expect(exitOf(shown, [100, 50], [200, 50])).toEqual([150, 50])
  expect(exitOf(shown, [100, 50], [100, 0])).toEqual([100, 25])
  expect(exitOf(shown, [100, 50], [140, 60])).toBeUndefined()
})

test('a name covers a link rather than a note, and neither if there is room', () => {
  const [dots, lines] = [new Dots(200, 100), new Dots(200, 100)]
  dots.add([0, 40, 60, 60])
  lines.addCurve([0, 20], [100, 20], [200, 20])
  const words = { text: 'a', lines: ['a'], font: '', spacing: 0, width: 40, height: 20 }
  const place = (...centers: readonly (readonly [number, number])[]) =>
    placeLabel({ width: 200, height: 100, covered: [], dots, lines, placed: [] }, words, centers, { mostHidden: Infinity })
      ?.box[1]
  expect(place([40, 50], [40, 20], [40, 80])).toBe(70)
  expect(place([40, 50], [40, 20])).toBe(10)
})

test('the name of a note keeps away from other notes if there is room', () => {
  const dots = new Dots(200, 100)
  dots.add([0, 62, 60, 70])
  const words = { text: 'a', lines: ['a'], font: '', spacing: 0, width: 40, height: 20 }
  const place = (...centers: readonly (readonly [number, number])[]) =>
    placeLabel({ width: 200, height: 100, covered: [], dots, placed: [] }, words, centers, { clear: 5 })?.box[1]
  expect(place([40, 50], [40, 20])).toBe(10)
  expect(place([40, 50])).toBe(40)
})

test('names on the map break at spaces and after hyphens, but dates stay whole', () => {
  expect(wrapped('link-nodes-in-canvas')).toContainEqual(['link-nodes-', 'in-canvas'])
  expect(wrapped('Plugins for daily notes')).toContainEqual(['Plugins for', 'daily notes'])
  expect(wrapped('2021-08-28')).toEqual([['2021-08-28']])
})
