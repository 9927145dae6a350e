import type { Certainty } from './fusion.ts'

/** How certain results must be to be returned. */
export type Relevance = 'strict' | 'normal' | 'loose'

/** How to interpret an embedder's cosines, and the weight of the semantic score relative to the keyword score. */
export interface EmbedderTraits {
  /** Passed to `fuse`. */
  readonly weight: number
  readonly certainty: Certainty
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

/** Chosen on SciFact, Cranfield and CACM, for the built-in table and its teacher model. */
const STATIC: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 } }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/** Returns the known traits of an embedder. For other embedders, `calibrate` measures the certainty. */
export function traitsOf(embedder: string): EmbedderTraits | undefined {
  if (embedder.startsWith('static:')) return STATIC
  return /all-minilm-l6-v2/i.test(embedder) ? MINILM : undefined
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

/** Returns the minimum score of a preset. For `meaning`, see `keepRelevant`. */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * LEAST_SCORE[relevance] + (1 - meaning) * LEAST_BY_WORDS[relevance]
}
