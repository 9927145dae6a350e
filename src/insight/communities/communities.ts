import { type Communities, type Community, type CommunityLevel, NO_COMMUNITY } from '../../core/insight/insight.ts'
import { bridgesOf, membersOf } from './between.ts'
import { clusteredGraph, indexNotes, plainLinks } from './clustered-graph.ts'
import { type LabelSource, labelerOf } from './community-labels.ts'
import { type Divisions, type KeptCommunities, nameCommunities, recallDivisions } from './community-names.ts'
import { type KeyNotesSource, keyNotes } from './key-notes.ts'
import { type LabelCorpus, type LabelWords, labelWords } from './label-words.ts'
import { leiden } from './leiden.ts'
import { EdgeBuilder, type WeightedGraph, weightedGraph } from './weighted-graph.ts'

export interface CommunitySource extends Omit<KeyNotesSource, 'isIndex' | 'corpus'> {
  /** The ids in ascending order, so the order of notes does not affect the result. */
  readonly ids: readonly string[]
  readonly names: LabelSource['names']
  readonly folders: LabelSource['folders']
  readonly corpus: LabelCorpus & LabelSource['corpus']
}

/** There is one resolution per level. */
const RESOLUTIONS = [1, 2] as const
/**
 * The minimum gain for leaving a community. If it were lower, changing 1 % of the links would change 10 % of a large vault's
 * communities. A higher one costs more than 0.005 modularity.
 */
const STAY = { node: 0.2, group: 0.08 }
const MIN_NOTES = 3
const BRIDGES = [60, 200] as const

export function findCommunities(
  source: CommunitySource,
  kept?: KeptCommunities,
): { readonly communities: Communities; readonly kept: KeptCommunities } {
  const isIndex = indexNotes(source.topology)
  const links = plainLinks(source.topology, isIndex)
  const before = kept && recallDivisions(kept, source.ids)
  const [top, parts] = divide(source, links, before)
  const counts = [top.count, parts.count] as const
  const of: Divisions = [top.of, parts.of]
  const { names, next, successors, changed } = nameCommunities(of, counts, kept && before && { communities: kept, before })
  const whole = Uint32Array.from(source.ids.keys())
  const tops = membersOf(renumbered(top), top.count)
  const label = labelerOf(source)
  const describe = (level: 0 | 1): CommunityLevel => {
    const numbers = renumbered(level === 0 ? top : parts)
    const members = membersOf(numbers, counts[level])
    const groups = members.map((notes) => ({
      notes,
      whole: level === 0 ? whole : (tops[top.of[notes[0] as number] as number] ?? whole),
    }))
    const labels = labelWords(source.corpus, groups)
    const keys = keyNotes({ ...source, isIndex }, { of: numbers, terms: labels.map(({ terms }) => terms) })
    const ids = names[level] as readonly string[]
    const titled = label(
      members.map((notes, number) => ({
        notes,
        key: keys[number] as readonly number[],
        former: kept?.labels.get(ids[number] as string),
      })),
    )
    const list = members.map(
      (notes, number): Community => ({
        id: ids[number] as string,
        label: titled[number] || (ids[number] as string),
        size: notes.length,
        stubs: notes.reduce((stubs, note) => stubs + (source.isStub[note] as number), 0),
        inside: shareInside(links, numbers, notes),
        key: keys[number] as readonly number[],
        words: (labels[number] as LabelWords).words,
      }),
    )
    return { list, of: numbers, between: bridgesOf(links, numbers, BRIDGES[level]) }
  }
  const levels = [describe(0), describe(1)] as const
  const labels = new Map(levels.flatMap(({ list }) => list.map(({ id, label }) => [id, label] as const)))
  return {
    communities: { levels, successors, ...(changed && { changed }) },
    kept: { notes: source.ids, of, names, next, successors, labels },
  }
}

/** A division into communities, which are numbered by size. Those from `count` on are too small to be listed. */
interface Division {
  readonly of: Uint32Array
  readonly count: number
}

function renumbered({ of, count }: Division): Uint32Array {
  return of.map((number) => (number < count ? number : NO_COMMUNITY))
}

