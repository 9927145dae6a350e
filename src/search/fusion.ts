import type { Coverage } from '../core/embedder.ts'

/** Where all is known, or an embedder does not tell. */
export const ALL_KNOWN: KnownShare = { order: 1, certainty: 1 }

/**
 * Below the first bound meaning has no weight, above the second its full weight. Chosen on every second of 34 languages
 * and as good on the others: languages known by single letters lie below .25, those in Latin letters above .7. Words in
 * parts still rank notes in one language, but do not show that none is near: English has .9 words per part, others .3
 * to .65.
 */
const NONE = 0.5

const ALL = 0.75

/** More than one letter, between digits, punctuation and spaces. */
const WORD = /[\p{L}\p{M}]{2,}/gu

/** A note that has some of the query's words. */
export interface KeywordHit<Key> {
  readonly key: Key
  /** BM25, above 0. */
  readonly score: number
  /** The weight (idf) of the query's words that this note has, as a share of the weight of all of them, 0–1. */
  readonly matched: number
}

/** A note, and how near its nearest vector is to the query's. */
export interface SemanticHit<Key> {
  readonly key: Key
  /** Cosine, −1–1. */
  readonly score: number
}

/** An answer by meaning counts nothing if its best cosine is `low` or less, and fully from `high`; low < high. */
export interface Certainty {
  readonly low: number
  readonly high: number
}

export interface FusionOptions<Key> {
  /** The weight of meaning, 0–1; words have the rest. It falls to half when a note has all of the query's words. */
  readonly weight: number
  /** The embedder's; without it the cosine itself is the certainty. */
  readonly certainty?: Certainty | undefined
  /** How well the language is known: scales `weight` and the certainty by meaning. Default: fully. */
  readonly known?: KnownShare
  /** Notes with exactly this title or alias: they come first, with score 1, and need not be among the hits. */
  readonly exact?: ReadonlySet<Key>
}

/** A note's hit in one ranking. */
export interface RetrieverScore {
  /** From 1. */
  readonly rank: number
  /** As given: BM25 or cosine. */
  readonly score: number
  /** The normalised score, 0–1. */
  readonly normalised: number
}

export interface FusedHit<Key> {
  readonly key: Key
  /** 0–1; compares between queries of one embedder. */
  readonly score: number
  /** Title or alias is the query. */
  readonly exact: boolean
  readonly keyword: RetrieverScore | undefined
  readonly semantic: RetrieverScore | undefined
  /** The weight of meaning used: the option or a part of it, but 0 without a semantic hit and 1 without a keyword hit. */
  readonly weight: number
}

/** How much of the keyword leg is the share of the query that a note has; BM25 is the rest. On a plateau from .3 to .5. */
const MATCHED_SHARE = 0.4

/**
 * The remaining weight of meaning when a note has all of the query's words; it starts to fall at four fifths.
 * Collections hardly change between .3 and 1; sentences of notes are found better with less.
 */
const ANSWERED_SHARE = 0.5

const NEARLY_ALL = 0.8

/** How certain an answer is that has all of the query's words, as long as meaning has a say. */
const WORDS_CERTAINTY = 0.7

/** The weight of a title's or alias's vector against a passage's; .8 to 1 give about the same. */
const NAME_SHARE = 0.9

/**
 * Fuses two rankings, each best first with unique keys: a convex mix of scores divided by the best of each ranking.
 * Notes with more of the query's words get a bonus. Notes missing from the vector results get the lowest vector score
 * returned. The mix orders one query's notes; multiplied by the certainty that the query is answered at all, scores
 * compare between queries. Ties keep the order of keyword hits, then of semantic hits.
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
  // A search has a thousand hits: each is met once, and makes no more than what is given back.
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

/** Notes by their nearest vector, of a passage or a name, best first. */
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

/** The highest score, 0 if none is above. */
function highest(hits: readonly { readonly score: number }[]): number {
  return hits.reduce((top, { score }) => Math.max(top, score), 0)
}

/** Less weight for meaning when words alone identify the note. */
function meaningShare(matched: number): number {
  const answered = Math.max(0, matched - NEARLY_ALL) / (1 - NEARLY_ALL)
  return 1 - (1 - ANSWERED_SHARE) * answered
}

/** How certain it is that one of the notes answers the query, 0–1: by its words or by its meaning (a noisy or). */
function certaintyOf(matched: number, cosine: number, { low, high }: Certainty = { low: 0, high: 1 }): number {
  const near = Math.min(1, Math.max(0, (cosine - low) / (high - low)))
  return 1 - (1 - WORDS_CERTAINTY * matched) * (1 - near)
}

/** The weight of meaning for a question, as a share of its weight in a known language. */
export interface KnownShare {
  /** In the order of notes. */
  readonly order: number
  /** In how certain it is that the question is answered at all; at most `order`. */
  readonly certainty: number
}

/**
 * The weight of meaning for a question and the notes with some of its words: both must be in a known language. Without
 * such notes (`undefined`) only meaning remains.
 */
export function knownShare(question: Coverage, notes: Coverage | undefined): KnownShare {
  const share = (text: Coverage): KnownShare => ({ order: ramp(text.meaning), certainty: ramp(text.whole) })
  const asked = share(question)
  if (notes === undefined) return { order: asked.order, certainty: asked.order }
  const there = share(notes)
  const order = asked.order * there.order
  return { order, certainty: Math.min(order, asked.certainty * there.certainty) }
}

/** The words in names of notes. Numbers, dates and single letters such as the `d` of `d123` say nothing about the language of a note. */
export function wordsOfNames(names: readonly string[]): string {
  return names.flatMap((name) => name.match(WORD) ?? []).join(' ')
}

/** True if a text's language is known well enough to compare by meaning. */
export function isKnown({ meaning }: Coverage): boolean {
  return meaning > NONE
}

function ramp(value: number): number {
  return Math.min(1, Math.max(0, (value - NONE) / (ALL - NONE)))
}
