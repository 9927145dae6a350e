import type { Coverage } from '../core/embedder.ts'

/** Used if everything is known, or if the embedder cannot tell. */
export const ALL_KNOWN: KnownShare = { order: 1, certainty: 1 }

/**
 * Below the lower bound, meaning has no weight; above the upper bound, its full weight. Chosen on every second of 34 languages and
 * equally good on the others: languages of which only letters are known are below .25, those in Latin script above .7. Words split
 * into pieces still rank notes within one language, but do not show that no note is similar: English has .9 words per piece, other
 * languages .3 to .65.
 */
const NONE = 0.5

const ALL = 0.75

/** Two or more letters in a row. */
const WORD = /[\p{L}\p{M}]{2,}/gu

/** A note that contains some of the query's words. */
export interface KeywordHit<Key> {
  readonly key: Key
  /** BM25, greater than 0. */
  readonly score: number
  /** Total weight (idf) of the query words found in this note, divided by that of all query words, 0–1. */
  readonly matched: number
}

/** A note, with the similarity of its best vector. */
export interface SemanticHit<Key> {
  readonly key: Key
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

/** Maps the best cosine to certainty: 0 up to `low`, 1 from `high`; low < high. */
export interface Certainty {
  readonly low: number
  readonly high: number
}

export interface FusionOptions<Key> {
  /** Weight of meaning, 0–1; the rest is the weight of words. It is halved if a note contains all of the query's words. */
  readonly weight: number
  /** Depends on the embedder. By default, the cosine itself is the certainty. */
  readonly certainty?: Certainty | undefined
  /** How well the language is known, which scales `weight` and the certainty by meaning. Defaults to fully. */
  readonly known?: KnownShare
  /** Notes with exactly this title or alias. They come first with score 1, and need not be among the hits. */
  readonly exact?: ReadonlySet<Key>
}

/** A note's result in one ranking. */
export interface RetrieverScore {
  /** 1-based. */
  readonly rank: number
  /** As given: BM25 or cosine. */
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
  /** Weight of meaning that was used: the option or a part of it, 0 without semantic hits, or 1 without keyword hits. */
  readonly weight: number
}

/** Share of `matched` in the keyword score; the rest is BM25. There is a plateau from .3 to .5. */
const MATCHED_SHARE = 0.4

/**
 * Remaining share of the weight of meaning if a note contains all of the query's words. It starts to drop at four fifths. Collections
 * hardly change between .3 and 1; lower values help to find sentences of notes.
 */
const ANSWERED_SHARE = 0.5

const NEARLY_ALL = 0.8

/** Certainty of a result that contains all of the query's words, if meaning is used too. */
const WORDS_CERTAINTY = 0.7

/** Weight of a name's vector relative to a passage's. Values from .8 to 1 give about the same results. */
const NAME_SHARE = 0.9

/**
 * Fuses two rankings, each best first with unique keys, by a convex combination of scores divided by the best of each ranking. Notes
 * with more of the query's words get a bonus. Notes missing from the vector results get the lowest vector score returned. The
 * combination orders the notes of one query. Multiplied by the certainty that the query is answered at all, scores are comparable
 * between queries. Ties keep the order of keyword hits, then of semantic hits.
 */
export function fuse<Key>(
  keyword: readonly KeywordHit<Key>[],
  semantic: readonly SemanticHit<Key>[],
  { weight: wanted, certainty, known = ALL_KNOWN, exact = new Set() }: FusionOptions<Key>,
): readonly FusedHit<Key>[] {
  if (known.order === 0 && semantic.length > 0) return fuse(keyword, [], { weight: wanted, exact })
  const matched = keyword.reduce((most, hit) => Math.max(most, hit.matched), 0)
  const weight = semantic.length === 0 ? 0 : keyword.length === 0 ? 1 : wanted * known.order * meaningShare(matched)
  const words = keywordScores(keyword)
  const meaning = semanticScores(semantic)
  const farthest = meaning.at(-1)?.normalised ?? 0
  const bySemantic = semantic.length === 0 ? matched : certaintyOf(matched, highest(semantic), certainty)
  const sure = known.certainty * bySemantic + (1 - known.certainty) * matched
  const hits: { readonly mix: number; readonly hit: FusedHit<Key> }[] = []
  const put = (key: Key, word: RetrieverScore | undefined, meant: RetrieverScore | undefined): void => {
    const mix = (1 - weight) * (word?.normalised ?? 0) + weight * (meant?.normalised ?? farthest)
    const isExact = exact.has(key)
    hits.push({ mix, hit: { key, score: isExact ? 1 : sure * mix, exact: isExact, keyword: word, semantic: meant, weight } })
  }
  // A search has a thousand hits, so each is visited only once and nothing else is allocated.
  const left = new Map(semantic.map(({ key }, at) => [key, meaning[at]]))
  keyword.forEach(({ key }, at) => {
    put(key, words[at], left.get(key))
    left.delete(key)
  })
  for (const [key, meant] of left) put(key, undefined, meant)
  if (exact.size > 0) {
    const met = new Set(hits.map(({ hit }) => hit.key))
    for (const key of exact) if (!met.has(key)) put(key, undefined, undefined)
  }
  return hits.sort((a, b) => Number(b.hit.exact) - Number(a.hit.exact) || b.mix - a.mix).map(({ hit }) => hit)
}

/** Returns notes by their most similar vector, of a passage or a name, best first. */
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

/** Returns the highest score, or 0. */
function highest(hits: readonly { readonly score: number }[]): number {
  return hits.reduce((top, { score }) => Math.max(top, score), 0)
}

/** Returns a lower weight for meaning if words alone identify the note. */
function meaningShare(matched: number): number {
  const answered = Math.max(0, matched - NEARLY_ALL) / (1 - NEARLY_ALL)
  return 1 - (1 - ANSWERED_SHARE) * answered
}

/** Returns the certainty that one of the notes answers the query, 0–1, by words or by meaning (noisy or). */
function certaintyOf(matched: number, cosine: number, { low, high }: Certainty = { low: 0, high: 1 }): number {
  const near = Math.min(1, Math.max(0, (cosine - low) / (high - low)))
  return 1 - (1 - WORDS_CERTAINTY * matched) * (1 - near)
}

/** The weight of meaning for a query, relative to a known language. */
export interface KnownShare {
  /** Applied to the order of notes. */
  readonly order: number
  /** Applied to the certainty that the query is answered at all; at most `order`. */
  readonly certainty: number
}

/**
 * Returns the weight of meaning for a query and the notes that contain some of its words. Both must be in a known language. Without
 * such notes (`undefined`), only meaning is left.
 */
export function knownShare(question: Coverage, notes: Coverage | undefined): KnownShare {
  const share = (text: Coverage): KnownShare => ({ order: ramp(text.meaning), certainty: ramp(text.whole) })
  const asked = share(question)
  if (notes === undefined) return { order: asked.order, certainty: asked.order }
  const there = share(notes)
  const order = asked.order * there.order
  return { order, certainty: Math.min(order, asked.certainty * there.certainty) }
}

/** Returns the words in note names. Numbers, dates and single letters, such as the `d` of `d123`, say nothing about the language. */
export function wordsOfNames(names: readonly string[]): string {
  return names.flatMap((name) => name.match(WORD) ?? []).join(' ')
}

/** Checks whether the text's language is known well enough to compare by meaning. */
export function isKnown({ meaning }: Coverage): boolean {
  return meaning > NONE
}

function ramp(value: number): number {
  return Math.min(1, Math.max(0, (value - NONE) / (ALL - NONE)))
}
