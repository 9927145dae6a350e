import type { NodeId } from '../../core/ids.ts'
import type { ChunkPlace } from '../../core/search.ts'
import { ALL, type Node, type NodeSummary } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import { dotProduct, magnitudeOf } from '../../core/vectors.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { answerFindable, type Call } from '../answer/answer-when-ready.ts'
import { type Fitted, leftOutOf } from '../answer/budget.ts'
import { fitShares } from '../answer/fit-members.ts'
import { MAX_SHOWN_SIMILARITY, roundScore } from '../answer/node-response.ts'
import { quoted } from '../answer/truncate.ts'
import { knownTraits } from '../find/embedder-traits.ts'
import { wordsOf } from '../find/passage-text.ts'
import { chunksOf, toPassage } from '../find/passages.ts'
import { centerOf, servingVectors } from '../find/similar-nodes.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type ReadingContext, readableSource, readNotes, shownText, unreadWarnings } from '../read/texts.ts'
import { WITH_TEXT } from '../scope.ts'

export interface CompareArguments {
  /** The note as an id or a unique title. */
  readonly a: string
  readonly b: string
}

export interface SharedPassage {
  /** The similarity, from 0 to 1. */
  readonly alike: number
  readonly lines_a: readonly [first: number, last: number]
  readonly text_a: string
  readonly lines_b: readonly [first: number, last: number]
  readonly text_b: string
}

export interface Comparison {
  /** Nodes that are linked to or from both notes, highest in-degree first. */
  readonly shared: readonly NodeSummary[]
  readonly only_a: readonly NodeSummary[]
  readonly only_b: readonly NodeSummary[]
  /** The similarity, 0–1, by vectors if available, and otherwise by words. Equal texts score 1. */
  readonly alike: number
  readonly path: readonly NodeId[]
  readonly shared_passages: readonly SharedPassage[]
  readonly total: Readonly<Record<ComparedList, number>>
}

export type ComparedList = 'shared' | 'only_a' | 'only_b' | 'shared_passages'

/** The limit exceeds any budget. It does not apply if all neighbors are requested. */
const MAX_NOTES = 500
/** If a note has more parts, only those nearest to the other note are compared. */
const MAX_PARTS = 60
const MIN_SIMILARITY = 0.82
/** Texts of this length get half weight, because short texts from a template look similar. */
const HALF_WEIGHT_WORDS = 3
const MAX_PASSAGES = 5
const PASSAGE_LENGTH = 300

/** Returns `null` if one of the notes does not exist. */
export function compare(core: GraphCore, { a, b }: CompareArguments, call: Call = {}): Promise<Answer<Comparison | null>> {
  return answerFindable(core, call, 'meaning', (read) =>
    read(async (snapshot) => {
      const { ids, warnings } = await findNamed(snapshot, core, [a, b])
      const [first, second] = ids
      if (first === undefined || second === undefined) return { value: null, warnings }
      const result = await compareIn({ core, snapshot, call }, [first, second])
      return { ...result, warnings: [...warnings, ...result.warnings] }
    }),
  )
}

type Pair<T> = readonly [a: T, b: T]

async function compareIn(reading: ReadingContext, ids: Pair<NodeId>): Promise<Answer<Comparison>> {
  const { snapshot } = reading
  const kinds = { direction: 'both', kinds: WITH_TEXT } as const
  const [ofA, ofB, paths, read] = await Promise.all([
    snapshot.neighbors(ids[0], kinds, ALL),
    snapshot.neighbors(ids[1], kinds, ALL),
    ids[0] === ids[1] ? [[ids[0]]] : snapshot.paths(ids[0], ids[1], { direction: 'any', count: 1, avoidHubs: false }),
    readParts(reading, ids),
  ])
  const [inA, inB] = [new Set(ofA.items), new Set(ofB.items)]
  const shared = ofA.items.filter((id) => inB.has(id))
  // The direct link is left out, because it is already part of `path`.
  const onlyA = ofA.items.filter((id) => !inB.has(id) && id !== ids[1])
  const onlyB = ofB.items.filter((id) => !inA.has(id) && id !== ids[0])
  const [sharedNodes = [], nodesA = [], nodesB = []] = await summaries(reading, [shared, onlyA, onlyB])
  const { alike, passages } = read.parts === undefined ? { alike: 0, passages: [] } : compareParts(read.parts)
  return {
    value: {
      shared: sharedNodes,
      only_a: nodesA,
      only_b: nodesB,
      alike: roundScore(alike),
      path: paths[0] ?? [],
      shared_passages: passages,
      total: { shared: shared.length, only_a: onlyA.length, only_b: onlyB.length, shared_passages: passages.length },
    },
    warnings: read.warnings,
  }
}

