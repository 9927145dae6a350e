import type { Certainty } from './fusion.ts'

/** How sure an answer must be. */
export type Relevance = 'strict' | 'normal' | 'loose'

/** What an embedder's cosines mean, and what they count beside words. */
export interface EmbedderTraits {
  /** For `fuse`. */
  readonly weight: number
  readonly certainty: Certainty
}

/**
 * The least fused score of a preset. `normal` gives nothing for a query of words that have nothing to do with each other and costs
 * next to none of the answers of a query that is answered; `strict` gives nothing for a query about something else, at the price of some
 * answers. The figures are in docs/benchmarks.md.
 */
export const LEAST_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.55, normal: 0.2, loose: 0.05 }

/** Without meaning the score tells less: a long question has few of its words in the note that answers it. */
const LEAST_BY_WORDS: Readonly<Record<Relevance, number>> = { strict: 0.3, normal: 0.05, loose: 0 }

/** Chosen on scifact, Cranfield and CACM, for the built-in table and for its teacher. */
const STATIC: EmbedderTraits = { weight: 0.35, certainty: { low: 0.3, high: 0.7 } }
const MINILM: EmbedderTraits = { weight: 0.5, certainty: { low: 0.25, high: 0.65 } }

/** What is known of an embedder by its id; of others, `calibrate` tells the certainty. */
export function traitsOf(embedder: string): EmbedderTraits | undefined {
  if (embedder.startsWith('static:')) return STATIC
  return /all-minilm-l6-v2/i.test(embedder) ? MINILM : undefined
}

/** The weight of an embedder that nothing is known of: that of a small sentence transformer. */
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

/** What lies between the two, as a share of what is above the lower one: a sample of notes that are but a title says 1. */
const NARROWEST = 0.3
const WIDEST = 0.7
/** So that `low` is below `high` even for an embedder to which all texts are the same. */
const LEAST_ROOM = 0.01

/**
 * What the cosines of an embedder mean in a vault: worth nothing at the median of the unrelated, certain at the 70th percentile
 * of the related. These two come nearest to what was chosen by hand for the known embedders. `undefined` without samples of both.
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

/** The hits that a preset lets through, exact ones always; `meaning`: how much meaning says of how certain they are, 0–1. The order is kept. */
export function keepRelevant<Hit extends RelevantHit>(hits: readonly Hit[], relevance: Relevance, meaning = 1): readonly Hit[] {
  const least = leastScore(relevance, meaning)
  return hits.filter((hit) => hit.exact || hit.score >= least)
}

/** The least score that a preset lets through; `meaning` as above. */
export function leastScore(relevance: Relevance, meaning: number): number {
  return meaning * LEAST_SCORE[relevance] + (1 - meaning) * LEAST_BY_WORDS[relevance]
}
