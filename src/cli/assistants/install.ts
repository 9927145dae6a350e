import { statSync } from 'node:fs'
import { userFolders } from '../../config/folders.ts'
import { loadSettings } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { RouxError } from '../../core/errors.ts'
import { openTokens, tokenFileIn } from '../../http/token-file.ts'
import { DEFAULT_NAME, requireToken } from '../../http/tokens.ts'
import type { Client, Entry, EntryPlace, HttpEndpoint } from '../../install/client.ts'
import { listEntries, putEntry } from '../../install/entries.ts'
import { keepAdditions } from '../../install/own-entry.ts'
import type { Host } from '../host.ts'
import { type Invocation, requireVaults, settingsInput } from '../session.ts'
import { UsageError } from '../usage-error.ts'
import { nameOf, requireClient, requireInstalled, requireOurs, tellChange } from './client-change.ts'
import { type ClientFile, readClientFile } from './client-file.ts'
import { launchOf, warningsOf } from './launch.ts'
import { vaultsToServe } from './vaults-to-serve.ts'

/** Puts an entry for this vault into the settings of a client; shows the difference and keeps the former file. */
export async function run(invocation: Invocation): Promise<number> {
  const { host } = invocation
  const client = requireClient(invocation, 'install')
  const name = nameOf(invocation)
  const entry = await entryOf(invocation, client)
  const file = readClientFile(client.file(host))
  const place: EntryPlace = { file: file.path, key: client.key, name }
  const former = listEntries(file.text ?? '', place).get(name)
  requireOurs(former, place, invocation)
  requireInstalled(client, file, invocation)
  if (invocation.options.get('http') === true) warnOfReaders(invocation, file)
  return tellChange(invocation, {
    client,
    file,
    name,
    text: putOrKeep(file, { place, former, entry: keepAdditions(entry, former) }),
    done: `${client.title} has Roux now, as "${name}".`,
    nothing: `${client.title} has exactly this already: nothing was written.`,
    afterwards: client.afterInstall,
  })
}

async function entryOf(invocation: Invocation, client: Client): Promise<Entry> {
  if (invocation.options.get('http') === true) return await httpEntry(invocation, client)
  const loaded = await requireVaults(invocation)
  for (const { settings } of loaded.vaults) requireVault(settings.vault.path)
  const launch = launchOf(invocation, vaultsToServe(invocation, loaded))
  for (const warning of warningsOf(launch)) invocation.printer.warn(warning)
  return client.stdio(launch)
}

async function httpEntry(invocation: Invocation, { title, name, http }: Client): Promise<Entry> {
  const { host, options } = invocation
  for (const option of ['vault', 'config', 'write']) {
    if (options.has(option))
      throw new UsageError(`--${option} says nothing to a server that runs already.`, 'Give it to "roux serve --http" instead.')
  }
  if (http === undefined)
    throw new UsageError(`${title} takes no server over HTTP from this file.`, `Leave out --http: "roux install ${name}".`)
  const { settings } = await loadSettings(settingsInput(invocation))
  return http(httpEndpoint(host, settings))
}

/** The same text where the entry says the same already, whatever its layout. */
function putOrKeep(
  { text = '' }: ClientFile,
  { place, former, entry }: { readonly place: EntryPlace; readonly former: unknown; readonly entry: Entry },
): string {
  return JSON.stringify(former) === JSON.stringify(entry) ? text : putEntry(text, place, entry)
}

function requireVault(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new RouxError('VAULT_NOT_FOUND', `There is no folder ${path}.`, {
    hint: 'Name the folder with the notes: --vault <folder>',
  })
}

function warnOfReaders({ host, printer }: Invocation, { path, text, mode }: ClientFile): void {
  if (text === undefined || host.platform === 'win32' || (mode & 0o044) === 0) return
  printer.warn(`${path} can be read by others on this computer, and with it the token: chmod 600 it.`)
}

/**
 * Where a server over HTTP answers on this computer, and the token that it takes; one is made where there is none.
 * @throws RouxError `INVALID_SETTINGS` where the port is another one each time, or the tokens are damaged
 */
function httpEndpoint({ env }: Pick<Host, 'env'>, { http: { port } }: Settings): HttpEndpoint {
  if (port === 0)
    throw new RouxError('INVALID_SETTINGS', 'With http.port: 0 the server is at another port each time.', {
      hint: 'Set http.port to one that is free.',
    })
  const { secret } = requireToken(openTokens(tokenFileIn(userFolders(env).state)), DEFAULT_NAME)
  return { url: `http://127.0.0.1:${port}/mcp`, token: secret }
}
