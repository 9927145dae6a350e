import { userFolders } from '../../config/environment.ts'
import { loadSettings } from '../../config/load.ts'
import { isRecord } from '../../core/is-record.ts'
import { readPublicAddress } from '../../http/host-and-origin.ts'
import type { Scope } from '../../http/tokens.ts'
import { CONNECTION_SCOPES, openWindow } from '../../oauth/connect-window.ts'
import { readJson, signInFiles } from '../../oauth/state-files.ts'
import { UsageError } from '../host.ts'
import { type Invocation, settingsInput } from '../session.ts'
import { namesIn, requireScope, warnAboutUnknown } from './token.ts'

export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, options } = invocation
  const { settings } = await loadSettings(settingsInput(invocation))
  const scopes = namesIn(options.get('scope') ?? 'read').map((name) => requireScope(name, CONNECTION_SCOPES))
  if (scopes.length === 0) throw new UsageError('The connection has no scope.', `Scopes: ${CONNECTION_SCOPES.join(', ')}.`)
  // Names are converted to lower case, like all vault names.
  const names = namesIn(options.get('vaults') ?? '*').map((name) => name.toLowerCase())
  if (names.length === 0) throw new UsageError('The connection has no vault.', 'Name vaults, or * for all of them.')
  const vaults = names.includes('*') ? '*' : names
  if (vaults !== '*') await warnAboutUnknown(invocation, vaults)
  const files = signInFiles(userFolders(host.env).state)
  const address = readPublicAddress(settings.http.public_url)?.resource ?? servedAddress(files.key)
  if (address === undefined)
    throw new UsageError(
      'No server has a public address yet, so no assistant can reach it.',
      'Set http.public_url to its https address, or run "roux serve --http --public-url <address>". Then run this again.',
    )
  for (const warning of missing(scopes, settings.tools)) printer.warn(warning)
  const code = openWindow(files.window, { scopes, vaults })
  await printer.answer({ address, code, scopes, vaults, minutes: 10 }, { render: () => advice(address, code) })
  return 0
}

function advice(address: string, code: string): string {
  return `1. In the assistant, add this address as a connector:  ${address}
2. On the page that opens, type this code:              ${code}

The code is for one sign-in within 10 minutes. "roux token list" shows connections, "roux token remove <name>" ends one.
`
}

function servedAddress(keyFile: string): string | undefined {
  const stored = readJson(keyFile)
  return isRecord(stored) && typeof stored.resource === 'string' ? stored.resource : undefined
}

/** Returns a message for each scope that is off in the settings. A server started with `--write` can still offer it. */
function missing(scopes: readonly Scope[], tools: { readonly write: boolean; readonly attach: boolean }): readonly string[] {
  const off = (['write', 'attach'] as const).filter((scope) => scopes.includes(scope) && !tools[scope])
  return off.map(
    (scope) => `tools.${scope} is off in the settings: unless the server runs with --write, the page will not offer this.`,
  )
}
