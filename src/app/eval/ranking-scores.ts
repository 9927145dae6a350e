/** How good a ranking is against what people judged, each 0–1. */
export interface RankingScores {
  /** nDCG@10 with linear gain and a discount of log₂(rank + 1) (Järvelin and Kekäläinen 2002), as trec_eval's `ndcg_cut`. */
  readonly ndcg: number
  /** Share of relevant documents among the first 100. */
  readonly recall: number
  /** 1 / rank of the first relevant document among the first 10, else 0. */
  readonly mrr: number
}

export const RANKING_DEPTH = 100
const HEAD = 10

/** Scores a ranking, best first. `gains` are judgements by document; those above 0 count, and at least one must. */
export function scoreRanking(ranking: readonly string[], gains: ReadonlyMap<string, number>): RankingScores {
  const gainOf = (id: string): number => Math.max(0, gains.get(id) ?? 0)
  const found = ranking.slice(0, RANKING_DEPTH).map(gainOf)
  const ideal = [...gains.values()].filter((gain) => gain > 0).sort((a, b) => b - a)
  return {
    ndcg: discounted(found) / discounted(ideal),
    recall: found.filter((gain) => gain > 0).length / ideal.length,
    mrr: reciprocalRank(found.findIndex((gain) => gain > 0) + 1),
  }
}

/** 1 / rank for a rank from 1 to 10, else 0. */
export function reciprocalRank(rank: number): number {
  return rank >= 1 && rank <= HEAD ? 1 / rank : 0
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, HEAD).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0)
}
