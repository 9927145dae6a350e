import type { Asking } from './questions.ts'

/** The listed notes and the links among them, in rows; self-links left out. */
export interface TopologyRows {
  readonly keys: readonly number[]
  /** Without the vault's name. */
  readonly ids: readonly string[]
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

export async function topologyOf({ questions }: Asking): Promise<TopologyRows> {
  const rows = await questions.ask<readonly [key: number, id: string, targets: readonly number[]]>(
    `MATCH (f:RouxListed {vault: $vault}) WHERE f.folded STARTS WITH ''
     WITH f, COLLECT { MATCH (f)-[:ROUX_LINK]->(t:RouxListed) WHERE t <> f RETURN t.key } AS targets ORDER BY f.key
     RETURN [f.key, f.id, targets] AS row`,
  )
  const numbers = new Map(rows.map(([key], at) => [key, at]))
  const offsets = new Uint32Array(rows.length + 1)
  const targets: number[] = []
  rows.forEach(([, , own], at) => {
    for (const key of own) {
      const number = numbers.get(key)
      if (number !== undefined) targets.push(number)
    }
    offsets[at + 1] = targets.length
  })
  return { keys: rows.map(([key]) => key), ids: rows.map(([, id]) => id), offsets, targets: Uint32Array.from(targets) }
}
