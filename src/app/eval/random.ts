/** Numbers from 0 up to, not including, 1. */
export type Random = () => number

const MODULUS = 2_147_483_647
const MULTIPLIER = 48_271

/** The same numbers for the same seed: Park and Miller's minimal standard generator (1988; multiplier of 1993). */
export function seededRandom(seed: number): Random {
  let state = (Math.abs(Math.trunc(seed)) % (MODULUS - 1)) + 1
  return () => {
    state = (state * MULTIPLIER) % MODULUS
    return (state - 1) / (MODULUS - 1)
  }
}

/** A whole number from 0 up to, not including, `count`. */
export function drawIndex(count: number, random: Random): number {
  return Math.floor(random() * count)
}

/** All of the items in an order drawn again (Fisher and Yates). */
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
