import { RouxError } from '../../../core/errors.ts'
import type { Connection } from '../server/connection.ts'
import { removeVault } from './index-writer.ts'
import { currentFeeder } from './lease.ts'

/**
 * Removes what was fed of a vault, and nothing else.
 * @throws RouxError `VAULT_NOT_FOUND` where nothing was, `CONFLICT` while it is being fed
 */
export async function removeFedVault(connection: Connection): Promise<void> {
  const { vault } = connection
  const rows = await connection.read<{ readonly vault: string }>('MATCH (v:RouxVault) RETURN v.vault AS vault ORDER BY vault')
  const names = rows.map((row) => row.vault)
  if (!names.includes(vault)) {
    throw new RouxError('VAULT_NOT_FOUND', `The database has no vault "${vault}".`, {
      hint: names.length === 0 ? 'It has none.' : `It has: ${names.join(', ')}.`,
      candidates: names,
    })
  }
  const feeder = await currentFeeder(connection)
  if (feeder !== undefined) {
    throw new RouxError('CONFLICT', `The vault "${vault}" is being fed by ${feeder}.`, { hint: 'Stop that "roux feed" first.' })
  }
  await removeVault(connection)
}
