import type { Coverage } from '../core/embedder.ts'

/** Used if the language is fully known, or if the embedder cannot determine how well it is known. */
export const ALL_KNOWN: KnownShare = { order: 1, certainty: 1 }

/**
 * Below the lower bound, the semantic score has no weight; above the upper bound, it has its full weight. Chosen on every second of
 * 34 languages and equally good on the others. Languages of which only letters are known are below .25, those in Latin script above
 * .7. Words split into pieces still rank notes within one language, but do not show that no note is similar: English has .9 words per
 * piece, other languages .3 to .65.
 */
const NONE = 0.5

const ALL = 0.75

/** Two or more letters in a row. */
const WORD = /[\p{L}\p{M}]{2,}/gu

/** A note that contains some of the query's words. */
export interface KeywordHit<Key> {
  readonly key: Key
  /** BM25 score, greater than 0. */
  readonly score: number
  /** Total weight (idf) of the query words found in this note, divided by the total weight of all query words, 0–1. */
  readonly matched: number
}

/** A note, with the similarity of its best vector. */
export interface SemanticHit<Key> {
  readonly key: Key
  /** Cosine similarity, −1 to 1. */
  readonly score: number
}

/** Maps the highest cosine to certainty: 0 up to `low` and 1 from `high`, where low < high. */
export interface Certainty {
  readonly low: number
  readonly high: number
}

export interface FusionOptions<Key> {
  /**
   * Weight of the semantic score, 0–1. The keyword score has the remaining weight. The semantic weight is halved if a note contains
   * all of the query's words.
   */
  readonly weight: number
  /** Depends on the embedder. By default, the certainty is the cosine itself. */
  readonly certainty?: Certainty | undefined
  /** How well the language is known, which scales `weight` and the semantic certainty. Defaults to fully known. */
  readonly known?: KnownShare
  /** Notes with exactly this title or alias. They are ranked first with score 1, and need not be among the hits. */
  readonly exact?: ReadonlySet<Key>
}

/** A note's result in one ranking. */
export interface RetrieverScore {
  /** 1-based. */
  readonly rank: number
  /** The score as given, which is BM25 or a cosine. */
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
  /**
   * Weight of the semantic score that was used. This is the option or a part of it, 0 without semantic hits, or 1 without keyword
   * hits.
   */
  readonly weight: number
}

/** Share of `matched` in the keyword score. The rest is BM25. Results are about the same from .3 to .5. */
const MATCHED_SHARE = 0.4

/**
 * Share of the semantic weight that remains if a note contains all of the query's words. The weight starts to drop at four fifths of
 * the words. Results on the test collections hardly change between .3 and 1; lower values help to find sentences of notes.
 */
const ANSWERED_SHARE = 0.5

const NEARLY_ALL = 0.8

/** Certainty of a result that contains all of the query's words, if semantic similarity is used too. */
const WORDS_CERTAINTY = 0.7

/** Weight of a name's vector relative to a passage's. Values from .8 to 1 give about the same results. */
const NAME_SHARE = 0.9

/**
 * Fuses two rankings, each ordered best first with unique keys, by a convex combination of scores. Scores are divided by the highest
 * score of their ranking. Notes with more of the query's words get a bonus. Notes missing from the vector results get the lowest
 * vector score returned. The combination orders the notes of one query. Multiplying it by the certainty that the query is answered at
 * all makes scores comparable between queries. Ties keep the order of keyword hits, followed by semantic hits.
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
  // A search has a thousand hits, so each hit is visited only once and nothing else is allocated.
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

/** Returns notes ordered by the similarity of their best vector, which may belong to a passage or the name. */
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

/** Returns a lower share for the semantic score if keywords alone identify the note. */
function meaningShare(matched: number): number {
  const answered = Math.max(0, matched - NEARLY_ALL) / (1 - NEARLY_ALL)
  return 1 - (1 - ANSWERED_SHARE) * answered
}

/** Returns the certainty that one of the notes answers the query, 0–1, by its words or by semantic similarity (noisy or). */
function certaintyOf(matched: number, cosine: number, { low, high }: Certainty = { low: 0, high: 1 }): number {
  const near = Math.min(1, Math.max(0, (cosine - low) / (high - low)))
  return 1 - (1 - WORDS_CERTAINTY * matched) * (1 - near)
}

/** The semantic weight for a query, relative to that for a known language. */
export interface KnownShare {
  /** Factor for the order of notes. */
  readonly order: number
  /** Factor for the certainty that the query is answered at all. At most `order`. */
  readonly certainty: number
}

/**
 * Returns the semantic weight for a query and the notes that contain some of its words. The query and the notes must both be in a
 * known language. If there are no such notes (`undefined`), only semantic similarity is left.
 */
export function knownShare(question: Coverage, notes: Coverage | undefined): KnownShare {
  const share = (text: Coverage): KnownShare => ({ order: ramp(text.meaning), certainty: ramp(text.whole) })
  const asked = share(question)
  if (notes === undefined) return { order: asked.order, certainty: asked.order }
  const there = share(notes)
  const order = asked.order * there.order
  return { order, certainty: Math.min(order, asked.certainty * there.certainty) }
}

/**
 * Returns the words in note names. Numbers, dates and single letters, such as the `d` of `d123`, are excluded because they do not
 * indicate the language.
 */
export function wordsOfNames(names: readonly string[]): string {
  return names.flatMap((name) => name.match(WORD) ?? []).join(' ')
}

/** Checks whether the text's language is known well enough for semantic comparison. */
export function isKnown({ meaning }: Coverage): boolean {
  return meaning > NONE
}

function ramp(value: number): number {
  return Math.min(1, Math.max(0, (value - NONE) / (ALL - NONE)))
}
