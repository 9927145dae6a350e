import type { Certainty } from './fusion.ts'

/** How sure an answer must be. */
export type Relevance = 'strict' | 'normal' | 'loose'

/** The meaning of an embedder's cosines and their weight beside words. */
export interface EmbedderTraits {
  /** For `fuse`. */
  readonly weight: number
  readonly certainty: Certainty
}

/**
 * The least fused score of each preset. `normal` finds nothing for a query of unrelated words and loses next to no
 * answers; `strict` finds nothing for a query about something else and loses some answers. The figures are in
 * docs/benchmarks.md.
 */
export const LEAST_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.55, normal: 0.2, loose: 0.05 }

/** Without meaning the score tells less: a long question has few of its words in the note that answers it. */
const LEAST_BY_WORDS: Readonly<Record<Relevance, number>> = { strict: 0.3, normal: 0.05, loose: 0 }

/** Chosen on scifact, Cranfield and CACM, for the built-in table and for its teacher. */
const STATIC: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 } }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/** The known traits of an embedder; for others, `calibrate` measures the certainty. */
export function traitsOf(embedder: string): EmbedderTraits | undefined {
  if (embedder.startsWith('static:')) return STATIC
  return /all-minilm-l6-v2/i.test(embedder) ? MINILM : undefined
}

/** The default weight: that of a small sentence transformer. */
export const UNKNOWN_WEIGHT = MINILM.weight

/** Queries that no vault answers, each of nouns that have nothing to do with each other. */
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
  /** The vault's best cosine for each of some queries that it does not answer: `UNRELATED_QUERIES`. */
  readonly unrelated: readonly number[]
  /** Likewise for queries that it does answer: some fifty of its own titles and headings. */
  readonly related: readonly number[]
}

/**
 * The minimum width of the range, as a share of the values above the lower bound: a sample of notes with only a title
 * gives 1.
 */
const NARROWEST = 0.3
const WIDEST = 0.7
/** So that `low` is below `high` even for an embedder to which all texts are the same. */
const LEAST_ROOM = 0.01

/**
 * The meaning of an embedder's cosines in a vault: worthless at the median of unrelated pairs, certain at the 70th
 * percentile of related ones. These two agree best with the values chosen by hand for known embedders. `undefined`
 * without samples of both.
 */
export function calibrate({ unrelated, related }: CalibrationSamples): Certainty | undefined {
  const low = quantile(unrelated, 0.5)
  const high = quantile(related, 0.7)
  if (low === undefined || high === undefined) return undefined
  const room = Math.max(1 - low, LEAST_ROOM)
  return { low, high: Math.min(low + WIDEST * room, Math.max(low + NARROWEST * room, high)) }
}

/** The value below which this share of them lies; not-a-numbers are left out. */
function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))]
}

export interface RelevantHit {
  readonly score: number
  readonly exact: boolean
}

/**
 * The hits that pass a preset; exact ones always pass. `meaning`: how much meaning contributes to their certainty, 0–1.
 * Keeps the order.
 */
export function keepRelevant<Hit extends RelevantHit>(hits: readonly Hit[], relevance: Relevance, meaning = 1): readonly Hit[] {
  const least = leastScore(relevance, meaning)
  return hits.filter((hit) => hit.exact || hit.score >= least)
}

/** The least score that a preset lets through; `meaning` as above. */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * LEAST_SCORE[relevance] + (1 - meaning) * LEAST_BY_WORDS[relevance]
}