async function summaries(
  { snapshot, call }: ReadingContext,
  lists: readonly (readonly NodeId[])[],
): Promise<readonly (readonly NodeSummary[])[]> {
  return await Promise.all(
    lists.map(async (ids) => {
      const nodes = await snapshot.nodes(call.isUntruncated === true ? ids : ids.slice(0, MAX_NOTES), { links: 0 })
      return nodes.flatMap((node): readonly NodeSummary[] => (node === undefined ? [] : [{ id: node.id, title: node.title }]))
    }),
  )
}

interface Part {
  readonly place: ChunkPlace
  /** The unit vector of the part. It is all zeros for a part without words. */
  readonly vector: ReadonlyMap<string, number> | Float32Array
  readonly words: number
}

interface ComparedNote {
  readonly node: Node
  readonly source: NoteText
  readonly parts: readonly Part[]
}

interface ComparedNotes {
  readonly notes: Pair<ComparedNote>
  readonly low: number
}

async function readParts(
  reading: ReadingContext,
  ids: Pair<NodeId>,
): Promise<Pick<Answer<unknown>, 'warnings'> & { readonly parts?: ComparedNotes }> {
  const { core, snapshot } = reading
  const embedder = await servingVectors(snapshot)
  const [{ notes, unread }, stored] = await Promise.all([
    readNotes(reading, ids, { links: 0 }),
    embedder === undefined ? [] : snapshot.vectors(embedder, ids),
  ])
  const warnings = unreadWarnings(unread)
  const read = notes.flatMap((note, at) => {
    if (note?.source === undefined) return []
    const { node } = note
    const source = readableSource(node, note.source)
    const chunks = stored[at]
    const isCurrent = chunks !== undefined && source.hash.startsWith(chunks.content)
    return [{ node, source, vectors: isCurrent ? chunks.chunks : undefined }]
  })
  const [a, b] = read
  if (a === undefined || b === undefined) {
    const without = ids.filter((id) => !read.some(({ node }) => node.id === id) && !unread.includes(id))
    return {
      warnings: [
        ...warnings,
        ...without.map((id) => ({ code: 'NOTICE' as const, message: `${quoted(id)} has no text to compare.` })),
      ],
    }
  }
  const isByMeaning =
    embedder !== undefined && [a, b].every(({ vectors }) => vectors?.some(({ vector }) => vector.some((value) => value !== 0)))
  const toNote = ({ node, source, vectors }: (typeof read)[number]): ComparedNote => {
    const chunks: readonly ChunkPlace[] = isByMeaning ? (vectors ?? []) : chunksOf(node, source, undefined)
    const parts = chunks.map((place, at): Part => {
      const terms = queryTerms(wordsOf(source.text.slice(place.start, place.end)))
      const words = terms.reduce((sum, { count = 1 }) => sum + count, 0)
      return { place, words, vector: isByMeaning ? (vectors?.[at]?.vector ?? new Float32Array()) : bagOf(terms) }
    })
    return { node, source, parts }
  }
  return { warnings, parts: { notes: [toNote(a), toNote(b)], low: isByMeaning ? knownTraits(core, embedder).certainty.low : 0 } }
}

/** Returns word counts as a unit vector. */
function bagOf(terms: ReturnType<typeof queryTerms>): ReadonlyMap<string, number> {
  const length = magnitudeOf(terms.map(({ count = 1 }) => count)) || 1
  return new Map(terms.map(({ stem, count = 1 }) => [stem, count / length]))
}

function cosine(a: Part['vector'], b: Part['vector']): number {
  let sum = 0
  if (a instanceof Float32Array && b instanceof Float32Array) {
    return dotProduct(a, b)
  } else if (a instanceof Map && b instanceof Map) {
    for (const [word, value] of a) sum += value * (b.get(word) ?? 0)
  }
  return sum
}

