import type { Decisions } from '../../core/insight/insight-state.ts'
import type { Connection } from './server/connection.ts'

/**
 * Decisions about a vault, for everyone who shares its index. They survive feeding from scratch and go when the vault
 * is removed.
 */
export function decisionsOf(connection: Connection): Decisions {
  const { vault } = connection
  const all = async (kind: string): Promise<readonly { readonly of: string; readonly label: string | null }[]> =>
    await connection.read(
      'MATCH (d:RouxDecision {vault: $vault, kind: $kind}) WHERE d.of >= "" RETURN d.of AS of, d.label AS label ORDER BY of',
      { vault, kind },
    )
  const put = async (kind: string, of: string, label: string | null): Promise<void> => {
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
    const [found] = await connection.write<{ readonly count: number }>(
      'MATCH (d:RouxDecision {vault: $vault, kind: $kind, of: $of}) DELETE d RETURN count(*) AS count',
      { vault, kind, of },
    )
    return (found?.count ?? 0) > 0
  }
  return {
    labels: async () => new Map((await all(LABEL)).map(({ of, label }) => [of, label ?? ''])),
    async setLabel(community, label) {
      if (label === undefined) await remove(LABEL, community)
      else await put(LABEL, community, label)
    },
    dismissed: async () => new Set((await all(DISMISSED)).map(({ of }) => of)),
    dismiss: (gap) => put(DISMISSED, gap, null),
    restore: (gap) => remove(DISMISSED, gap),
  }
}

const LABEL = 'label'
const DISMISSED = 'dismissed'
