import { createHash } from 'node:crypto'
import type { GraphCore } from '../graph-core.ts'

export interface GenerationOf {
  readonly lineage: string
  readonly generation: number
}

const CURSOR = /^([0-9a-f]{4,32})-([0-9a-z]{1,9})-([0-9a-f]{4})$/

/** Returns a cursor for the next call of `changes_since`. */
export function changeCursor({ name }: Pick<GraphCore, 'name'>, { lineage, generation }: GenerationOf): string {
  const place = `${lineage}-${generation.toString(36)}`
  return `${name === undefined ? '' : `${name}:`}${place}-${checkOf(place)}`
}

export function readCursor(text: string): GenerationOf | undefined {
  const [, lineage = '', number = '', check] = CURSOR.exec(text.trim()) ?? []
  if (check === undefined || check !== checkOf(`${lineage}-${number}`)) return undefined
  return { lineage, generation: Number.parseInt(number, 36) }
}

function checkOf(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, 4)
}
