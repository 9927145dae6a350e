import { groupBy } from '../../src/core/group-by.ts'

/** Whether the expected item was found. */
export interface Trial {
  /** Trials with the same cluster are not independent. */
  readonly cluster: string
  readonly hit: boolean
}

const ROUNDS = 2_000

/** The share of hits with its 95 % interval, resampling clusters. */
export function interval(trials: readonly Trial[]): string {
  const clusters = [...groupBy(trials, ({ cluster }) => cluster).values()].map((own) => ({
    all: own.length,
    hits: own.filter(({ hit }) => hit).length,
  }))
  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const shares = Array.from({ length: ROUNDS }, () => {
    let all = 0
    let hits = 0
    for (let at = 0; at < clusters.length; at++) {
      const drawn = clusters[Math.floor(random() * clusters.length)]
      all += drawn?.all ?? 0
      hits += drawn?.hits ?? 0
    }
    return hits / Math.max(1, all)
  }).toSorted((a, b) => a - b)
  const share = trials.filter(({ hit }) => hit).length / Math.max(1, trials.length)
  return `${share.toFixed(3)} [${shares[Math.floor(ROUNDS * 0.025)]?.toFixed(2)}, ${shares[Math.floor(ROUNDS * 0.975)]?.toFixed(2)}]`
}
