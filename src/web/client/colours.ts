import type { Graph } from './graph.ts'
import type { Theme } from './map-view.ts'
import type { ColourBy } from './state.ts'

/** Twelve colours that can be told apart on light and on dark ground; the last is for whatever has none of its own. */
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

/** A colour for each note by what it belongs to: the largest groups have one each, the others share the last. */
export function coloursOf(graph: Graph, by: ColourBy): { readonly colours: Uint8Array; readonly legend: readonly Legend[] } {
  const { picture } = graph
  const names =
    by === 'community' ? picture.groups.map(({ label }) => label) : by === 'folder' ? picture.folder_names : picture.tag_names
  const top = picture.folder_names.map((name) => name.split('/')[0] ?? '')
  const topNumber = new Map([...new Set(top)].map((name, at) => [name, at]))
  const topNames = [...topNumber.keys()]
  const groupOf = (note: number): number | undefined => {
    if (by === 'community') return picture.communities[note]
    if (by === 'folder') return topNumber.get(top[picture.folders[note] ?? 0] ?? '')
    return picture.tags[note]?.[0]
  }
  const counts = new Map<number, number>()
  for (let note = 0; note < graph.count; note++) {
    const group = groupOf(note)
    if (group !== undefined && group >= 0) counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const largest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, OTHER)
  const colourOf = new Map(largest.map(([group], at) => [group, at]))
  const colours = Uint8Array.from({ length: graph.count }, (_, note) => colourOf.get(groupOf(note) ?? -1) ?? OTHER)
  const label = (group: number): string => (by === 'folder' ? topNames[group] || '/' : (names[group] ?? ''))
  return { colours, legend: largest.map(([group, notes], at) => ({ name: label(group), colour: PALETTE[at] ?? '', notes })) }
}

export function themeOf(isDark: boolean): Theme {
  return isDark
    ? { ground: '#16181d', text: '#e8e6e3', halo: '#16181d', link: '#aab4c4', accent: '#ffb454' }
    : { ground: '#ffffff', text: '#1d2129', halo: '#ffffff', link: '#5b6675', accent: '#c2410c' }
}
