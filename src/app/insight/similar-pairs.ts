import type { NodeId } from '../../core/ids.ts'
import { type Insight, NO_NOTE } from '../../core/insight/insight.ts'
import { roundScore } from '../answer/node-response.ts'
import { MIN_SIMILARITY } from '../find/similar-nodes.ts'

/** Two notes on similar topics, judged by their distinctive words. */
export interface SimilarPair {
  readonly source: NodeId
  readonly target: NodeId
  /** The score that `similar_nodes` shows. */
  readonly score: number
}

/** Yields each pair of notes that `similar_nodes` finds by words once. */
export function* similarPairs({ ids, nearest: { kept, notes, scores } }: Insight): Generator<SimilarPair> {
  for (let note = 0; note < ids.length; note++) {
    for (let at = note * kept; at < (note + 1) * kept && notes[at] !== NO_NOTE; at++) {
      const other = notes[at] as number
      const score = scores[at] as number
      if (score < MIN_SIMILARITY.normal) continue
      // If both notes are among the nearest of each other, the pair has been yielded before.
      if (other < note && notes.subarray(other * kept, (other + 1) * kept).includes(note)) continue
      yield {
        source: ids[Math.min(note, other)] as NodeId,
        target: ids[Math.max(note, other)] as NodeId,
        score: roundScore(score),
      }
    }
  }
}
