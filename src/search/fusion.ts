import { dotProduct } from '../core/vectors.ts'

export interface KeywordHit<Key> {
  readonly key: Key
  readonly score: number
  /** The idf of the query's words in the note, as a share of the idf of all query words, 0–1. */
  readonly matched: number
}

export interface SemanticHit<Key> {
  readonly key: Key
  /** The cosine similarity, −1 to 1. */
  readonly score: number
}

/** Maps the highest cosine of a query to a certainty: 0 up to `low`, 1 from `high` on. */
export interface Certainty {
  readonly low: number
  readonly high: number
}

/** The nearest notes by language. Their cosines must be comparable between languages. */
export interface NearByLanguage<Key> {
  readonly own: readonly SemanticHit<Key>[]
  /** The nearest notes in other languages, which must also be among the semantic hits. */
  readonly other: readonly SemanticHit<Key>[]
}

export interface FusionOptions<Key> {
  /** Weight of the semantic score, 0–1. It is halved if a note contains all words of the query. */
  readonly weight: number
  /** The certainty, which depends on the embedder. By default, the cosine is the certainty. */
  readonly certainty?: Certainty | undefined
  /** The notes whose title or alias equals the query. They come first with a score of 1. */
  readonly exact?: ReadonlySet<Key>
  /**
   * The nearest notes by language. They prevent notes in other languages from ranking lower because they lack the query's words.
   */
  readonly byLanguage?: NearByLanguage<Key> | undefined
}

export interface RetrieverScore {
  /** The one-based rank. */
  readonly rank: number
  readonly score: number
  /** The normalized score, 0–1. */
  readonly normalized: number
}

export interface FusedHit<Key> {
  readonly key: Key
  /** A score from 0 to 1 that can be compared between queries with the same embedder. */
  readonly score: number
  readonly exact: boolean
  readonly keyword: RetrieverScore | undefined
  readonly semantic: RetrieverScore | undefined
  /** `normalized` is a minimum share of the best score. */
  readonly across?: RetrieverScore
  readonly weight: number
}

/** Weight of `matched` in the keyword score. The rest is BM25. Values from .3 to .5 give similar results. */
const MATCHED_SHARE = 0.4

/**
 * Factor of the semantic weight for a note that contains all words of the query. Values from .3 to 1 give similar results, and
 * lower values favor queries that quote a note.
 */
const ANSWERED_SHARE = 0.5

const NEARLY_ALL = 0.8

const WORDS_CERTAINTY = 0.7

/**
 * Weight of keyword scores for notes in other languages, which helps with names and code. Values from .2 to .4 give similar
 * results.
 */
const WORDS_ACROSS = 0.3

/** Languages are compared by the mean of this many of the highest cosines. One is noisier, and five are no better. */
const AVERAGED_COSINES = 3

/**
 * Score of the nearest note in another language, relative to the best score. It rises from `least` to `most` as the ratio of mean
 * cosines rises from `low` to `high`. A constant of .9 lowered nDCG@10 by .075 on English text with 360 unrelated foreign notes.
 */
const ACROSS = { low: 0.6, high: 0.9, least: 0.5, most: 0.9 }

/** Weight of a name's vector, relative to a passage's. Values from .8 to 1 give similar results. */
const NAME_SHARE = 0.9

