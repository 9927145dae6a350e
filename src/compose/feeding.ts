import type { Settings } from '../config/settings.ts'
import type { FeederLease } from '../store/neo4j/feed/lease.ts'
import { connectionTo, neo4jPlace } from './engine.ts'
import { indexFile, realRoot } from './index-files.ts'
import type { OpenOptions } from './open-options.ts'

export type { FeederLease }

/** The right to feed a vault, which one process has at a time. */
export async function openFeederLease(
  settings: Settings,
  options: Pick<OpenOptions, 'name' | 'storePassword'>,
): Promise<FeederLease> {
  const { openLease } = await import('../store/neo4j/feed/lease.ts')
  const root = realRoot(settings.vault.path)
  return openLease(await connectionTo(neo4jPlace(settings, { ...options, root, file: indexFile(settings, root) })))
}

/** Removes a vault from the configured database. @throws RouxError when it does not exist or is being fed */
export async function removeFed(
  settings: Settings,
  options: Required<Pick<OpenOptions, 'name'>> & Pick<OpenOptions, 'storePassword'>,
): Promise<void> {
  const { removeFedVault } = await import('../store/neo4j/feed/remove-vault.ts')
  const connection = await connectionTo(neo4jPlace(settings, { ...options, root: '/', file: indexFile(settings, '/') }))
  try {
    await removeFedVault(connection)
  } finally {
    await connection.close()
  }
}
