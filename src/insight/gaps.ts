import type { Adjacency } from '../core/csr.ts'
import type { CommunityLevel, CutNote, Gaps } from '../core/insight/insight.ts'
import { apartCommunities } from './apart.ts'
import { indexNotes, plainLinks } from './communities/clustered-graph.ts'
import { isDate, type KeyNotesSource } from './communities/key-notes.ts'
import type { WeightedGraph } from './communities/weighted-graph.ts'
import type { Corpus } from './corpus.ts'

export interface GapSource extends Omit<KeyNotesSource, 'isIndex' | 'corpus'> {
  readonly corpus: Pick<Corpus, 'bags' | 'documents'>
}

/** The minimum size of a group. Every vault has many small groups behind a single link. */
const MIN_GROUP = 3

export function findGaps(source: GapSource, communities: Pick<CommunityLevel, 'list' | 'of'>): Gaps {
  const { topology, titles, isStub } = source
  const isIndex = indexNotes(topology)
  const links = plainLinks(topology, isIndex)
  const isLeftOut = isIndex.map((index, note) => (index === 1 || isDate(titles[note] as string) ? 1 : 0))
  const ends = deadEnds(topology)
  return {
    apart: apartCommunities(communities, { ...source, links, isLeftOut }),
    cut: cutNotes(notesFallingOff(links)),
    deadEnds: ends.filter((note) => isStub[note] === 0),
    deadEndStubs: ends.filter((note) => isStub[note] === 1),
  }
}

function cutNotes(falling: Uint32Array): readonly CutNote[] {
  const cutOff: CutNote[] = []
  falling.forEach((fallsOff, note) => {
    if (fallsOff >= MIN_GROUP) cutOff.push({ note, fallsOff })
  })
  return cutOff.sort((a, b) => b.fallsOff - a.fallsOff || a.note - b.note)
}

function deadEnds({ offsets, targets }: Adjacency): readonly number[] {
  const incoming = new Uint32Array(offsets.length - 1)
  for (const target of targets) incoming[target]!++
  const ends: number[] = []
  incoming.forEach((links, note) => {
    if (links > 0 && offsets[note] === offsets[note + 1]) ends.push(note)
  })
  return ends.sort((a, b) => (incoming[b] as number) - (incoming[a] as number) || a - b)
}

/**
 * Returns, for each note, the number of notes that its removal would disconnect (articulation points: Hopcroft, Tarjan 1973). The
 * search is not recursive, because paths may be as long as the vault.
 */
export function notesFallingOff({ offsets, targets }: Pick<WeightedGraph, 'offsets' | 'targets'>): Uint32Array {
  const count = offsets.length - 1
  const falling = new Uint32Array(count)
  /** The order of discovery, starting at 1. Notes with 0 have not been visited. */
  const visits = new Uint32Array(count)
  /** Tarjan's low-link values. */
  const lowest = new Uint32Array(count)
  const below = new Uint32Array(count)
  const next = offsets.slice(0, count)
  /** The total and maximum size of the subtrees that each note's removal disconnects. */
  const hanging = new Uint32Array(count)
  const largest = new Uint32Array(count)
  const trail = new Int32Array(count)
  let time = 0
  const part: number[] = []
  for (let root = 0; root < count; root++) {
    if (visits[root] !== 0) continue
    part.length = 0
    let depth = 0
    const enter = (note: number) => {
      visits[note] = lowest[note] = ++time
      below[note] = 1
      trail[depth++] = note
      part.push(note)
    }
    enter(root)
    while (depth > 0) {
      const note = trail[depth - 1] as number
      if ((next[note] as number) < (offsets[note + 1] as number)) {
        const other = targets[next[note]!++] as number
        if (visits[other] === 0) enter(other)
        // The edge to the parent is skipped.
        else if (depth < 2 || other !== trail[depth - 2]) lowest[note] = Math.min(lowest[note] as number, visits[other] as number)
        continue
      }
      if (--depth === 0) break
      const above = trail[depth - 1] as number
      below[above]! += below[note] as number
      lowest[above] = Math.min(lowest[above] as number, lowest[note] as number)
      if ((lowest[note] as number) < (visits[above] as number)) continue
      hanging[above]! += below[note] as number
      largest[above] = Math.max(largest[above] as number, below[note] as number)
    }
    for (const note of part) {
      const rest = part.length - 1 - (hanging[note] as number)
      falling[note] = part.length - 1 - Math.max(rest, largest[note] as number)
    }
  }
  return falling
}