/**
 * Fuses two rankings with unique keys, best first. A score is the weighted mean of both normalized scores, times the certainty
 * that any note answers the query. Notes without a vector result get the lowest vector score. If scores are equal, keyword hits
 * come first.
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
  const farthest = meaning.at(-1)?.normalized ?? 0
  const sure = semantic.length === 0 ? matched : certaintyOf(matched, highest(semantic), certainty)
  const hits: MixedScore<Key>[] = []
  const addHit = (key: Key, keyword: RetrieverScore | undefined, semantic: RetrieverScore | undefined): void => {
    const mix = (1 - weight) * (keyword?.normalized ?? 0) + weight * (semantic?.normalized ?? farthest)
    const isExact = exact.has(key)
    const score = isExact ? 1 : sure * mix
    hits.push({ mix, hit: { key, score, exact: isExact, keyword, semantic, weight } })
  }
  // A search has about a thousand hits, so avoid repeated passes and allocations.
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
 * Raises the scores of similar notes in other languages, which lack the query's words. If the highest cosine is at most `least`,
 * no score changes.
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
    return WORDS_ACROSS * (keyword?.normalized ?? 0) + (1 - WORDS_ACROSS) * (Math.max(0, cosine) / nearest)
  })
  const bestFit = fits.reduce<number>((max, fit) => Math.max(max, fit ?? 0), 0)
  const top = hits.reduce((max, { mix }) => Math.max(max, mix), 0)
  const share = shareAcross(nearness(other) / nearness(own)) / bestFit
  return hits.map((mixed, at) => {
    const { hit } = mixed
    const fit = fits[at]
    const rank = ranks.get(hit.key)
    if (fit === undefined || rank === undefined) return mixed
    const normalized = share * fit
    const mix = Math.max(mixed.mix, normalized * top)
    const across = { rank: rank + 1, score: other[rank]?.score ?? 0, normalized }
    return { mix, hit: { ...hit, score: hit.exact ? 1 : sure * mix, across } }
  })
}

function nearness(hits: readonly { readonly score: number }[]): number {
  const nearest = hits.slice(0, AVERAGED_COSINES)
  return nearest.reduce((sum, { score }) => sum + Math.max(0, score), 0) / nearest.length
}

function shareAcross(cosineDifference: number): number {
  const { low, high, least, most } = ACROSS
  return least + (most - least) * Math.min(1, Math.max(0, (cosineDifference - low) / (high - low)))
}

/** Ranks notes by their most similar vector, of a passage or of a name. */
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
    const normalized = (1 - MATCHED_SHARE) * (score / top) + MATCHED_SHARE * matched
    return { rank: i + 1, score, normalized }
  })
}

function semanticScores<Key>(hits: readonly SemanticHit<Key>[]): readonly RetrieverScore[] {
  const top = highest(hits) || 1
  return hits.map(({ score }, i) => ({ rank: i + 1, score, normalized: Math.max(0, score) / top }))
}

function highest(hits: readonly { readonly score: number }[]): number {
  return hits.reduce((top, { score }) => Math.max(top, score), 0)
}

function meaningShare(matched: number): number {
  const answeredShare = Math.max(0, matched - NEARLY_ALL) / (1 - NEARLY_ALL)
  return 1 - (1 - ANSWERED_SHARE) * answeredShare
}

/** Combines the evidence of words and of semantic similarity (noisy OR). */
function certaintyOf(matched: number, cosine: number, { low, high }: Certainty = { low: 0, high: 1 }): number {
  const near = Math.min(1, Math.max(0, (cosine - low) / (high - low)))
  return 1 - (1 - WORDS_CERTAINTY * matched) * (1 - near)
}

/** Number of top results that can support each other. Values from 20 to 30 give similar results. */
export const SUPPORT_CANDIDATES = 30

const MAX_SUPPORTERS = 7

/** Maximum share of a score that depends on supporters. Values from .4 to .6 give similar results. */
const SUPPORT_SHARE = 0.5

/**
 * If a note contains more than this share of the query's words, supporters count less. From `ANSWERED` on, they do not count at
 * all.
 */
const NEARLY_ANSWERED = 0.7
const ANSWERED = 0.9

/** Exponent of the cosine, so only very similar notes count. Values from 6 to 10 give similar results. */
const SHARPNESS = 8

/** The weight of a note's own score. A note without similar notes keeps it unchanged. */
const OWN_WEIGHT = 0.05

/** Returns the share of a score that depends on supporters. @param matched highest share of the query's words in any note */
export function supportShare(matched: number): number {
  return SUPPORT_SHARE * Math.min(1, Math.max(0, (ANSWERED - matched) / (ANSWERED - NEARLY_ANSWERED)))
}

/**
 * Replaces a share of each score with the mean score of similar results, because notes about the same subject answer the same
 * questions. `vectors` holds unit vectors of the first hits. The highest score and exact hits stay the same.
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

function supportOf(ownScore: number, supporters: readonly Supporter[]): number {
  const nearest = [...supporters].sort((a, b) => b.weight - a.weight).slice(0, MAX_SUPPORTERS)
  const weights = nearest.reduce((sum, { weight }) => sum + weight, OWN_WEIGHT)
  return nearest.reduce((sum, { score, weight }) => sum + weight * score, OWN_WEIGHT * ownScore) / weights
}
