import type { PathAnswer } from '../links/find-path.ts'
import { type Fitted, jsonBytes, sums } from './budget.ts'
import { compose, leastBytes } from './fit-list.ts'

/** A path within a budget: its ids, its links and their sentences, then the alternatives in the same way. */
export function fitPath(answer: PathAnswer | null, room: number): Fitted<PathAnswer | null> {
  if (answer === null) return { value: null, omitted: {} }
  const left = room - jsonBytes({ ...answer, hops: [], alternatives: [] })
  // That there are others is said before how the first is made.
  const others = Math.min(left / 2, leastBytes(answer.alternatives))
  const hops = compose(answer.hops, { room: left - others, called: 'hops', isFirstSure: false })
  const alternatives = compose(answer.alternatives, { room: left - hops.bytes, called: 'alternatives', isFirstSure: false })
  return {
    value: { ...answer, hops: hops.rows, alternatives: alternatives.rows },
    omitted: sums(hops.omitted, alternatives.omitted),
  }
}
