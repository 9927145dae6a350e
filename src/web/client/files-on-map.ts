import type { LinkedFile } from '../../core/insight/picture.ts'
import { type Graph, placeOf, radiusOf, withLinks } from './graph.ts'

/** Distances between a file and its note, in layout units. */
const [MIN_DISTANCE, MAX_DISTANCE] = [0.6, 2.2]
const FULL_TURN = 2 * Math.PI

/** Places attachments and canvases near their linked notes, which do not move. */
export function withFiles(graph: Graph, files: readonly LinkedFile[]): Graph {
  const { picture, numberOf } = graph
  const linkedFiles = files.filter(({ linked }) => linked.some((id) => numberOf.has(id)))
  if (linkedFiles.length === 0) return graph
  const numbers = new Map([...numberOf, ...linkedFiles.map(({ id }, at) => [id, graph.count + at] as const)])
  const folderNames = [...new Set([...picture.folder_names, ...linkedFiles.map(({ folder }) => folder)])]
  const folders = new Map(folderNames.map((name, at) => [name, at]))
  const extended = {
    notes: graph.notes,
    vault: graph.vault,
    places: Float32Array.from([...graph.places, ...linkedFiles.flatMap((file) => placeOfFile(graph, file))]),
    picture: {
      ...picture,
      ids: [...picture.ids, ...linkedFiles.map(({ id }) => id)],
      titles: [...picture.titles, ...linkedFiles.map(({ title }) => title)],
      folders: [...picture.folders, ...linkedFiles.map(({ folder }) => folders.get(folder) ?? 0)],
      folder_names: folderNames,
      tags: [...picture.tags, ...linkedFiles.map(() => [])],
      communities: [...picture.communities, ...linkedFiles.map(() => -1)],
      region_of: [...picture.region_of, ...linkedFiles.map(() => -1)],
    },
  }
  return withLinks(extended, Uint32Array.from([...graph.pairs, ...pairsOf(numbers, linkedFiles)]))
}

function pairsOf(numbers: ReadonlyMap<string, number>, files: readonly LinkedFile[]): readonly number[] {
  const all = files.flatMap(({ id, linked }) => linked.map((other) => [numbers.get(id) ?? -1, numbers.get(other) ?? -1]))
  const pairs = all.filter((pair) => !pair.includes(-1)).map((pair) => pair.toSorted((a, b) => a - b))
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()].flat()
}

/** The offset from the center is a hash of the file's id (FNV-1a), so the file stays in place. */
function placeOfFile(graph: Graph, { id, linked }: LinkedFile): readonly [x: number, y: number] {
  const notes = linked.flatMap((one) => graph.numberOf.get(one) ?? [])
  const middle = (axis: 0 | 1): number => notes.reduce((sum, note) => sum + placeOf(graph, note)[axis], 0) / notes.length
  let hash = 2_166_136_261
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519)
  const [turn, far] = [(hash & 0xffff) / 0xffff, (hash >>> 16) / 0xffff]
  const radius = notes.length === 1 ? radiusOf(graph.degrees[notes[0] ?? 0] ?? 0) : 0
  const distance = radius + MIN_DISTANCE + far * (MAX_DISTANCE - MIN_DISTANCE)
  return [middle(0) + distance * Math.cos(turn * FULL_TURN), middle(1) + distance * Math.sin(turn * FULL_TURN)]
}
