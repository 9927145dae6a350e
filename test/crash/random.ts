/** Repeatable randomness. */
export interface Random {
  /** An integer from 0 to limit − 1. */
  below(limit: number): number
  /** Picks distinct items. */
  pick<T>(items: readonly T[], count: number): readonly T[]
}

/** mulberry32, by Tommy Ettinger (public domain). */
export function random(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(items: readonly T[], count: number) => {
    const left = [...items]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)).flat()
  }
  return { below, pick }
}
