import type { Adjacency } from '../core/csr.ts'

/** The probability that a walk ends at each step. */
const STOP_PROBABILITY = 0.15
/** Smaller residuals are dropped to limit the work per note. */
const MIN_VISITS = 1e-4

export type Walker = ReturnType<typeof walker>

/** Returns a function for personalized PageRank by residual pushing (Andersen, Chung, Lang 2006). */
export function walker({ offsets, targets }: Adjacency) {
  const visits = new Float64Array(offsets.length - 1)
  const residuals = new Float64Array(offsets.length - 1)
  const touchedNodes: number[] = []
  const give = (node: number, share: number, queue: number[]): void => {
    const before = residuals[node] as number
    if (before === 0 && visits[node] === 0) touchedNodes.push(node)
    const after = before + share
    residuals[node] = after
    const minResidual = MIN_VISITS * ((offsets[node + 1] as number) - (offsets[node] as number))
    if (before < minResidual && after >= minResidual) queue.push(node)
  }
  return {
    /** Walks from a note. The result is valid until the next call. */
    from(start: number): readonly number[] {
      for (const node of touchedNodes) {
        visits[node] = 0
        residuals[node] = 0
      }
      touchedNodes.length = 0
      touchedNodes.push(start)
      residuals[start] = 1
      const queue = [start]
      for (let head = 0; head < queue.length; head++) {
        const node = queue[head] as number
        const rest = residuals[node] as number
        residuals[node] = 0
        visits[node] = (visits[node] as number) + STOP_PROBABILITY * rest
        const from = offsets[node] as number
        const to = offsets[node + 1] as number
        const share = ((1 - STOP_PROBABILITY) * rest) / (to - from)
        for (let at = from; at < to; at++) give(targets[at] as number, share, queue)
      }
      return touchedNodes
    },
    visits: (node: number): number => (visits[node] as number) + STOP_PROBABILITY * (residuals[node] as number),
  }
}
