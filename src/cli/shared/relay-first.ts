import type { Readable, Writable } from 'node:stream'
import type { Settings } from '../../config/settings.ts'
import { greetingOf } from '../../relay/greeting.ts'
import { openLink } from '../../relay/start-server.ts'
import { StdioRelay } from '../../relay/stdio-relay.ts'
import type { Host, Sharing } from '../host.ts'

/** Methods of a client that looks at a server and leaves. A message without a method is an answer. */
const WITHOUT_VAULT =
  /^(?:undefined|initialize|server\/discover|ping|logging\/setLevel|(?:tools|prompts|resources|resources\/templates)\/list|notifications\/.*|exit)$/

/**
 * Relays to the shared server, which the first request that needs a vault starts. Until then, this process answers, so a client that
 * only looks leaves nothing behind.
 * @param serve serves a client in this process and resolves to the exit code
 */
export async function relayFirst(
  { script, bootIndexer }: Sharing,
  host: Host,
  { mcp }: Pick<Settings, 'mcp'>,
  serve: (host: Host) => Promise<number>,
): Promise<number> {
  const relay = new StdioRelay({
    stdin: host.stdin as Readable,
    stdout: host.stdout as Writable,
    stderr: host.stderr as Writable,
    reopen: () => openLink(script, greetingOf('serve', process.argv.slice(2), host.env)),
    // Prompts may be notes.
    needsNoVault: (method) => WITHOUT_VAULT.test(String(method)) && (method !== 'prompts/list' || mcp.prompts_folder === ''),
    serveHere(streams, vaults) {
      if (vaults === 'open') bootIndexer()
      const own = vaults === 'open' ? streams : { ...streams, compose: () => new Promise<never>(() => {}) }
      return serve(Object.create(host, Object.getOwnPropertyDescriptors(own)) as Host)
    },
  })
  host.onSignal(() => relay.stop())
  return await relay.finished
}