function compareParts({ notes: [a, b], low }: ComparedNotes): {
  readonly alike: number
  readonly passages: readonly SharedPassage[]
} {
  const likeness = (between: number, words: number): number =>
    Math.min(MAX_SHOWN_SIMILARITY, (Math.max(0, between - low) / (1 - low)) * (words / (words + HALF_WEIGHT_WORDS)))
  const [centerA, centerB] = [centerOfParts(a.parts), centerOfParts(b.parts)]
  const best = (parts: readonly Part[], center: Part['vector'], limit: number) =>
    parts.reduce((max, { vector, words }) => Math.max(max, likeness(cosine(vector, center), Math.min(words, limit))), 0)
  const [likeA, likeB] = [likest(a.parts, centerB), likest(b.parts, centerA)]
  const pairs = likeA.flatMap((part) =>
    likeB.map((other) => {
      const similarity = isSameText([part, other], [a, b])
        ? 1
        : likeness(cosine(part.vector, other.vector), Math.min(part.words, other.words))
      return { one: part, other, alike: similarity }
    }),
  )
  const candidates = pairs.filter(({ alike }) => alike >= MIN_SIMILARITY).sort((x, y) => y.alike - x.alike)
  const used = new Set<Part>()
  const chosen = candidates
    .filter(({ one, other }) => !used.has(one) && !used.has(other) && used.add(one).add(other))
    .slice(0, MAX_PASSAGES)
  const isSame = a.source.text.slice(a.source.bodyStart) === b.source.text.slice(b.source.bodyStart)
  return {
    // The best part of each note is compared with the whole other note.
    alike: isSame ? 1 : (best(b.parts, centerA, wordsIn(a)) + best(a.parts, centerB, wordsIn(b))) / 2,
    passages: chosen.map(({ one, other, alike }) => {
      const [shownA, shownB] = [shownPart(a, one), shownPart(b, other)]
      return { alike: roundScore(alike), lines_a: shownA.lines, text_a: shownA.text, lines_b: shownB.lines, text_b: shownB.text }
    }),
  }
}

function wordsIn({ parts }: ComparedNote): number {
  return parts.reduce((sum, { words }) => sum + words, 0)
}

function isSameText([part, other]: Pair<Part>, [a, b]: Pair<ComparedNote>): boolean {
  const text = a.source.text.slice(part.place.start, part.place.end)
  return text !== '' && text === b.source.text.slice(other.place.start, other.place.end)
}

function centerOfParts(parts: readonly Part[]): Part['vector'] {
  const vectors = parts.flatMap(({ vector }) => (vector instanceof Float32Array ? [vector] : []))
  if (vectors.length > 0) return centerOf(vectors) ?? new Float32Array()
  const sum = new Map<string, number>()
  for (const { vector } of parts) {
    if (vector instanceof Map) for (const [word, value] of vector) sum.set(word, (sum.get(word) ?? 0) + value)
  }
  const length = magnitudeOf(sum.values()) || 1
  return new Map([...sum].map(([word, value]) => [word, value / length]))
}

function likest(parts: readonly Part[], center: Part['vector']): readonly Part[] {
  if (parts.length <= MAX_PARTS) return parts
  const rated = parts.map((part) => ({ part, rate: cosine(part.vector, center) }))
  return rated
    .sort((x, y) => y.rate - x.rate)
    .slice(0, MAX_PARTS)
    .map(({ part }) => part)
}

function shownPart({ node, source }: ComparedNote, { place }: Part): { readonly lines: Pair<number>; readonly text: string } {
  const words = { terms: [], phrases: [] }
  const { start_line, end_line, text } = toPassage(node, source.text, { place, score: 0, words, length: PASSAGE_LENGTH })
  return { lines: [start_line, end_line], text: shownText(node, text) }
}

/** In each round, members get these shares of the remaining bytes. */
const ROUNDS = [{ path: 0.5 }, { shared_passages: 0.4 }, { only_a: 0.34, only_b: 0.34 }, { shared: 1 }] as const

export function fitComparison(comparison: Comparison, room: number): Fitted<Partial<Comparison>> {
  const { value } = fitShares(comparison, ROUNDS, room)
  return { value, ...leftOutOf({ path: comparison.path.length, ...comparison.total }, comparison, value) }
}
