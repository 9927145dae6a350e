import { keyVariableIn } from '../../config/environment.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { greetingOf } from '../../relay/greeting.ts'
import { openLink } from '../../relay/start-server.ts'
import { type RelayOptions, StdioRelay } from '../../relay/stdio-relay.ts'
import type { Host, Sharing } from '../host.ts'
import type { Invocation } from '../session.ts'
import { overlaid } from './shared-vaults.ts'

/** The reason why a process is not shared. `status` mentions it only if a shared server is running. */
export const SWITCHED_OFF = 'serve.shared is off'

export function whyAlone({ host, options }: Pick<Invocation, 'host' | 'options'>, loaded: LoadedVaults): string | undefined {
  const { serve } = loaded.server.settings
  const key = keyVariableIn(host.env)
  if (options.get('alone') === true) return '--alone was given'
  if (serve.shared === 'off') return SWITCHED_OFF
  // A process with an API key in its environment is not shared, because the key is only for this process.
  if (key !== undefined) return `${key} is set`
  // A server over Neo4j keeps little in memory, so sharing it saves nothing.
  if (loaded.vaults.some(({ settings }) => settings.store.type === 'neo4j')) return 'the index is in a Neo4j database'
  return undefined
}

/**
 * Starts the shared server on the first request that needs a vault, so merely listing tools starts no server.
 * @param serve resolves to the exit code
 */
export function relayFirst({ script, bootIndexer }: Sharing, host: Host, serve: Serve): Promise<number> {
  const reopen = () => openLink(script, greetingOf('serve', process.argv.slice(2), host.env))
  const serveHere: RelayOptions['serveHere'] = (streams, needVaults) => {
    if (needVaults === undefined) bootIndexer()
    const compose = (): Promise<never> => {
      needVaults?.()
      return new Promise(() => {})
    }
    const hostStreams = needVaults === undefined ? streams : { ...streams, compose }
    return serve(overlaid(host, hostStreams), { opensEarly: needVaults === undefined })
  }
  return new Promise((onFinished) => {
    const relay = new StdioRelay({ reopen, serveHere, onFinished })
    host.onSignal(() => relay.stop())
  })
}

type Serve = (host: Host, options: { readonly opensEarly: boolean }) => Promise<number>
