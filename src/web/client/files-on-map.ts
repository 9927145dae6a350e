import type { LinkedFile } from '../../core/insight/linked-files.ts'
import { type Graph, placeOf, radiusOf, withLinks } from './graph.ts'

/** Distances from a note to its closest and furthest file, in layout units. */
const [MIN_DISTANCE, MAX_DISTANCE] = [0.6, 2.2]
const FULL_TURN = 2 * Math.PI

/** Adds attachments and canvases next to the notes they are linked with. Notes do not move. */
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

/** Returns pairs of linked files. Two canvases that link to each other count as one pair. */
function pairsOf(numbers: ReadonlyMap<string, number>, files: readonly LinkedFile[]): readonly number[] {
  const seen = new Set<string>()
  return files.flatMap(({ id, linked }) => {
    const from = numbers.get(id) ?? 0
    return linked.flatMap((other) => {
      const to = numbers.get(other)
      if (to === undefined || seen.has(`${to} ${from}`)) return []
      seen.add(`${from} ${to}`)
      return [from, to]
    })
  })
}

/**
 * Places a file in the middle of its linked notes, with an offset derived from its id, so it always appears in the same
 * place.
 */
function placeOfFile(graph: Graph, { id, linked }: LinkedFile): readonly [x: number, y: number] {
  const notes = linked.flatMap((one) => graph.numberOf.get(one) ?? [])
  const middle = (axis: 0 | 1): number => notes.reduce((sum, note) => sum + placeOf(graph, note)[axis], 0) / notes.length
  const [turn, far] = fractionsOf(id)
  const radius = notes.length === 1 ? radiusOf(graph.degrees[notes[0] ?? 0] ?? 0) : 0
  const distance = radius + MIN_DISTANCE + far * (MAX_DISTANCE - MIN_DISTANCE)
  return [middle(0) + distance * Math.cos(turn * FULL_TURN), middle(1) + distance * Math.sin(turn * FULL_TURN)]
}

/** Derives two numbers from 0 to 1 from an id. */
function fractionsOf(id: string): readonly [number, number] {
  let hash = 2_166_136_261
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519)
  return [(hash & 0xffff) / 0xffff, (hash >>> 16) / 0xffff]
}
