import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { GraphChanges, LoggedCommit } from '../../core/insight/graph-changes.ts'

export interface CommitRow {
  readonly lineage: string
  readonly generation: number
  readonly base: number
  readonly time: number
  readonly deflated: number
  /** The checksum of the data and its owner. */
  readonly sum: string
  readonly data: Uint8Array
}

type Place = Pick<CommitRow, 'lineage' | 'generation' | 'base'>

/** Bytes from which it pays to make them fewer. */
const DEFLATE_ABOVE = 500
const LEVEL = 1
const SUM_DIGITS = 16

const NOTHING: GraphChanges = { files: [], links: [] }

export function packCommit(place: Place, changes: GraphChanges | undefined): Pick<CommitRow, 'deflated' | 'sum' | 'data'> {
  const text = changes === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(changes))
  const deflated = text.length > DEFLATE_ABOVE
  // Copied, because not every version of the binding accepts a view into the middle of a buffer.
  const data = Uint8Array.from(deflated ? deflateRawSync(text, { level: LEVEL }) : text)
  return { deflated: deflated ? 1 : 0, sum: sumOf(place, data), data }
}

/** The commit as logged; without its changes if the row is damaged. */
export function unpackCommit(row: CommitRow): LoggedCommit {
  const { lineage, generation, base, time, deflated, sum, data } = row
  return { lineage, generation, base, time, changes: sum === sumOf(row, data) ? readChanges(data, deflated === 1) : undefined }
}

function readChanges(data: Uint8Array, deflated: boolean): GraphChanges | undefined {
  if (data.length === 0) return NOTHING
  try {
    return JSON.parse(Buffer.from(deflated ? inflateRawSync(data) : data).toString('utf8')) as GraphChanges
  } catch {
    return undefined
  }
}

function sumOf({ lineage, generation, base }: Place, data: Uint8Array): string {
  const hash = createHash('sha256').update(`${lineage} ${generation} ${base} `).update(data)
  return hash.digest('hex').slice(0, SUM_DIGITS)
}
