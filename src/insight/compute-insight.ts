import type { Insight } from '../core/insight.ts'
import type { Corpus } from './corpus.ts'
import { nearestNotes } from './nearest.ts'

/** What an insight is computed of. Notes are numbered in the order of their ids. */
export interface InsightSource {
  readonly ids: readonly string[]
  /** The title and the aliases of each note. */
  readonly names: readonly (readonly string[])[]
  readonly corpus: Corpus
  /** The links between the notes, without self-links: note `n` links to the stretch from `offsets[n]` to `offsets[n + 1]` of `targets`, ascending. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

/** What is computed: an insight without what only its run knows. */
export type InsightResult = Omit<Insight, 'generation' | 'ids' | 'unread'>

/** Grows with every change of what is computed, so that what an older version kept is not answered from. */
export const INSIGHT_VERSION = 1

/** Everything that is computed of a vault as a whole. The same of the same source, whatever was computed before. */
export function computeInsight({ corpus }: InsightSource): InsightResult {
  return { ownWords: corpus.ownWords, nearest: nearestNotes(corpus) }
}
