import type { Certainty } from './fusion.ts'
import { type Language, scriptOfLanguage } from './languages/language-of.ts'

/** How certain a result must be to be returned. */
export type Relevance = 'strict' | 'normal' | 'loose'

/** How to weight and interpret the cosines of an embedder. */
export interface MeaningTraits {
  /** The weight of the semantic score in `fuse`. */
  readonly weight: number
  readonly certainty: Certainty
  /** See `isOnTopic`. Omitted if it has not been measured, or if scores alone work as well. */
  readonly enoughWords?: number
}

export interface EmbedderTraits extends MeaningTraits {
  /** The cosine of a query with an identical passage. Defaults to 1. */
  readonly maxCosine?: number
  /** Traits for queries that are embedded as `across`. Omitted if the embedder makes no difference. */
  readonly across?: MeaningTraits & {
    /** Replaces some traits if the query's language is unclear. */
    readonly unclear: Pick<MeaningTraits, 'weight' | 'enoughWords'>
  }
}

/**
 * Minimum fused score per preset. With `normal`, a query of unrelated words finds nothing, and almost no answer is lost. With
 * `strict`, an off-topic query finds nothing either, but some answers are lost. docs/benchmarks.md has the figures.
 */
export const MIN_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.55, normal: 0.2, loose: 0.05 }

/**
 * Minimum scores if there are no semantic scores. Such scores are less reliable, because a note that answers a long question may
 * contain few of its words.
 */
const MIN_SCORE_BY_WORDS: Readonly<Record<Relevance, number>> = { strict: 0.3, normal: 0.05, loose: 0 }

/** Traits of the English table and its teacher model, chosen on SciFact, Cranfield and CACM. */
const ENGLISH: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 }, enoughWords: 0.7 }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/** Languages that use the table of a related language. With a table trained on Czech but not on Slovak, Slovak gains .10 nDCG@10. */
const SERVED_BY: Readonly<Record<string, string>> = { sk: 'cs' }

/**
 * Traits of an embedder with both built-in tables. A query is compared with one half of each vector, so its cosines are at most √½.
 * docs/experiments.md has the figures.
 */
const BOTH: EmbedderTraits = {
  weight: 0.35,
  certainty: { low: Math.SQRT1_2 * ENGLISH.certainty.low, high: Math.SQRT1_2 * ENGLISH.certainty.high },
  enoughWords: 0.7,
  maxCosine: Math.SQRT1_2,
  across: { weight: 0.55, certainty: { low: 0.17, high: 0.4 }, unclear: { weight: 0.5, enoughWords: 1 } },
}

/** Returns the traits of a known embedder. For others, `calibrate` measures the certainty. */
export function traitsOf(embedder: string): EmbedderTraits | undefined {
  if (embedder.startsWith('static:')) return /^static:[^:]*\+/.test(embedder) ? BOTH : ENGLISH
  return /all-minilm-l6-v2/i.test(embedder) ? MINILM : undefined
}

/** Returns how to embed a query: as `query` if it is in English or has no letters, otherwise as `across`. */
export function queryKind(language: Language | undefined): 'query' | 'across' {
  return language === undefined || language.code === 'en' ? 'query' : 'across'
}

/**
 * Checks whether a model supports the language of a text. If the language is unclear, the model must support one with the same
 * script.
 */
export function knowsLanguageOf(languages: readonly string[] | undefined, language: Language | undefined): boolean {
  if (languages === undefined || language === undefined) return true
  if (language.code === undefined) return languages.some((code) => scriptOfLanguage(code) === language.script)
  return knowsLanguage(languages, language.code)
}

/** Checks whether a model for the given languages supports the language `code`. */
export function knowsLanguage(languages: readonly string[] | undefined, code: string): boolean {
  return languages === undefined || languages.includes(code) || languages.includes(SERVED_BY[code] ?? '')
}

export function traitsIn(traits: EmbedderTraits, language: Language | undefined): MeaningTraits {
  const { across } = traits
  if (across === undefined || queryKind(language) === 'query') return traits
  return language?.code === undefined ? { ...across, ...across.unclear } : across
}

