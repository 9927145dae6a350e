import type { Adjacency } from '../core/csr.ts'
import type { CommunityLevel } from '../core/insight/communities.ts'
import type { CutNote, Gaps } from '../core/insight/gaps.ts'
import type { Nearest } from '../core/insight/insight.ts'
import { apartCommunities } from './apart.ts'
import { plainLinks } from './communities/clustered-graph.ts'
import { indexNotes } from './communities/index-notes.ts'
import { isDate } from './communities/key-notes.ts'
import type { Corpus } from './corpus.ts'
import { notesFallingOff } from './cut-notes.ts'

export interface GapSource {
  readonly titles: readonly string[]
  readonly topology: Adjacency
  readonly nearest: Nearest
  readonly corpus: Pick<Corpus, 'bags' | 'documents'>
  readonly isStub: Uint8Array
}

/** Smaller groups are not reported. Every vault has many notes that are connected by a single link. */
const MIN_GROUP = 3

/** Finds similar communities with few links between them, notes whose removal would disconnect others, and dead ends. */
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

/** Returns the notes that others link to but that link to none, most linked first. */
function deadEnds({ offsets, targets }: Adjacency): readonly number[] {
  const incoming = new Uint32Array(offsets.length - 1)
  for (const target of targets) incoming[target]!++
  const ends: number[] = []
  incoming.forEach((links, note) => {
    if (links > 0 && offsets[note] === offsets[note + 1]) ends.push(note)
  })
  return ends.sort((a, b) => (incoming[b] as number) - (incoming[a] as number) || a - b)
}
