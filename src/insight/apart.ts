import { type ApartCommunities, type CommunityLevel, type Nearest, NO_COMMUNITY } from '../core/insight/insight.ts'
import { eachLinkBetween } from './communities/between.ts'
import type { WeightedGraph } from './communities/weighted-graph.ts'
import type { Corpus } from './corpus.ts'
import { wordWeights } from './nearest.ts'

export interface ApartSource {
  readonly corpus: Pick<Corpus, 'bags' | 'documents'>
  /** The links between notes; see `plainLinks`. */
  readonly links: WeightedGraph
  readonly nearest: Nearest
  /** The value is 1 for index and date notes, which have no topic. */
  readonly isLeftOut: Uint8Array
}

/** Communities with fewer notes are not compared, because their topic is unclear. */
const MIN_NOTES = 4
/** The number of terms to compare per community, those with the highest weight first. */
const MAX_TERMS = 600
/** A higher value favors pairs with fewer links. At 2, half the expected links equal twice the similarity. */
const LINKS_WEIGHT = 1.5
/** This minimum keeps the logarithm finite. Any note's ten nearest notes are more similar than this. */
const NO_NEAREST = 0.02
/** Unrelated texts score about 0, because the mean is subtracted. */
const MIN_SIMILARITY = 0
const MAX_PAIRS = 50
const NEAREST_PAIRS = 3
/** The value is high, because a few words are weak evidence. */
const DAMPING = 50

/** Finds pairs of communities with similar content but fewer links between them than expected, the most significant first. */
export function apartCommunities(
  { list, of }: Pick<CommunityLevel, 'list' | 'of'>,
  source: ApartSource,
): readonly ApartCommunities[] {
  const { links } = source
  const count = list.length
  const similarPairs = alikeCommunities(of, count, source)
  const between = new Map<number, number>()
  eachLinkBetween(links, of, (a, b) => between.set(a * count + b, (between.get(a * count + b) ?? 0) + 1))
  const degrees = new Float64Array(count)
  of.forEach((community, note) => {
    if (community !== NO_COMMUNITY) degrees[community]! += (links.offsets[note + 1] as number) - (links.offsets[note] as number)
  })
  const pairs = unlinkedPairs(of, count, source)
  const scoredPairs: (ApartCommunities & { readonly score: number })[] = []
  for (const { a, b, cosine } of similarPairs) {
    const actual = between.get(a * count + b) ?? 0
    const expected = ((degrees[a] as number) * (degrees[b] as number)) / Math.max(1, links.targets.length)
    if (actual >= expected) continue
    const nearest = nearestPairs(pairs.get(a * count + b) ?? [])
    // A product, because a sum would favor large communities with few shared words.
    const likeness =
      Math.log2(cosine) + Math.log2(NO_NEAREST + nearest.reduce((sum, { score }) => sum + score, 0) / NEAREST_PAIRS)
    const score = likeness - LINKS_WEIGHT * Math.log2((actual + 0.5) / (expected + 0.5))
    scoredPairs.push({ of: [a, b], alike: cosine, links: actual, expected, nearest: nearest.map((pair) => pair.notes), score })
  }
  scoredPairs.sort((x, y) => y.score - x.score || x.of[0] - y.of[0] || x.of[1] - y.of[1])
  return scoredPairs.slice(0, MAX_PAIRS).map(({ score: _, ...pair }) => pair)
}

interface Centroid {
  readonly terms: Uint32Array
  readonly weights: Float64Array
  readonly withMean: number
  readonly square: number
}