/** Weight for unknown embedders, taken from a small sentence transformer. */
export const UNKNOWN_WEIGHT = MINILM.weight

/** Queries of unrelated nouns, which no vault can answer. */
export const UNRELATED_QUERIES: readonly string[] = [
  'walnut trombone parliament',
  'glacier receipt mongoose collar',
  'turnip admiral varnish',
  'saddle eclipse invoice mustard',
  'harpoon nursery basalt',
  'pillow senator quartz ferry',
  'cobbler monsoon ledger',
  'violin gravel pension otter',
  'chimney orchid subpoena',
  'anchor custard diocese magnet',
  'lantern kidney tariff',
  'thimble volcano curfew radish',
  'sparrow mortgage cathedral zinc',
  'blanket tribune scorpion',
  'helmet brewery sonnet pollen',
  'crayon fjord bailiff',
]

export interface CalibrationSamples {
  /** The highest cosine in the vault for each of the `UNRELATED_QUERIES`. */
  readonly unrelated: readonly number[]
  /**
   * The highest cosine in the vault for each query that it can answer. About fifty of its titles and headings serve as such
   * queries.
   */
  readonly related: readonly number[]
}

/**
 * Minimum and maximum of `high - low`, as shares of `1 - low`. The maximum matters in vaults whose notes have only titles, because
 * each title then has a cosine of 1 with its own note.
 */
const MIN_RANGE = 0.3
const MAX_RANGE = 0.7
/** Minimum of `1 - low`. It keeps `low` below `high` even if the embedder maps all texts to the same vector. */
const MIN_ROOM = 0.01

/**
 * Calibrates an embedder's cosines for a vault. The certainty is 0 up to the median of the unrelated samples, and 1 from the 70th
 * percentile of the related ones. With these quantiles, the result is closest to the values that were chosen by hand for known
 * embedders. Returns `undefined` if one kind of sample is missing.
 */
export function calibrate({ unrelated, related }: CalibrationSamples): Certainty | undefined {
  const low = quantile(unrelated, 0.5)
  const high = quantile(related, 0.7)
  if (low === undefined || high === undefined) return undefined
  const room = Math.max(1 - low, MIN_ROOM)
  return { low, high: Math.min(low + MAX_RANGE * room, Math.max(low + MIN_RANGE * room, high)) }
}

function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))]
}

export interface RelevantHit {
  readonly score: number
  readonly exact: boolean
}

/**
 * Returns the hits that reach a preset's minimum score, in order. Exact hits are always returned.
 * @param meaning how much the certainty of the hits depends on semantic scores, 0–1
 */
export function keepRelevant<Hit extends RelevantHit>(hits: readonly Hit[], relevance: Relevance, meaning = 1): readonly Hit[] {
  const minScore = leastScore(relevance, meaning)
  return hits.filter((hit) => hit.exact || hit.score >= minScore)
}

/** Number of top results to compare with the question. */
export const COMPARED_RESULTS = 3

/** The share of the question's words in a note, and the note's cosine. Either is 0 if the note was not found by it. */
interface TopicHit {
  readonly matched: number
  readonly cosine: number
}

/**
 * Checks whether a top result contains enough of a question's words for `strict`. The required share is `enoughWords`, or less if a
 * result is similar in meaning. Without this check, a note about something else could get a high score from one rare word or a
 * vague similarity.
 */
export function isOnTopic(first: readonly TopicHit[], { certainty: { low, high }, enoughWords = 0 }: MeaningTraits): boolean {
  const matched = Math.max(0, ...first.map((hit) => hit.matched))
  const cosine = Math.max(low, ...first.map((hit) => hit.cosine))
  return matched >= enoughWords * (1 - Math.min(1, (cosine - low) / (high - low)))
}

/** Returns the minimum score of a preset. For `meaning`, see `keepRelevant`. */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * MIN_SCORE[relevance] + (1 - meaning) * MIN_SCORE_BY_WORDS[relevance]
}
