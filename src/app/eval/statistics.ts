const MODULUS = 2_147_483_647

const MULTIPLIER = 48_271

/** A value with its 95% confidence interval. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** Number of bootstrap samples. */
const SAMPLES = 2_000

const SEED = 1

/** The 97.5th percentile of the standard normal distribution. */
const Z = 1.96

/** Returns the proportion of `true` with its Wilson score interval (1927), or NaN for an empty list. */
export function shareOf(answers: readonly boolean[]): Estimate {
  const count = answers.length
  const value = answers.filter(Boolean).length / count
  const center = value + Z ** 2 / (2 * count)
  const reach = Z * Math.sqrt((value * (1 - value)) / count + Z ** 2 / (4 * count ** 2))
  const scale = 1 + Z ** 2 / count
  return { value, low: Math.max(0, (center - reach) / scale), high: Math.min(1, (center + reach) / scale) }
}

/** Returns the mean with its percentile bootstrap interval (Efron 1979), or NaN for an empty list. */
export function meanOf(values: readonly number[]): Estimate {
  return meanOfMeans([values])
}

/** Each list is resampled separately to compute the interval. */
export function meanOfMeans(lists: readonly (readonly number[])[]): Estimate {
  const random = seededRandom(SEED)
  const redrawn = (values: readonly number[]): number => {
    let sum = 0
    for (let n = 0; n < values.length; n++) sum += values[drawIndex(values.length, random)] ?? 0
    return sum / values.length
  }
  const averages = Array.from({ length: SAMPLES }, () => average(lists.map(redrawn)))
  return { value: average(lists.map(average)), low: quantile(averages, 0.025), high: quantile(averages, 0.975) }
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export const DEPTH = 10

/** Returns nDCG@10 with linear gain, like `ndcg_cut` of trec_eval. `gainsByRank` is in rank order. */
export function ndcg(gainsByRank: readonly number[], ideal: readonly number[]): number {
  const discounted = (gains: readonly number[]): number =>
    gains.slice(0, DEPTH).reduce((sum, gain, at) => sum + Math.max(0, gain) / Math.log2(at + 2), 0)
  return discounted(gainsByRank) / discounted([...ideal].sort((a, b) => b - a))
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export type Random = () => number

/** Returns a Park–Miller generator (1988), with the multiplier that they recommended in 1993. */
export function seededRandom(seed: number): Random {
  let state = (Math.abs(Math.trunc(seed)) % (MODULUS - 1)) + 1
  return () => {
    state = (state * MULTIPLIER) % MODULUS
    return (state - 1) / (MODULUS - 1)
  }
}

export function drawIndex(count: number, random: Random): number {
  return Math.floor(random() * count)
}

export function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = drawIndex(last + 1, random)
    const item = order[last] as T
    order[last] = order[other] as T
    order[other] = item
  }
  return order
}
