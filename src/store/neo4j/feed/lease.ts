import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Connection } from '../server/connection.ts'
import { ensureSchema } from '../server/schema.ts'

/** The lifetime of a lease without renewal, in milliseconds on the database's clock. */
const LEASE = 15_000

export interface LeaseState {
  readonly isHeld: boolean
  readonly holder: string
}

/** A lease for watching a vault's folder and feeding the database. Only one process at a time can hold it. */
export interface FeederLease {
  /** Acquires or renews the lease. The holder must call it again before the lease expires. */
  take(): Promise<LeaseState>
  release(): Promise<void>
  close(): Promise<void>
}

export function openLease(connection: Connection): FeederLease {
  const { vault } = connection
  const holder = `${hostname()}, process ${process.pid}`
  // Process ids are not unique, because containers may share a host name.
  const id = randomUUID()
  let isPrepared = false
  return {
    async take() {
      if (!isPrepared) await ensureSchema(connection)
      isPrepared = true
      // The first `SET` locks the node, so the decision is atomic.
      const [row] = await connection.beat<LeaseState>(
        `MERGE (h:RouxFeeder {vault: $vault}) SET h.asked = timestamp()
         WITH h, h.holder IS NULL OR coalesce(h.id, '') = $id OR h.until < timestamp() AS isHeld
         FOREACH (_ IN CASE WHEN isHeld THEN [1] ELSE [] END |
           SET h.id = $id, h.holder = $holder, h.until = timestamp() + $lease, h.heard = timestamp())
         RETURN isHeld, h.holder AS holder`,
        { vault, id, holder, lease: LEASE },
      )
      return row ?? { isHeld: false, holder: '' }
    },
    async release() {
      await connection.beat('MATCH (h:RouxFeeder {vault: $vault, id: $id}) REMOVE h.id, h.holder, h.until, h.heard', {
        vault,
        id,
      })
    },
    close: () => connection.close(),
  }
}

export async function currentFeeder(connection: Connection): Promise<string | undefined> {
  const [row] = await connection.read<{ readonly holder: string | null }>(
    'MATCH (h:RouxFeeder {vault: $vault}) WHERE h.until > timestamp() RETURN h.holder AS holder',
    { vault: connection.vault },
  )
  return row?.holder ?? undefined
}