function divide(source: CommunitySource, links: WeightedGraph, before: Divisions | undefined): readonly [Division, Division] {
  const { ids, nearest } = source
  const order = Uint32Array.from(ids.keys()).sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1))
  const place = new Uint32Array(ids.length)
  order.forEach((note, at) => {
    place[note] = at
  })
  const graph = clusteredGraph(links, nearest, place)
  const find = (within: WeightedGraph, level: 0 | 1, resolution: number): Uint32Array => {
    const formerMembers = before?.[level]
    // A new note starts in a community of its own.
    const start =
      formerMembers &&
      order.map((note) => (formerMembers[note] === NO_COMMUNITY ? NO_COMMUNITY - 1 - note : (formerMembers[note] as number)))
    const subparts = leiden(within, { resolution, ...(formerMembers && start && { start, stay: STAY }) })
    return place.map((at) => subparts[at] as number)
  }
  const top = bySize(find(graph, 0, RESOLUTIONS[0]))
  const each = withoutCrossLinks(
    graph,
    order.map((note) => top.of[note] as number),
  )
  return [top, bySize(find(each.graph, 1, RESOLUTIONS[1] * each.parts), top)]
}

/**
 * Removes edges between classes and normalizes the weight of each class to 1. The caller must multiply the resolution by the
 * number of classes.
 */
function withoutCrossLinks(
  { offsets, targets, weights }: WeightedGraph,
  classes: Uint32Array,
): { readonly graph: WeightedGraph; readonly parts: number } {
  const edges = new EdgeBuilder(targets.length / 2)
  const sums = new Map<number, number>()
  for (let from = 0; from < classes.length; from++) {
    const ownClass = classes[from] as number
    for (let at = offsets[from] as number; at < (offsets[from + 1] as number); at++) {
      const to = targets[at] as number
      if (to < from || classes[to] !== ownClass) continue
      edges.add(from, to, weights[at] as number)
      sums.set(ownClass, (sums.get(ownClass) ?? 0) + (weights[at] as number))
    }
  }
  const { from, to, weights: edgeWeights } = edges.list()
  const scaled = edgeWeights.map((weight, at) => weight / (sums.get(classes[from[at] as number] as number) as number))
  return { graph: weightedGraph(classes.length, { from, to, weights: scaled }), parts: Math.max(1, sums.size) }
}

/** Numbers communities by size. Parts of larger communities come first; undivided communities have none. */
function bySize(of: Uint32Array, whole?: Division): Division {
  const sizes = new Map<number, number>()
  const wholeOf = new Map<number, number>()
  of.forEach((community, note) => {
    sizes.set(community, (sizes.get(community) ?? 0) + 1)
    wholeOf.set(community, whole?.of[note] ?? 0)
  })
  const large = [...sizes.keys()].filter((community) => (sizes.get(community) as number) >= MIN_NOTES)
  const partsOf = new Map<number, number>()
  for (const community of large) {
    const owner = wholeOf.get(community) as number
    partsOf.set(owner, (partsOf.get(owner) ?? 0) + 1)
  }
  const isNamed = (community: number) => whole === undefined || (partsOf.get(wholeOf.get(community) as number) as number) > 1
  const bySizeThen = (a: number, b: number) =>
    (wholeOf.get(a) as number) - (wholeOf.get(b) as number) || (sizes.get(b) as number) - (sizes.get(a) as number) || a - b
  const withNames = large.filter(isNamed).sort(bySizeThen)
  const isListed = new Set(withNames)
  const numbers = new Map(
    [...withNames, ...[...sizes.keys()].filter((community) => !isListed.has(community))].map((name, at) => [name, at]),
  )
  return { of: of.map((community) => numbers.get(community) as number), count: withNames.length }
}

function shareInside({ offsets, targets }: WeightedGraph, of: Uint32Array, notes: Uint32Array): number {
  let [inside, outside] = [0, 0]
  for (const note of notes) {
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      if (of[targets[at] as number] === of[note]) inside++
      else outside++
    }
  }
  // The loop counts each inner link twice, once from each end.
  return inside + outside === 0 ? 0 : inside / 2 / (inside / 2 + outside)
}
