import { keyVariableIn } from '../../config/key-variables.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import type { Invocation } from '../session.ts'

/** The reason if the user turned sharing off. `status` only mentions it if a server runs. */
export const SWITCHED_OFF = 'serve.shared is off'

/** Returns why a process with these settings works alone, or `undefined` if it uses the shared server. */
export function whyAlone({ host, options }: Pick<Invocation, 'host' | 'options'>, loaded: LoadedVaults): string | undefined {
  const { serve } = loaded.server.settings
  const key = keyVariableIn(host.env)
  if (options.get('alone') === true) return '--alone was given'
  if (serve.shared === 'off') return SWITCHED_OFF
  // A key in the environment is meant only for the process that received it.
  if (key !== undefined) return `${key} is set`
  // A server over Neo4j keeps little in memory, so sharing it saves nothing.
  if (loaded.vaults.some(({ settings }) => settings.store.type === 'neo4j')) return 'the index is in a Neo4j database'
  return undefined
}
