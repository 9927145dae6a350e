import type { Readable, Writable } from 'node:stream'
import { greetingOf } from '../../relay/greeting.ts'
import { openLink } from '../../relay/start-server.ts'
import { StdioRelay } from '../../relay/stdio-relay.ts'
import type { Host, Sharing } from '../host.ts'

/**
 * Relays to the shared server, which the first request that needs a vault starts. Until then, this process answers, so a client that
 * only looks leaves nothing behind.
 * @param serve serves a client in this process and resolves to the exit code
 */
export async function relayFirst({ script, bootIndexer }: Sharing, host: Host, serve: Serve): Promise<number> {
  // Called when the first request needs a vault, which this process then does not answer.
  const compose = (): Promise<never> => {
    relay.needVaults()
    return new Promise(() => {})
  }
  const relay: StdioRelay = new StdioRelay({
    stdin: host.stdin as Readable,
    stdout: host.stdout as Writable,
    stderr: host.stderr as Writable,
    reopen: () => openLink(script, greetingOf('serve', process.argv.slice(2), host.env)),
    serveHere(streams, vaults) {
      if (vaults === 'open') bootIndexer()
      const own = vaults === 'open' ? streams : { ...streams, compose }
      return serve(Object.create(host, Object.getOwnPropertyDescriptors(own)) as Host, { opensEarly: vaults === 'open' })
    },
  })
  host.onSignal(() => relay.stop())
  return await relay.finished
}

type Serve = (host: Host, options: { readonly opensEarly: boolean }) => Promise<number>
