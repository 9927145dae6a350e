import type { Certainty } from './fusion.ts'
import { type Language, scriptOfLanguage } from './languages/language-of.ts'

export type Relevance = 'strict' | 'normal' | 'loose'

export interface MeaningTraits {
  readonly weight: number
  readonly certainty: Certainty
  /** The share of words that `isOnTopic` requires. It is omitted if scores alone are sufficient. */
  readonly enoughWords?: number
}

export interface EmbedderTraits extends MeaningTraits {
  /** The cosine of a query and an identical passage. The default is 1. */
  readonly maxCosine?: number
  /** Traits for queries that are embedded as `across`. They are omitted if the embedder makes no difference. */
  readonly across?: MeaningTraits & {
    /** Traits that apply instead if the query's language is unclear. */
    readonly unclear: Pick<MeaningTraits, 'weight' | 'enoughWords'>
  }
}

/**
 * The minimum score. `normal` finds nothing for unrelated words, and `strict` finds nothing for off-topic queries but loses some
 * answers; see docs/benchmarks.md.
 */
export const MIN_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.55, normal: 0.2, loose: 0.05 }

/** Minimum score without semantic scores, which is less reliable: an answer may contain few words of a long question. */
const MIN_SCORE_BY_WORDS: Readonly<Record<Relevance, number>> = { strict: 0.3, normal: 0.05, loose: 0 }

/** The values were chosen on SciFact, Cranfield and CACM. */
const ENGLISH: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 }, enoughWords: 0.7 }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/** The languages that use the table of a related language. Slovak gains .10 nDCG@10 with the Czech table. */
const SERVED_BY: Readonly<Record<string, string>> = { sk: 'cs' }

/**
 * The traits of an embedder with both built-in tables. A query is compared with one half of each vector, so cosines are at most
 * √½; see docs/experiments.md.
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

/** Returns how a query is embedded: as `query` in English or without letters, and as `across` in other languages. */
export function queryKind(language: Language | undefined): 'query' | 'across' {
  return language === undefined || language.code === 'en' ? 'query' : 'across'
}

/** If the language is unclear, checks the script. */
export function knowsLanguageOf(languages: readonly string[] | undefined, language: Language | undefined): boolean {
  if (languages === undefined || language === undefined) return true
  if (language.code === undefined) return languages.some((code) => scriptOfLanguage(code) === language.script)
  return knowsLanguage(languages, language.code)
}

export function knowsLanguage(languages: readonly string[] | undefined, code: string): boolean {
  return languages === undefined || languages.includes(code) || languages.includes(SERVED_BY[code] ?? '')
}

export function traitsIn(traits: EmbedderTraits, language: Language | undefined): MeaningTraits {
  const { across } = traits
  if (across === undefined || queryKind(language) === 'query') return traits
  return language?.code === undefined ? { ...across, ...across.unclear } : across
}

export const UNKNOWN_WEIGHT = MINILM.weight

/** A list of unrelated nouns that no vault can answer. */
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
  readonly unrelated: readonly number[]
  /** The highest cosine of each query that is a title or heading of the vault. */
  readonly related: readonly number[]
}

/**
 * The limits of `high - low`, as shares of `1 - low`. In a vault with only titles, each title has a cosine of 1 with its own
 * note, so an upper limit is necessary.
 */
const MIN_RANGE = 0.3
const MAX_RANGE = 0.7
/** This distance keeps `low` below `high` even if the embedder maps all texts to the same vector. */
const MIN_ROOM = 0.01

/**
 * Estimates the certainty, which is 0 up to the median of the unrelated samples, and 1 from the 70th percentile of the related
 * ones. These quantiles best match the values for known embedders.
 * @returns undefined if one kind of sample is missing
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
 * Returns the relevant hits in the same order. Exact hits are always kept.
 * @param meaning how much the certainty depends on semantic scores, 0–1
 */
export function keepRelevant<Hit extends RelevantHit>(hits: readonly Hit[], relevance: Relevance, meaning = 1): readonly Hit[] {
  const minScore = leastScore(relevance, meaning)
  return hits.filter((hit) => hit.exact || hit.score >= minScore)
}

export const COMPARED_RESULTS = 3

/** A hit. `matched` is 0 for notes without keyword hits, and `cosine` for notes without semantic hits. */
interface TopicHit {
  readonly matched: number
  readonly cosine: number
}

/**
 * Checks whether a top result contains enough words of the question. Fewer are necessary if the result is similar in meaning.
 * Scores alone may be high because of one rare word or a vague similarity.
 */
export function isOnTopic(first: readonly TopicHit[], { certainty: { low, high }, enoughWords = 0 }: MeaningTraits): boolean {
  const matched = Math.max(0, ...first.map((hit) => hit.matched))
  const cosine = Math.max(low, ...first.map((hit) => hit.cosine))
  return matched >= enoughWords * (1 - Math.min(1, (cosine - low) / (high - low)))
}

/** @param meaning see `keepRelevant` */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * MIN_SCORE[relevance] + (1 - meaning) * MIN_SCORE_BY_WORDS[relevance]
}
