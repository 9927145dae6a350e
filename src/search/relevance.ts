import type { Certainty } from './fusion.ts'
import { type Language, scriptOfLanguage } from './languages/language-of.ts'

/** How certain a result must be to be returned. */
export type Relevance = 'strict' | 'normal' | 'loose'

/** How to interpret cosines, and the weight of the semantic score relative to the keyword score. */
export interface MeaningTraits {
  /** The semantic weight that is passed to `fuse`. */
  readonly weight: number
  readonly certainty: Certainty
  /** See `isOnTopic`. Omitted if it has not been measured, or if scores alone work equally well. */
  readonly enoughWords?: number
}

export interface EmbedderTraits extends MeaningTraits {
  /** The cosine of a query and an identical passage. Defaults to 1. */
  readonly maxCosine?: number
  /** The traits for queries embedded as `across`. Omitted if such queries are embedded like all others. */
  readonly across?: MeaningTraits & {
    /** Overrides the above if the query's language is unclear. */
    readonly unclear: Pick<MeaningTraits, 'weight' | 'enoughWords'>
  }
}

/**
 * Minimum fused score for each preset. `normal` returns nothing for a query of unrelated words and loses almost no answers.
 * `strict` also returns nothing for an off-topic query, but loses some answers. docs/benchmarks.md has the figures.
 */
export const MIN_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.55, normal: 0.2, loose: 0.05 }

/**
 * Minimum scores if there are no semantic scores. The fused score is then less reliable, because the note that answers a long
 * question may contain few of its words.
 */
const MIN_SCORE_BY_WORDS: Readonly<Record<Relevance, number>> = { strict: 0.3, normal: 0.05, loose: 0 }

/** The traits of the English table and its teacher model, chosen on SciFact, Cranfield and CACM. */
const ENGLISH: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 }, enoughWords: 0.7 }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/**
 * Languages that use the table of a related language. Slovak gained .10 nDCG@10 from a table that was trained on Czech but not on
 * Slovak texts.
 */
const SERVED_BY: Readonly<Record<string, string>> = { sk: 'cs' }

/**
 * Traits of an embedder that uses both built-in tables. A query is compared with only half of each vector, so its cosines are at
 * most √½. docs/experiments.md has the figures.
 */
const BOTH: EmbedderTraits = {
  weight: 0.35,
  certainty: { low: Math.SQRT1_2 * ENGLISH.certainty.low, high: Math.SQRT1_2 * ENGLISH.certainty.high },
  enoughWords: 0.7,
  maxCosine: Math.SQRT1_2,
  across: { weight: 0.55, certainty: { low: 0.17, high: 0.4 }, unclear: { weight: 0.5, enoughWords: 1 } },
}

/** Returns an embedder's traits if they are known. For other embedders, `calibrate` measures the certainty. */
export function traitsOf(embedder: string): EmbedderTraits | undefined {
  if (embedder.startsWith('static:')) return /^static:[^:]*\+/.test(embedder) ? BOTH : ENGLISH
  return /all-minilm-l6-v2/i.test(embedder) ? MINILM : undefined
}

/** Returns how to embed a query in the given language: as `query` if it is English or has no letters, and otherwise as `across`. */
export function queryKind(language: Language | undefined): 'query' | 'across' {
  return language === undefined || language.code === 'en' ? 'query' : 'across'
}

/**
 * Checks whether a model for the given languages supports a text's language. If that is unclear, the model must support a language
 * in the same script.
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

/** The weight for unknown embedders, taken from a small sentence transformer. */
export const UNKNOWN_WEIGHT = MINILM.weight

/** Queries that consist of unrelated nouns, so no vault answers them. */
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
  /** The highest cosine similarity in the vault for each of the `UNRELATED_QUERIES`. */
  readonly unrelated: readonly number[]
  /** The highest cosine in the vault for queries that it can answer: about fifty of its own titles and headings. */
  readonly related: readonly number[]
}

/**
 * Minimum and maximum distance from `low` to `high`, as shares of the distance from `low` to 1. The maximum matters in vaults whose
 * notes have only titles, because each title then matches with a cosine of 1.
 */
const MIN_RANGE = 0.3
const MAX_RANGE = 0.7
/** Minimum distance from `low` to 1. It keeps `low` below `high` even if the embedder considers all strings equal. */
const MIN_ROOM = 0.01

/**
 * Calibrates an embedder's cosines for a vault: certainty is 0 up to the median of the unrelated samples and 1 from the 70th
 * percentile of the related ones. These quantiles agree best with the values chosen by hand for known embedders. Returns
 * `undefined` unless there are samples of both kinds.
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
 * Returns the hits that pass a preset, in order. Exact hits always pass.
 * @param meaning the semantic score's share in their certainty, 0–1
 */
export function keepRelevant<Hit extends RelevantHit>(hits: readonly Hit[], relevance: Relevance, meaning = 1): readonly Hit[] {
  const minScore = leastScore(relevance, meaning)
  return hits.filter((hit) => hit.exact || hit.score >= minScore)
}

/** Number of top results that are compared with the question. */
export const COMPARED_RESULTS = 3

/** The share of the question's words that a note contains, and its cosine. Each is 0 if the note was not found that way. */
interface TopicHit {
  readonly matched: number
  readonly cosine: number
}

/**
 * Checks whether a top result contains enough of a question's words for `strict`: the share `enoughWords`, or less if a result is
 * similar in meaning. Without this check, one rare word or a vague similarity could give a note about something else a high score.
 */
export function isOnTopic(first: readonly TopicHit[], { certainty: { low, high }, enoughWords = 0 }: MeaningTraits): boolean {
  const matched = Math.max(0, ...first.map((hit) => hit.matched))
  const cosine = Math.max(low, ...first.map((hit) => hit.cosine))
  return matched >= enoughWords * (1 - Math.min(1, (cosine - low) / (high - low)))
}

/** Returns a preset's minimum score. For `meaning`, see `keepRelevant`. */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * MIN_SCORE[relevance] + (1 - meaning) * MIN_SCORE_BY_WORDS[relevance]
}
