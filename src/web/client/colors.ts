import type { PictureGroup } from '../../core/insight/picture.ts'
import { type ColorBy, type Graph, groupingBy, isIndex, today } from './graph.ts'

/** Twelve colors for light and dark backgrounds, and a last one for all other notes. */
export const PALETTE: readonly string[] =
  '#4878b8 #f08c3a #df5b5f #2f9ea3 #62a74c #cfa11f #a06bb4 #d879b0 #94705a #62b0e0 #a9b03c #6a6fd0 #9aa0aa'.split(' ')
export const OTHER = PALETTE.length - 1
/** The indexes of colors by hue, without brown and gray. */
const HUES = [2, 1, 5, 10, 4, 3, 9, 0, 11, 6, 7]

/** Returns a color with a quarter of its neighbor by hue for a `rank` of 0 or 1, and none for 0.5. */
export function tinted(color: number, rank: number): string {
  const own = PALETTE[color] ?? ''
  const at = HUES.indexOf(color)
  const next = HUES.at((at + (rank > 0.5 ? 1 : -1)) % HUES.length) ?? 0
  return at < 0 ? own : mixed(PALETTE[next] ?? own, own, 0.5 * Math.abs(rank - 0.5))
}

/** The minimum number of colors. More groups get one if the others would exceed `MAX_OTHER_SHARE` of all notes. */
const MIN_COLORS = 7
const MAX_OTHER_SHARE = 0.1
/** Index notes have the text color, because they link to everything. */
export const INDEX = PALETTE.length
export const INDEX_COLOR = 'var(--text)'

export interface Legend {
  readonly name: string
  readonly color: string
  readonly notes: number
  readonly isRest?: boolean
}

export interface Colored {
  readonly graph: Graph
  readonly by: ColorBy
  readonly colors: Uint8Array
  readonly colorOf: ReadonlyMap<string, number>
  readonly legend: readonly Legend[]
  cssOf(note: number | undefined): string
  nameOf(note: number): string | undefined
}

/**
 * Gives the largest groups a color each. A group keeps its color from `last`. A new color depends on the group's id, not on its
 * size.
 */
export function colorsOf(graph: Graph, by: ColorBy, last?: Colored): Colored {
  if (last?.graph === graph && last.by === by) return last
  const before: ReadonlyMap<string, number> = last?.by === by ? last.colorOf : new Map()
  const groupOf = groupsOf(graph, by)
  const bySize = [...new Set(groupOf)]
    .filter((group) => group !== undefined)
    .sort((a, b) => b.notes - a.notes || (a.id < b.id ? -1 : 1))
  const notesFrom = (at: number): number => bySize.slice(at).reduce((sum, { notes }) => sum + notes, 0)
  let colored = MIN_COLORS
  while (colored < OTHER && notesFrom(colored) > MAX_OTHER_SHARE * notesFrom(0)) colored++
  const [largest, small] = [bySize.slice(0, colored), bySize.slice(colored)]
  const hasGroups = largest.length > 0
  const otherNotes = hasGroups ? groupOf.filter((group) => group === undefined).length + notesFrom(colored) : 0
  const colorOf = ownColors(largest, before)
  const hasIndexes = hasGroups && (by === 'community' || by === 'region')
  const colors = Uint8Array.from(groupOf, (group, note) =>
    hasIndexes && isIndex(graph, note) ? INDEX : ((group && colorOf.get(group.id)) ?? OTHER),
  )
  const cssOf = (color = OTHER): string => (color === INDEX ? INDEX_COLOR : (PALETTE[color] ?? ''))
  const [only] = small
  const restEntry = small.length === 1 && only?.notes === otherNotes ? { name: only.label } : { name: 'other', isRest: true }
  return {
    graph,
    by,
    colors,
    colorOf: new Map([...before, ...colorOf]),
    legend: [
      ...largest.map(({ id, label, notes }) => ({ name: label, color: cssOf(colorOf.get(id)), notes })),
      { ...restEntry, color: cssOf(OTHER), notes: otherNotes },
      { name: 'index notes', color: INDEX_COLOR, notes: colors.filter((color) => color === INDEX).length, isRest: true },
    ].filter(({ notes }) => notes > 0),
    cssOf: (note = -1) => cssOf(colors[note]),
    nameOf: (note) => groupOf[note]?.label,
  }
}

/** Gives each group its previous color, or else the color of its id or any free color. */
function ownColors(groups: readonly PictureGroup[], before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const free = new Set(PALETTE.slice(0, OTHER).keys())
  const colorOf = new Map<string, number>()
  const assign = (id: string, color: number | undefined): void => {
    if (color !== undefined && !colorOf.has(id) && free.delete(color)) colorOf.set(id, color)
  }
  for (const { id } of groups) assign(id, before.get(id))
  const byId = groups.toSorted((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))
  // Community ids (`c1`, `c2` …) are stable, so colors survive a reload.
  for (const { id } of byId) if (/^[cr]\d+$/.test(id)) assign(id, (Number(id.slice(1)) + OTHER - 1) % OTHER)
  for (const { id } of byId) assign(id, free.values().next().value)
  return colorOf
}

/** Returns the group of each note. The size of a community includes notes that are not drawn. */
function groupsOf(graph: Graph, by: ColorBy): readonly (PictureGroup | undefined)[] {
  if (by === 'community' || by === 'region') {
    const { of, groups } = groupingBy(graph, by)
    return of.map((group) => groups[group])
  }
  const names = [...graph.picture.ids.keys()].map((note) => nameOf(note, graph, by))
  const groups = new Map<string | undefined, PictureGroup>()
  for (const name of names)
    if (name !== undefined) groups.set(name, { id: name, label: name || '/', notes: (groups.get(name)?.notes ?? 0) + 1 })
  return names.map((name) => groups.get(name))
}

function nameOf(note: number, { picture }: Graph, by: 'folder' | 'tag' | 'age'): string | undefined {
  if (by === 'age') {
    const day = 'modified' in picture ? (picture.modified[note] ?? -1) : -1
    return day < 0 ? undefined : AGES.find(([days]) => today() - day <= days)?.[1]
  }
  if (by === 'tag') return picture.tag_names[picture.tags[note]?.[0] ?? -1]
  return picture.folder_names[picture.folders[note] ?? -1]?.split('/')[0]
}

const AGES: readonly (readonly [days: number, name: string])[] = [
  [7, 'last 7 days'],
  [31, 'last month'],
  [183, 'last half year'],
  [365, 'last year'],
  [3 * 365, 'last 3 years'],
  [Number.POSITIVE_INFINITY, 'earlier'],
]

/** @param share share of the first color */
export function mixed(a: string, b: string, share: number): string {
  const channel = (color: string, from: number): number => Number.parseInt(color.slice(from, from + 2), 16)
  const channels = [1, 3, 5].map((from) => Math.round(share * channel(a, from) + (1 - share) * channel(b, from)))
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
