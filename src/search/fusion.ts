export interface KeywordHit<Key> {
  readonly key: Key
  /** BM25 score, greater than 0. */
  readonly score: number
  /** Total weight (idf) of the query words in this note, divided by that of all query words, 0–1. */
  readonly matched: number
}

export interface SemanticHit<Key> {
  readonly key: Key
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

/** Maps the highest cosine to a certainty: 0 up to `low`, 1 from `high` on. `low` is less than `high`. */
export interface Certainty {
  readonly low: number
  readonly high: number
}

/** Notes near a query, nearest first. Their cosines are comparable between languages. */
export interface NearByLanguage<Key> {
  /** Notes in the query's language. */
  readonly own: readonly SemanticHit<Key>[]
  /** Notes in other languages. All of them are semantic hits, too. */
  readonly other: readonly SemanticHit<Key>[]
}

export interface FusionOptions<Key> {
  /**
   * Weight of the semantic score, 0–1. The keyword score gets the rest. The semantic weight is halved if a note contains all of
   * the query's words.
   */
  readonly weight: number
  /** Depends on the embedder. Defaults to the cosine itself. */
  readonly certainty?: Certainty | undefined
  /** Notes whose title or alias equals the query. They rank first with score 1, even if they are not among the hits. */
  readonly exact?: ReadonlySet<Key>
  /** If given, notes in other languages do not rank lower just because they lack the query's words. */
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
  /** 0–1. Comparable between queries with the same embedder. */
  readonly score: number
  /** True if the title or an alias equals the query. */
  readonly exact: boolean
  readonly keyword: RetrieverScore | undefined
  readonly semantic: RetrieverScore | undefined
  /** The note's rank among notes in other languages. The note gets at least the share `normalised` of the best note's score. */
  readonly across?: RetrieverScore
  /**
   * The semantic weight that was used: 0 without semantic hits, 1 without keyword hits, and otherwise at most the `weight` option.
   */
  readonly weight: number
}

/** Share of `matched` in the keyword score. The rest is BM25. Results change little between .3 and .5. */
const MATCHED_SHARE = 0.4

/**
 * Share of the semantic weight that remains if a note contains all of the query's words. The weight starts to drop at `NEARLY_ALL`
 * of them. Results on the test collections change little between .3 and 1. Lower values make it easier to find a note by one of its
 * sentences.
 */
const ANSWERED_SHARE = 0.5

const NEARLY_ALL = 0.8

/** Certainty of a note that contains all of the query's words, if semantic similarity is also used. */
const WORDS_CERTAINTY = 0.7

/**
 * Weight of the keyword score when notes in other languages are ordered. It helps with names and code. Results are nearly the same
 * from .2 to .4.
 */
const WORDS_ACROSS = 0.3

/** Languages are compared by the mean of this many of their best cosines. A single one is noisier, and five are no better. */
const AVERAGED_COSINES = 3

/**
 * Share of the best score that the nearest note in another language gets: `least` if the mean cosine of other languages is at most
 * `low` times that of the query's language, and `most` if it is at least `high` times that. If distant notes got .9 as well, 360
 * unrelated notes in six languages would lower the nDCG@10 of an English collection by .075.
 */
const ACROSS = { low: 0.6, high: 0.9, least: 0.5, most: 0.9 }

/** Weight of a name's vector relative to a passage's. Results change little from .8 to 1. */
const NAME_SHARE = 0.9

/**
 * Fuses two rankings (each with unique keys, best first) by a weighted mean of their scores, each divided by the highest score of
 * its ranking. Notes with more of the query's words get a bonus. Notes missing from the vector results get the lowest vector
 * score returned. The mean orders the notes of one query; multiplying it by the certainty that any of them answers the query
 * makes it comparable between queries. Notes in other languages lack the query's words, so they are raised to a share of the best
 * note's score. Ties keep the order of keyword hits, followed by semantic hits.
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
  // A search has about a thousand hits, so visit each hit only once and allocate little.
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
 * Raises notes in other languages, ordered by meaning and by the names and code that they share with the query. Does nothing if
 * the nearest note's cosine is not above `least`, because then none of them answers the query.
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

/** Returns the mean of the `AVERAGED_COSINES` best cosines. Negative ones count as 0. */
function nearness(hits: readonly { readonly score: number }[]): number {
  const nearest = hits.slice(0, AVERAGED_COSINES)
  return nearest.reduce((sum, { score }) => sum + Math.max(0, score), 0) / nearest.length
}

/**
 * Returns the share of the best score that the nearest note in another language gets, given the ratio of the languages' mean
 * cosines (see `ACROSS`).
 */
function shareAcross(cosineDifference: number): number {
  const { low, high, least, most } = ACROSS
  return least + (most - least) * Math.min(1, Math.max(0, (cosineDifference - low) / (high - low)))
}

/** Ranks notes by their most similar vector, which can belong to a passage or to a name. */
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

/** Returns the share of the semantic weight to use. It is lower if keywords alone identify the note. */
function meaningShare(matched: number): number {
  const answeredShare = Math.max(0, matched - NEARLY_ALL) / (1 - NEARLY_ALL)
  return 1 - (1 - ANSWERED_SHARE) * answeredShare
}

/**
 * Returns the certainty, 0–1, that any note answers the query. Combines the evidence from words and from semantic similarity (noisy
 * OR).
 */
function certaintyOf(matched: number, cosine: number, { low, high }: Certainty = { low: 0, high: 1 }): number {
  const near = Math.min(1, Math.max(0, (cosine - low) / (high - low)))
  return 1 - (1 - WORDS_CERTAINTY * matched) * (1 - near)
}
