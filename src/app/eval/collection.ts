import type { NodeId } from '../../core/ids.ts'
import type { GraphCore } from '../graph-core.ts'
import { type AskOptions, askRanking } from './ask.ts'
import { type RankingScores, scoreRanking } from './ranking-scores.ts'

/** Queries over documents that are the notes of a vault, and which of them people found relevant. */
export interface Collection {
  /** Those that have a judgement above 0. */
  readonly queries: readonly JudgedQuery[]
  /** The document that a note was made from. */
  documentOf(note: NodeId): string
}

export interface JudgedQuery {
  readonly id: string
  readonly text: string
  /** Judgements by document; above 0: relevant. */
  readonly gains: ReadonlyMap<string, number>
}

/** Asks every query of a collection in turn; scores in their order. */
export async function scoreCollection(
  core: GraphCore,
  { queries, documentOf }: Collection,
  { mode, call, onAsked }: AskOptions,
): Promise<readonly RankingScores[]> {
  const scores: RankingScores[] = []
  for (const { text, gains } of queries) {
    call.signal?.throwIfAborted()
    const notes = await askRanking(core, text, mode, call)
    scores.push(scoreRanking(notes.map(documentOf), gains))
    onAsked()
  }
  return scores
}
