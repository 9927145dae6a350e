import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type GraphChanges, type GraphLog, type LoggedCommit, NO_CHANGES } from '../../core/insight/graph-changes.ts'
import type { Decisions } from '../../core/insight/insight.ts'
import { quietly } from '../../core/quietly.ts'
import type { SharedResult, SharedResults } from '../../core/store.ts'
import type { Connection } from './server/connection.ts'

const PART = 1 << 20

/** Returns the shared results. They are split into several nodes, and deleted with the vault. */
export function sharedResultsOf(connection: Connection): SharedResults {
  const { vault } = connection
  return {
    async newer(name, than, signal) {
      const rows = await connection.read<{ readonly generation: number; readonly parts: number; readonly bytes: Int8Array }>(
        `MATCH (r:RouxResult {vault: $vault, name: $name}) WHERE r.part >= 0 AND r.generation > $than
         WITH r ORDER BY r.part RETURN r.generation AS generation, r.parts AS parts, r.bytes AS bytes`,
        { vault, name, than },
        signal,
      )
      const [first] = rows
      // The result is incomplete while another process replaces it.
      if (first === undefined || rows.length !== first.parts) return undefined
      if (rows.some(({ generation }) => generation !== first.generation)) return undefined
      return { generation: first.generation, bytes: Buffer.concat(rows.map(({ bytes }) => bytesOf(bytes))) }
    },
    async keep(name, { generation, bytes }: SharedResult) {
      const parts = Math.max(1, Math.ceil(bytes.length / PART))
      await connection.transaction(async (run) => {
        // The first write takes the lock. If the vault has been removed, nothing is written.
        const [row] = await run<{ readonly before: number }>(
          `MATCH (:RouxVault {vault: $vault}) MERGE (r:RouxResult {vault: $vault, name: $name, part: 0}) SET r.parts = coalesce(r.parts, 0)
           RETURN coalesce(r.generation, -1) AS before`,
          { vault, name },
        )
        if (row === undefined || row.before > generation) return
        for (let part = 0; part < parts; part++) {
          const chunk = bytes.subarray(part * PART, (part + 1) * PART)
          await run(
            `MERGE (r:RouxResult {vault: $vault, name: $name, part: toInteger($part)})
             SET r.generation = $generation, r.parts = $parts, r.bytes = $bytes`,
            { vault, name, part, parts, generation, bytes: new Int8Array(chunk.buffer, chunk.byteOffset, chunk.length) },
          )
        }
        await run('MATCH (r:RouxResult {vault: $vault, name: $name}) WHERE r.part >= $parts DELETE r', { vault, name, parts })
      })
    },
  }
}

function bytesOf({ buffer, byteOffset, length }: Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length)
}

/** Decisions that all servers share. They are kept when the vault is fed again, and deleted with the vault. */
export function decisionsOf(connection: Connection): Decisions {
  const { vault } = connection
  const all = async (kind: string): Promise<readonly { readonly of: string; readonly label: string | null }[]> =>
    await connection.read(
      'MATCH (d:RouxDecision {vault: $vault, kind: $kind}) WHERE d.of >= "" RETURN d.of AS of, d.label AS label ORDER BY of',
      { vault, kind },
    )
  const save = async (kind: string, of: string, label: string | null): Promise<void> => {
    await connection.write(
      'MERGE (d:RouxDecision {vault: $vault, kind: $kind, of: $of}) SET d.label = $label, d.time = timestamp()',
      {
        vault,
        kind,
        of,
        label,
      },
    )
  }
  const remove = async (kind: string, of: string): Promise<boolean> => {
    const [row] = await connection.write<{ readonly count: number }>(
      'MATCH (d:RouxDecision {vault: $vault, kind: $kind, of: $of}) DELETE d RETURN count(*) AS count',
      { vault, kind, of },
    )
    return (row?.count ?? 0) > 0
  }
  return {
    labels: async () => new Map((await all(LABEL)).map(({ of, label }) => [of, label ?? ''])),
    async setLabel(community, label) {
      if (label === undefined) await remove(LABEL, community)
      else await save(LABEL, community, label)
    },
    dismissed: async () => new Set((await all(DISMISSED)).map(({ of }) => of)),
    dismiss: (gap) => save(DISMISSED, gap, null),
    restore: (gap) => remove(DISMISSED, gap),
  }
}

const LABEL = 'label'

const DISMISSED = 'dismissed'

/** The number of commits per read. */
const ROWS = 200

/** Returns the change log for servers without access to the folder. The feeder writes the entries. */
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
    async ownerOf(lineage) {
      const rows = await connection.read(
        'MATCH (c:RouxCommit {vault: $vault}) WHERE c.generation >= 0 AND c.lineage = $lineage RETURN c.generation AS generation LIMIT 1',
        { vault, lineage },
      )
      return rows.length === 0 ? undefined : 'this vault'
    },
  }
}

interface StoredCommit extends Pick<LoggedCommit, 'generation' | 'base' | 'time'> {
  readonly changes: Int8Array | null
}

export function packedChanges(changes: GraphChanges): Int8Array {
  return Int8Array.from(deflateRawSync(JSON.stringify(changes), { level: 1 }))
}

function unpacked(changes: Int8Array | null): GraphChanges | undefined {
  if (changes === null) return NO_CHANGES
  return quietly(() => JSON.parse(inflateRawSync(changes).toString('utf8')) as GraphChanges)
}
