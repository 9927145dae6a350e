import type { Certainty } from './fusion.ts'
import { type Language, scriptOfLanguage } from './languages/language-of.ts'

/** How certain results must be to be returned. */
export type Relevance = 'strict' | 'normal' | 'loose'

/** How to interpret cosines, and the weight of the semantic score relative to the keyword score. */
export interface MeaningTraits {
  /** Passed to `fuse`. */
  readonly weight: number
  readonly certainty: Certainty
  /** See `isOnTopic`. Omitted if it was not measured, or if scores alone tell as well. */
  readonly enoughWords?: number
}

/** How to interpret an embedder's cosines. */
export interface EmbedderTraits extends MeaningTraits {
  /** Cosine of a query with an equal passage. Defaults to 1. */
  readonly most?: number
  /** For queries embedded as `across`. Omitted if they are embedded like other queries. */
  readonly across?: MeaningTraits & {
    /** Used instead if the query's language is unclear. */
    readonly unclear: Pick<MeaningTraits, 'weight' | 'enoughWords'>
  }
}

/**
 * Minimum fused score of each preset. `normal` excludes all results for a query of unrelated words and hardly any answers. `strict`
 * excludes all results for an off-topic query and some answers. The figures are in docs/benchmarks.md.
 */
export const LEAST_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.55, normal: 0.2, loose: 0.05 }

/**
 * Without semantic scores, the fused score is less reliable, because the note that answers a long question may contain few of its
 * words.
 */
const LEAST_BY_WORDS: Readonly<Record<Relevance, number>> = { strict: 0.3, normal: 0.05, loose: 0 }

/** Chosen on SciFact, Cranfield and CACM, for the English table and its teacher model. */
const ENGLISH: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 }, enoughWords: 0.7 }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/** Languages that a model of a close relative serves as well. Slovak gained .10 from a table made with Czech texts, and none of its own. */
const SERVED_BY: Readonly<Record<string, string>> = { sk: 'cs' }

/**
 * For both built-in tables. A query compares only one half of each vector, so its cosines are at most √½. The figures are in
 * docs/experiments.md.
 */
const BOTH: EmbedderTraits = {
  weight: 0.35,
  certainty: { low: Math.SQRT1_2 * ENGLISH.certainty.low, high: Math.SQRT1_2 * ENGLISH.certainty.high },
  enoughWords: 0.7,
  most: Math.SQRT1_2,
  across: { weight: 0.55, certainty: { low: 0.17, high: 0.4 }, unclear: { weight: 0.5, enoughWords: 1 } },
}

/** Returns the known traits of an embedder. For other embedders, `calibrate` measures the certainty. */
export function traitsOf(embedder: string): EmbedderTraits | undefined {
  if (embedder.startsWith('static:')) return /^static:[^:]*\+/.test(embedder) ? BOTH : ENGLISH
  return /all-minilm-l6-v2/i.test(embedder) ? MINILM : undefined
}

/** How a query in a language must be embedded. English and text without letters need nothing else. */
export function queryKind(language: Language | undefined): 'query' | 'across' {
  return language === undefined || language.code === 'en' ? 'query' : 'across'
}

/** Checks whether a model with these languages knows the text's. If the language is unclear, its script decides. */
export function isKnownTo(languages: readonly string[] | undefined, language: Language | undefined): boolean {
  if (languages === undefined || language === undefined) return true
  if (language.code === undefined) return languages.some((code) => scriptOfLanguage(code) === language.script)
  return knowsLanguage(languages, language.code)
}

/** Checks whether a model with these languages knows another one. */
export function knowsLanguage(languages: readonly string[] | undefined, code: string): boolean {
  return languages === undefined || languages.includes(code) || languages.includes(SERVED_BY[code] ?? '')
}

/** Returns the traits for a query in a language that the model knows. */
export function traitsIn(traits: EmbedderTraits, language: Language | undefined): MeaningTraits {
  const { across } = traits
  if (across === undefined || queryKind(language) === 'query') return traits
  return language?.code === undefined ? { ...across, ...across.unclear } : across
}

/** The default weight, taken from that of a small sentence transformer. */
export const UNKNOWN_WEIGHT = MINILM.weight

/** Queries that no vault answers. They consist of unrelated nouns. */
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
  /** The highest cosine in the vault for each of the `UNRELATED_QUERIES`, none of which the vault answers. */
  readonly unrelated: readonly number[]
  /** The vault's best cosine for queries that it does answer: about fifty of its own titles and headings. */
  readonly related: readonly number[]
}

/** Minimum width of the range, as a share of the values above the lower bound. Notes with only a title give 1. */
const NARROWEST = 0.3
const WIDEST = 0.7
/** Keeps `low` below `high` even if the embedder considers all strings equal. */
const LEAST_ROOM = 0.01

/**
 * Calibrates an embedder's cosines for a vault: no certainty at the median of unrelated pairs, full certainty at the 70th percentile
 * of related ones. These quantiles agree best with the values chosen by hand for known embedders. Returns `undefined` unless there
 * are both unrelated and related samples.
 */
export function calibrate({ unrelated, related }: CalibrationSamples): Certainty | undefined {
  const low = quantile(unrelated, 0.5)
  const high = quantile(related, 0.7)
  if (low === undefined || high === undefined) return undefined
  const room = Math.max(1 - low, LEAST_ROOM)
  return { low, high: Math.min(low + WIDEST * room, Math.max(low + NARROWEST * room, high)) }
}

/** Returns a quantile, ignoring NaN. */
function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))]
}

export interface RelevantHit {
  readonly score: number
  readonly exact: boolean
}

/**
 * Returns the hits that pass a preset, in order. Exact hits always pass. `meaning`: share of the semantic score in their certainty,
 * 0–1.
 */
export function keepRelevant<Hit extends RelevantHit>(hits: readonly Hit[], relevance: Relevance, meaning = 1): readonly Hit[] {
  const least = leastScore(relevance, meaning)
  return hits.filter((hit) => hit.exact || hit.score >= least)
}

/** Number of first notes that are compared with the question. */
export const TELLING = 3

/** A note's share of the question's words and its cosine, both 0 if the note was not found that way. */
interface TopicHit {
  readonly matched: number
  readonly cosine: number
}

/**
 * Checks whether the first notes have enough words of a question for `strict`: the share `enoughWords`, or less if one of them is near
 * in meaning. A note about something else can get a high score from one rare word, or from a vague likeness.
 */
export function isOnTopic(first: readonly TopicHit[], { certainty: { low, high }, enoughWords = 0 }: MeaningTraits): boolean {
  const matched = Math.max(0, ...first.map((hit) => hit.matched))
  const cosine = Math.max(low, ...first.map((hit) => hit.cosine))
  return matched >= enoughWords * (1 - Math.min(1, (cosine - low) / (high - low)))
}

/** Returns the minimum score of a preset. For `meaning`, see `keepRelevant`. */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * LEAST_SCORE[relevance] + (1 - meaning) * LEAST_BY_WORDS[relevance]
}
