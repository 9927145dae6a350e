import { type Graph, groupingBy } from './graph.ts'
import type { Theme } from './map-view.ts'
import type { ColourBy } from './state.ts'

/** Twelve colours that can be told apart on light and on dark ground; the last is for what has none of its own. */
export const PALETTE: readonly string[] = [
  '#4e79a7',
  '#f28e2b',
  '#e15759',
  '#59a19b',
  '#59a14f',
  '#c99a1f',
  '#a56a98',
  '#e5748a',
  '#8d6a55',
  '#6b7fd7',
  '#3f9fbf',
  '#8a8f98',
]
const OTHER = PALETTE.length - 1

export interface Legend {
  readonly name: string
  readonly colour: string
  readonly notes: number
}

export interface Coloured {
  /** A colour of the palette for each note. */
  readonly colours: Uint8Array
  readonly legend: readonly Legend[]
  /** What a note's colour says of it. */
  nameOf(note: number): string | undefined
}

/** Groups above this number share the last colour. */
const MOST_GROUPS = 1_000

/**
 * A colour for each note by what it belongs to. The largest groups have one each. Smaller communities and regions have names of their own on the map, and take the colour
 * whose notes are furthest away; folders and tags have none there, and share the last.
 */
export function coloursOf(graph: Graph, by: ColourBy): Coloured {
  const grouping = by === 'community' || by === 'region' ? groupingBy(graph, by) : undefined
  const groupOf = groupingOf(graph, by)
  const counts = new Map<string, number>()
  const groups = Array.from({ length: graph.count }, (_, note) => groupOf(note))
  for (const group of groups) if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1)
  // However many of its notes are drawn, a community keeps its colour.
  if (grouping !== undefined) for (const group of counts.keys()) counts.set(group, grouping.groups[Number(group)]?.notes ?? 0)
  const bySize = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const largest = bySize.slice(0, OTHER)
  const colourOf = new Map(largest.map(([group], at) => [group, at]))
  if (grouping !== undefined) {
    const middles = middlesOf(graph, groups)
    for (const [group] of bySize.slice(OTHER, MOST_GROUPS)) colourOf.set(group, furthest(group, colourOf, middles))
  }
  const label = (group: string): string => (grouping === undefined ? group || '/' : (grouping.groups[Number(group)]?.label ?? ''))
  return {
    colours: Uint8Array.from(groups, (group) => (group === undefined ? OTHER : (colourOf.get(group) ?? OTHER))),
    legend: largest.map(([group, notes], at) => ({ name: label(group), colour: PALETTE[at] ?? '', notes })),
    nameOf(note) {
      const group = groups[note]
      return group === undefined ? undefined : label(group)
    },
  }
}

function groupingOf(graph: Graph, by: ColourBy): (note: number) => string | undefined {
  const { picture } = graph
  if (by === 'community' || by === 'region') {
    const { of } = groupingBy(graph, by)
    return (note) => {
      const group = of[note] ?? -1
      return group < 0 ? undefined : String(group)
    }
  }
  if (by === 'tag') return (note) => picture.tag_names[picture.tags[note]?.[0] ?? -1]
  return (note) => picture.folder_names[picture.folders[note] ?? -1]?.split('/')[0]
}

type Middles = ReadonlyMap<string, readonly [x: number, y: number]>

function middlesOf({ places }: Graph, groups: readonly (string | undefined)[]): Middles {
  const sums = new Map<string, [x: number, y: number, notes: number]>()
  for (const [note, group] of groups.entries()) {
    if (group === undefined) continue
    const [x, y, notes] = sums.get(group) ?? [0, 0, 0]
    sums.set(group, [x + (places[note * 2] ?? 0), y + (places[note * 2 + 1] ?? 0), notes + 1])
  }
  return new Map([...sums].map(([group, [x, y, notes]]) => [group, [x / notes, y / notes]]))
}

/** The colour whose groups are furthest from a group. */
function furthest(group: string, colourOf: ReadonlyMap<string, number>, middles: Middles): number {
  const [x, y] = middles.get(group) ?? [0, 0]
  const nearest = new Array<number>(OTHER).fill(Number.POSITIVE_INFINITY)
  for (const [other, colour] of colourOf) {
    const [left, top] = middles.get(other) ?? [0, 0]
    nearest[colour] = Math.min(nearest[colour] ?? 0, Math.hypot(left - x, top - y))
  }
  return nearest.indexOf(Math.max(...nearest))
}

export function themeOf(isDark: boolean): Theme {
  return isDark
    ? { ground: '#16181d', text: '#e8e6e3', halo: '#16181d', link: '#aab4c4', accent: '#ffb454' }
    : { ground: '#ffffff', text: '#1d2129', halo: '#ffffff', link: '#5b6675', accent: '#c2410c' }
}
