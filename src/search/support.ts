import { dotProduct } from '../core/vectors.ts'
import type { FusedHit } from './fusion.ts'

/** Number of top results that can support each other. Results change little between 20 and 30. */
export const SUPPORT_CANDIDATES = 30

/** Maximum number of results that support a note. */
const MAX_SUPPORTERS = 7

/** Maximum share of a note's score that its supporters determine. Results change little between .4 and .6. */
const SUPPORT_SHARE = 0.5

/** If a note contains this share of the query's words, supporters count less. From `ANSWERED` on, they do not count. */
const NEARLY_ANSWERED = 0.7
const ANSWERED = 0.9

/**
 * A supporter's weight is its cosine raised to this power, so only very similar notes count. Results change little between 6 and
 * 10.
 */
const SHARPNESS = 8

/** Weight of a note among its supporters. A note that resembles no other keeps its score. */
const OWN_WEIGHT = 0.05

/**
 * Returns the share of a note's score that its supporters determine. `matched` is the highest share of the query's words in any
 * note.
 */
export function supportShare(matched: number): number {
  return SUPPORT_SHARE * Math.min(1, Math.max(0, (ANSWERED - matched) / (ANSWERED - NEARLY_ANSWERED)))
}

/**
 * Reorders the top results. Notes about the same subject answer the same questions, so a share of each score is replaced with the
 * mean score of the most similar results. `vectors` holds a unit vector for each of the first hits, by position. The highest score
 * stays the same, so scores of different queries can still be compared. Exact hits stay the same, too.
 */
export function supported<Key>(
  hits: readonly FusedHit<Key>[],
  vectors: readonly (Float32Array | undefined)[],
  share: number,
): readonly FusedHit<Key>[] {
  const exact = hits.filter((hit) => hit.exact)
  const others = hits.filter((hit) => !hit.exact)
  const first = hits.slice(0, vectors.length).filter((hit) => !hit.exact)
  const near = first.map((_, at) => vectors[at + exact.length])
  const scores = first.map(({ score }, at) => {
    const vector = near[at]
    if (vector === undefined) return score
    const supporters = first.flatMap((other, place) => {
      const noteVector = near[place]
      return place === at || noteVector === undefined
        ? []
        : [{ score: other.score, weight: Math.max(0, dotProduct(vector, noteVector)) ** SHARPNESS }]
    })
    return (1 - share) * score + share * supportOf(score, supporters)
  })
  const best = scores.reduce((max, score) => Math.max(max, score), 0)
  if (best === 0) return hits
  const scale = (first[0]?.score ?? 0) / best
  const reordered = first.map((hit, at) => ({ ...hit, score: scale * (scores[at] as number) }))
  return [...exact, ...[...reordered, ...others.slice(first.length)].sort((a, b) => b.score - a.score)]
}

interface Supporter {
  readonly score: number
  readonly weight: number
}

/** Returns the weighted mean score of a note and its nearest supporters. */
function supportOf(ownScore: number, supporters: readonly Supporter[]): number {
  const nearest = [...supporters].sort((a, b) => b.weight - a.weight).slice(0, MAX_SUPPORTERS)
  const weights = nearest.reduce((sum, { weight }) => sum + weight, OWN_WEIGHT)
  return nearest.reduce((sum, { score, weight }) => sum + weight * score, OWN_WEIGHT * ownScore) / weights
}
