import { dotProduct } from '../core/vectors.ts'

export interface KeywordHit<Key> {
  readonly key: Key
  /** BM25 score, greater than 0. */
  readonly score: number
  /** Sum of the idf of the query's words in this note, as a share of the sum for all of them, 0–1. */
  readonly matched: number
}

export interface SemanticHit<Key> {
  readonly key: Key
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

/** Maps a query's highest cosine to a certainty: 0 up to `low`, 1 from `high` on. `low` must be less than `high`. */
export interface Certainty {
  readonly low: number
  readonly high: number
}

/** Notes near a query, nearest first. Their cosines are comparable between languages. */
export interface NearByLanguage<Key> {
  /** Notes in the query's language, nearest first. */
  readonly own: readonly SemanticHit<Key>[]
  /** Notes in other languages, nearest first. All of them must also be among the semantic hits. */
  readonly other: readonly SemanticHit<Key>[]
}

export interface FusionOptions<Key> {
  /**
   * Weight of the semantic score, 0–1. The rest is the weight of the keyword score. The semantic weight is halved if a note
   * contains all words of the query.
   */
  readonly weight: number
  /** Depends on the embedder. If omitted, the cosine itself is the certainty. */
  readonly certainty?: Certainty | undefined
  /** Notes whose title or an alias equals the query. They come first with a score of 1, even if they are not among the hits. */
  readonly exact?: ReadonlySet<Key>
  /** If given, notes in other languages do not rank lower merely because they lack the query's words. */
  readonly byLanguage?: NearByLanguage<Key> | undefined
}

export interface RetrieverScore {
  /** One-based. */
  readonly rank: number
  /** The original score: BM25 or a cosine. */
  readonly score: number
  /** Normalized score, 0–1. */
  readonly normalised: number
}

export interface FusedHit<Key> {
  readonly key: Key
  /** From 0 to 1. Scores of different queries with the same embedder can be compared. */
  readonly score: number
  /** True if the title or an alias equals the query. */
  readonly exact: boolean
  readonly keyword: RetrieverScore | undefined
  readonly semantic: RetrieverScore | undefined
  /** Rank among the notes in other languages. `normalised` is the minimum share of the best note's score that this note gets. */
  readonly across?: RetrieverScore
  /** The semantic weight that was used: 0 without semantic hits, 1 without keyword hits, otherwise at most the given weight. */
  readonly weight: number
}

/** Weight of `matched` in the keyword score; the rest is BM25. Results change little between .3 and .5. */
const MATCHED_SHARE = 0.4

/**
 * How much of the semantic weight remains if a note contains all words of the query. The weight starts to drop when a note contains
 * the share `NEARLY_ALL` of them. Results on the test collections change little between .3 and 1. With a lower value, it is easier
 * to find a note by one of its sentences.
 */
const ANSWERED_SHARE = 0.5

const NEARLY_ALL = 0.8

/** Certainty of a note that contains all words of the query, if semantic similarity is also used. */
const WORDS_CERTAINTY = 0.7

/**
 * Weight of the keyword score for the order of notes in other languages. It helps with names and code. Results change little
 * between .2 and .4.
 */
const WORDS_ACROSS = 0.3

/** To compare languages, use the mean of this many of their highest cosines. One is noisier, and five are no better. */
const AVERAGED_COSINES = 3

/**
 * Share of the best score that the nearest note in another language gets. It depends on the ratio of the mean cosines of the other
 * languages and the query's language: `least` up to a ratio of `low`, `most` from `high` on. If distant notes got .9, too, 360
 * unrelated notes in six languages would lower the nDCG@10 of an English collection by .075.
 */
const ACROSS = { low: 0.6, high: 0.9, least: 0.5, most: 0.9 }

/** Weight of a name's vector, compared with a passage's. Results change little between .8 and 1. */
const NAME_SHARE = 0.9

/**
 * Fuses two rankings, each with unique keys, best first. A note's score is the weighted mean of its scores in both, each divided by
 * the highest score of its ranking. Notes missing from the vector results get the lowest vector score returned. The share of the
 * query's words that a note contains is part of its keyword score. The mean is multiplied by the certainty that any note answers
 * the query, so scores of different queries can be compared. Notes in other languages lack the query's words, so their scores are
 * raised to a share of the best score. If scores are equal, keyword hits come before semantic hits, in their original order.
 */
export function fuse<Key>(
  keyword: readonly KeywordHit<Key>[],
  semantic: readonly SemanticHit<Key>[],
  { weight: wanted, certainty, exact = new Set(), byLanguage }: FusionOptions<Key>,
): readonly FusedHit<Key>[] {
  const matched = keyword.reduce((max, hit) => Math.max(max, hit.matched), 0)
  const weight = semantic.length === 0 ? 0 : keyword.length === 0 ? 1 : wanted * meaningShare(matched)
  const words = keywordScores(keyword)
  const meaning = semanticScores(semantic)
  const farthest = meaning.at(-1)?.normalised ?? 0
  const sure = semantic.length === 0 ? matched : certaintyOf(matched, highest(semantic), certainty)
  const hits: MixedScore<Key>[] = []
  const addHit = (key: Key, keyword: RetrieverScore | undefined, semantic: RetrieverScore | undefined): void => {
    const mix = (1 - weight) * (keyword?.normalised ?? 0) + weight * (semantic?.normalised ?? farthest)
    const isExact = exact.has(key)
    const score = isExact ? 1 : sure * mix
    hits.push({ mix, hit: { key, score, exact: isExact, keyword, semantic, weight } })
  }
  // A search has about a thousand hits, so process each only once and allocate little.
  const unmatched = new Map(semantic.map(({ key }, at) => [key, meaning[at]]))
  keyword.forEach(({ key }, at) => {
    addHit(key, words[at], unmatched.get(key))
    unmatched.delete(key)
  })
  for (const [key, semanticScore] of unmatched) addHit(key, undefined, semanticScore)
  if (exact.size > 0) {
    const hitKeys = new Set(hits.map(({ hit }) => hit.key))
    for (const key of exact) if (!hitKeys.has(key)) addHit(key, undefined, undefined)
  }
  const all =
    byLanguage === undefined || keyword.length === 0 ? hits : raiseForeign(hits, byLanguage, { sure, least: certainty?.low ?? 0 })
  return all.sort((a, b) => Number(b.hit.exact) - Number(a.hit.exact) || b.mix - a.mix).map(({ hit }) => hit)
}

interface MixedScore<Key> {
  readonly mix: number
  readonly hit: FusedHit<Key>
}

/**
 * Raises the scores of notes in other languages, based on their similarity and on the names and code that they share with the
 * query. Does nothing if the nearest of them has a cosine of at most `least`, because it does not answer the query.
 */
function raiseForeign<Key>(
  hits: MixedScore<Key>[],
  { own, other }: NearByLanguage<Key>,
  { sure, least }: { readonly sure: number; readonly least: number },
): MixedScore<Key>[] {
  const nearest = other[0]?.score ?? 0
  if (own.length === 0 || nearest <= least) return hits
  const ranks = new Map(other.map(({ key }, at) => [key, at]))
  const fits = hits.map(({ hit: { key, keyword } }) => {
    const cosine = other[ranks.get(key) ?? -1]?.score
    if (cosine === undefined) return undefined
    return WORDS_ACROSS * (keyword?.normalised ?? 0) + (1 - WORDS_ACROSS) * (Math.max(0, cosine) / nearest)
  })
  const bestFit = fits.reduce<number>((max, fit) => Math.max(max, fit ?? 0), 0)
  const top = hits.reduce((max, { mix }) => Math.max(max, mix), 0)
  const share = shareAcross(nearness(other) / nearness(own)) / bestFit
  return hits.map((mixed, at) => {
    const { hit } = mixed
    const fit = fits[at]
    const rank = ranks.get(hit.key)
    if (fit === undefined || rank === undefined) return mixed
    const normalised = share * fit
    const mix = Math.max(mixed.mix, normalised * top)
    const across = { rank: rank + 1, score: other[rank]?.score ?? 0, normalised }
    return { mix, hit: { ...hit, score: hit.exact ? 1 : sure * mix, across } }
  })
}

/** Returns the mean of the `AVERAGED_COSINES` highest cosines. Negative ones count as 0. */
function nearness(hits: readonly { readonly score: number }[]): number {
  const nearest = hits.slice(0, AVERAGED_COSINES)
  return nearest.reduce((sum, { score }) => sum + Math.max(0, score), 0) / nearest.length
}

/** Returns the share of the best score for the nearest note in another language, given the ratio of the mean cosines; see `ACROSS`. */
function shareAcross(cosineDifference: number): number {
  const { low, high, least, most } = ACROSS
  return least + (most - least) * Math.min(1, Math.max(0, (cosineDifference - low) / (high - low)))
}

/** Ranks notes by their most similar vector. It may be the vector of a passage or of a name. */
export function nearestNotes<Key>(
  passages: readonly SemanticHit<Key>[],
  names: readonly SemanticHit<Key>[],
): readonly SemanticHit<Key>[] {
  const best = new Map<Key, number>()
  const offer = (key: Key, score: number) => best.set(key, Math.max(score, best.get(key) ?? -1))
  for (const { key, score } of passages) offer(key, score)
  for (const { key, score } of names) offer(key, NAME_SHARE * score)
  return [...best].map(([key, score]) => ({ key, score })).sort((a, b) => b.score - a.score)
}

function keywordScores<Key>(hits: readonly KeywordHit<Key>[]): readonly RetrieverScore[] {
  const top = highest(hits) || 1
  return hits.map(({ score, matched }, i) => {
    const normalised = (1 - MATCHED_SHARE) * (score / top) + MATCHED_SHARE * matched
    return { rank: i + 1, score, normalised }
  })
}

function semanticScores<Key>(hits: readonly SemanticHit<Key>[]): readonly RetrieverScore[] {
  const top = highest(hits) || 1
  return hits.map(({ score }, i) => ({ rank: i + 1, score, normalised: Math.max(0, score) / top }))
}

function highest(hits: readonly { readonly score: number }[]): number {
  return hits.reduce((top, { score }) => Math.max(top, score), 0)
}

/** Returns the share of the semantic weight to use, which is lower if the keywords alone identify a note. */
function meaningShare(matched: number): number {
  const answeredShare = Math.max(0, matched - NEARLY_ALL) / (1 - NEARLY_ALL)
  return 1 - (1 - ANSWERED_SHARE) * answeredShare
}

/** Returns the certainty, 0–1, that any note answers the query, based on words and semantic similarity (noisy OR). */
function certaintyOf(matched: number, cosine: number, { low, high }: Certainty = { low: 0, high: 1 }): number {
  const near = Math.min(1, Math.max(0, (cosine - low) / (high - low)))
  return 1 - (1 - WORDS_CERTAINTY * matched) * (1 - near)
}

/** Number of top results that can support each other. Results change little between 20 and 30. */
export const SUPPORT_CANDIDATES = 30

/** Maximum number of results that support a note. */
const MAX_SUPPORTERS = 7

/** Maximum share of a note's score that its supporters determine. Results change little between .4 and .6. */
const SUPPORT_SHARE = 0.5

/** If a note contains this share of the query's words, supporters count less. From `ANSWERED` on, they do not count. */
const NEARLY_ANSWERED = 0.7
const ANSWERED = 0.9

/**
 * A supporter's weight is its cosine raised to this power, so only very similar notes count. Results change little between 6 and
 * 10.
 */
const SHARPNESS = 8

/** Weight of a note among its supporters. A note that resembles no other keeps its score. */
const OWN_WEIGHT = 0.05

/**
 * Returns the share of a note's score that its supporters determine. `matched` is the highest share of the query's words in any
 * note.
 */
export function supportShare(matched: number): number {
  return SUPPORT_SHARE * Math.min(1, Math.max(0, (ANSWERED - matched) / (ANSWERED - NEARLY_ANSWERED)))
}

/**
 * Reorders the top results. Notes about the same subject answer the same questions, so a share of each score is replaced with the
 * mean score of the most similar results. `vectors` holds a unit vector for each of the first hits, by position. The highest score
 * stays the same, so scores of different queries can still be compared. Exact hits stay the same, too.
 */
export function supported<Key>(
  hits: readonly FusedHit<Key>[],
  vectors: readonly (Float32Array | undefined)[],
  share: number,
): readonly FusedHit<Key>[] {
  const exact = hits.filter((hit) => hit.exact)
  const others = hits.filter((hit) => !hit.exact)
  const first = hits.slice(0, vectors.length).filter((hit) => !hit.exact)
  const near = first.map((_, at) => vectors[at + exact.length])
  const scores = first.map(({ score }, at) => {
    const vector = near[at]
    if (vector === undefined) return score
    const supporters = first.flatMap((other, place) => {
      const noteVector = near[place]
      return place === at || noteVector === undefined
        ? []
        : [{ score: other.score, weight: Math.max(0, dotProduct(vector, noteVector)) ** SHARPNESS }]
    })
    return (1 - share) * score + share * supportOf(score, supporters)
  })
  const best = scores.reduce((max, score) => Math.max(max, score), 0)
  if (best === 0) return hits
  const scale = (first[0]?.score ?? 0) / best
  const reordered = first.map((hit, at) => ({ ...hit, score: scale * (scores[at] as number) }))
  return [...exact, ...[...reordered, ...others.slice(first.length)].sort((a, b) => b.score - a.score)]
}

interface Supporter {
  readonly score: number
  readonly weight: number
}

/** Returns the weighted mean score of a note and its nearest supporters. */
function supportOf(ownScore: number, supporters: readonly Supporter[]): number {
  const nearest = [...supporters].sort((a, b) => b.weight - a.weight).slice(0, MAX_SUPPORTERS)
  const weights = nearest.reduce((sum, { weight }) => sum + weight, OWN_WEIGHT)
  return nearest.reduce((sum, { score, weight }) => sum + weight * score, OWN_WEIGHT * ownScore) / weights
}
