import { greetingOf } from '../../relay/greeting.ts'
import { openLink } from '../../relay/start-server.ts'
import { type RelayOptions, StdioRelay } from '../../relay/stdio-relay.ts'
import type { Host, Sharing } from '../host.ts'
import { overlaid } from './overlaid.ts'

/**
 * Relays to the shared server, which is started by the first request that needs a vault. Until then, this process answers, so a client
 * that only lists tools leaves no server behind.
 * @param serve serves a client in this process and resolves to the exit code
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
