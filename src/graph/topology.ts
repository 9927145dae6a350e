import type { Adjacency } from '../core/csr.ts'
import type { Graph } from './graph.ts'

/** The listed notes and the links among them, without self-links, for algorithms that run in another thread. */
export interface NumberedTopology extends Adjacency {
  readonly keys: Uint32Array
}

export function topologyOf(graph: Graph): NumberedTopology {
  const keys: number[] = []
  const numbers = new Int32Array(graph.size).fill(-1)
  for (let key = 0; key < graph.size; key++) {
    if (graph.isListedNote(key)) numbers[key] = keys.push(key) - 1
  }
  const offsets = new Uint32Array(keys.length + 1)
  const targets: number[] = []
  keys.forEach((key, node) => {
    for (const target of graph.targets(key)) {
      const number = numbers[target] ?? -1
      if (number >= 0 && target !== key) targets.push(number)
    }
    offsets[node + 1] = targets.length
  })
  return { keys: Uint32Array.from(keys), offsets, targets: Uint32Array.from(targets) }
}