export function alikeCommunities(of: Uint32Array, count: number, { corpus, isLeftOut }: ApartSource) {
  const { bags, documents } = corpus
  const notes = wordWeights(bags, documents, DAMPING)
  const meanVector = new Float64Array(documents.length)
  for (const [at, term] of bags.terms.entries()) meanVector[term]! += (notes[at] as number) / isLeftOut.length
  const meanSquare = meanVector.reduce((sum, weight) => sum + weight * weight, 0)
  const members: number[][] = Array.from({ length: count }, () => [])
  of.forEach((community, note) => {
    if (community !== NO_COMMUNITY && isLeftOut[note] === 0) members[community]?.push(note)
  })
  const dense = new Float64Array(documents.length)
  const centroids = members.map((memberNotes): Centroid | undefined => {
    if (memberNotes.length < MIN_NOTES) return undefined
    const used: number[] = []
    for (const note of memberNotes) {
      for (let at = bags.offsets[note] as number; at < (bags.offsets[note + 1] as number); at++) {
        const term = bags.terms[at] as number
        if (dense[term] === 0) used.push(term)
        dense[term]! += (notes[at] as number) / memberNotes.length
      }
    }
    if (used.length === 0) return undefined
    const terms = Uint32Array.from(used.sort((a, b) => (dense[b] as number) - (dense[a] as number) || a - b).slice(0, MAX_TERMS))
    const weights = Float64Array.from(terms, (term) => dense[term] as number)
    for (const term of used) dense[term] = 0
    let [withMean, square] = [0, 0]
    terms.forEach((term, at) => {
      withMean += (weights[at] as number) * (meanVector[term] as number)
      square += (weights[at] as number) ** 2
    })
    return { terms, weights, withMean, square }
  })
  const similarPairs: { readonly a: number; readonly b: number; readonly cosine: number }[] = []
  const lengthOf = ({ square, withMean }: Centroid) => Math.sqrt(Math.max(1e-12, square - 2 * withMean + meanSquare))
  centroids.forEach((first, a) => {
    if (first === undefined) return
    first.terms.forEach((term, at) => {
      dense[term] = first.weights[at] as number
    })
    for (let b = a + 1; b < count; b++) {
      const second = centroids[b]
      if (second === undefined) continue
      let product = meanSquare - first.withMean - second.withMean
      for (let at = 0; at < second.terms.length; at++)
        product += (second.weights[at] as number) * (dense[second.terms[at] as number] as number)
      const cosine = product / (lengthOf(first) * lengthOf(second))
      if (cosine > MIN_SIMILARITY) similarPairs.push({ a, b, cosine })
    }
    for (const term of first.terms) dense[term] = 0
  })
  return similarPairs
}

interface NotePair {
  readonly notes: readonly [number, number]
  readonly score: number
}

/** Returns unlinked pairs by community pair. Keys are `a * count + b`. */
function unlinkedPairs(of: Uint32Array, count: number, { nearest, links, isLeftOut }: ApartSource) {
  const pairs = new Map<number, NotePair[]>()
  of.forEach((community, note) => {
    if (community === NO_COMMUNITY || isLeftOut[note] === 1) return
    for (let at = note * nearest.kept; at < (note + 1) * nearest.kept; at++) {
      const other = nearest.notes[at] as number
      const otherCommunity = of[other] ?? NO_COMMUNITY
      if (otherCommunity === NO_COMMUNITY || otherCommunity === community || isLeftOut[other] === 1) continue
      if (links.targets.subarray(links.offsets[note], links.offsets[note + 1]).includes(other)) continue
      const isFirst = community < otherCommunity
      const key = isFirst ? community * count + otherCommunity : otherCommunity * count + community
      const pair: NotePair = { notes: isFirst ? [note, other] : [other, note], score: nearest.scores[at] as number }
      const list = pairs.get(key)
      if (list === undefined) pairs.set(key, [pair])
      else list.push(pair)
    }
  })
  return pairs
}

function nearestPairs(pairs: NotePair[]): readonly NotePair[] {
  pairs.sort((x, y) => y.score - x.score || x.notes[0] - y.notes[0] || x.notes[1] - y.notes[1])
  const usedNotes = new Set<number>()
  const found: NotePair[] = []
  for (const pair of pairs) {
    if (found.length === NEAREST_PAIRS) break
    if (pair.notes.some((note) => usedNotes.has(note))) continue
    for (const note of pair.notes) usedNotes.add(note)
    found.push(pair)
  }
  return found
}
