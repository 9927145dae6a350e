import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type GraphChanges, type GraphLog, NO_CHANGES } from '../../core/insight/graph-changes.ts'
import { quietly } from '../../core/quietly.ts'
import type { Connection } from './server/connection.ts'

/** Number of commits to read at once. */
const ROWS = 200

/** Returns the change log for servers without access to the folder. The feeder writes it with each generation. */
export function graphLogOf(connection: Connection): GraphLog {
  const { vault } = connection
  return {
    async *commits(lineage, upTo) {
      for (let before = upTo + 1; ; ) {
        const rows = await connection.read<StoredCommit>(
          `MATCH (c:RouxCommit {vault: $vault}) WHERE c.generation < $before AND c.lineage = $lineage
           RETURN c.generation AS generation, c.base AS base, c.time AS time, c.changes AS changes
           ORDER BY c.generation DESC LIMIT toInteger($rows)`,
          { vault, lineage, before, rows: ROWS },
        )
        if (rows.length > 0) yield rows.map(({ changes, ...row }) => ({ ...row, lineage, changes: unpacked(changes) }))
        if (rows.length < ROWS) return
        before = rows.at(-1)?.generation ?? 0
      }
    },
    async knows(lineage) {
      const rows = await connection.read(
        'MATCH (c:RouxCommit {vault: $vault}) WHERE c.generation >= 0 AND c.lineage = $lineage RETURN c.generation AS generation LIMIT 1',
        { vault, lineage },
      )
      return rows.length === 0 ? undefined : 'this vault'
    },
  }
}

interface StoredCommit {
  readonly generation: number
  readonly base: number
  readonly time: number
  readonly changes: Int8Array | null
}

export function packedChanges(changes: GraphChanges): Int8Array {
  return Int8Array.from(deflateRawSync(JSON.stringify(changes), { level: 1 }))
}

function unpacked(changes: Int8Array | null): GraphChanges | undefined {
  if (changes === null) return NO_CHANGES
  return quietly(() => JSON.parse(inflateRawSync(changes).toString('utf8')) as GraphChanges)
}
