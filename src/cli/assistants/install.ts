import { realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { CONFIG_FILE } from '../../config/config-file.ts'
import { userFolders } from '../../config/environment.ts'
import { loadSettings } from '../../config/load.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import { DEFAULT_NAME, openTokens, requireToken, tokenFileIn } from '../../http/tokens.ts'
import type { Client, Entry, EntryPlace, HttpEndpoint, Launch } from '../../install/clients.ts'
import { listEntries, putEntry, removeEntry } from '../../install/entries.ts'
import { keepAdditions } from '../../install/own-entry.ts'
import { type Host, UsageError } from '../host.ts'
import { type Invocation, requireVaults, settingsInput } from '../session.ts'
import {
  type ClientFile,
  nameOf,
  readBackups,
  readClientFile,
  reportChange,
  requireClient,
  requireInstalled,
  requireOurs,
} from './client-file.ts'

/** Matches the links that fnm creates for a single shell. */
const FNM_SHELL_FOLDER = /[\\/]fnm_multishells[\\/]/

export async function install(invocation: Invocation): Promise<number> {
  const { host } = invocation
  const client = requireClient(invocation, 'install')
  const name = nameOf(invocation)
  const entry = await entryOf(invocation, client)
  const file = readClientFile(client.file(host))
  const place: EntryPlace = { file: file.path, key: client.key, name }
  const formerEntry = listEntries(file.text ?? '', place).get(name)
  requireOurs(formerEntry, place, invocation)
  requireInstalled(client, file, invocation)
  if (invocation.options.get('http') === true) warnAboutReaders(invocation, file)
  return reportChange(invocation, {
    client,
    file,
    name,
    text: putOrKeep(file, { place, former: formerEntry, entry: keepAdditions(entry, formerEntry) }),
    done: `${client.title} now has Roux, as "${name}".`,
    nothing: `${client.title} already has this entry; nothing was written.`,
    afterwards: [client.afterInstall, ...adviceFor(invocation, file, place)].join('\n'),
  })
}

/** If a client has this many other servers, their tool lists fill much of the model's context. */
const MANY_SERVERS = 4

function adviceFor({ options }: Invocation, { text = '' }: ClientFile, place: EntryPlace): readonly string[] {
  const others = [...listEntries(text, place).keys()].filter((name) => name !== place.name).length
  const isChosen = ((options.get('set') as readonly string[] | undefined) ?? []).some((text) => text.startsWith('tools.profile='))
  if (others < MANY_SERVERS || isChosen) return []
  return [
    `It has ${others} other servers and reads all their tool lists before each answer. With --set tools.profile=core, Roux's list is half as long.`,
  ]
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
      throw new UsageError(
        `--${option} has no effect on a server that is already running.`,
        'Pass it to "roux serve --http" instead.',
      )
  }
  if (http === undefined)
    throw new UsageError(`${title} does not accept HTTP servers in this file.`, `Omit --http: "roux install ${name}".`)
  const { settings } = await loadSettings(settingsInput(invocation))
  return http(httpEndpoint(host, settings))
}

/** Returns the text unchanged if it already contains an equivalent entry. */
function putOrKeep(
  { text = '' }: ClientFile,
  { place, former, entry }: { readonly place: EntryPlace; readonly former: unknown; readonly entry: Entry },
): string {
  return JSON.stringify(former) === JSON.stringify(entry) ? text : putEntry(text, place, entry)
}

function requireVault(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new RouxError('VAULT_NOT_FOUND', `There is no folder ${path}.`, {
    hint: 'Give the folder that contains the notes: --vault <folder>',
  })
}

function warnAboutReaders({ host, printer }: Invocation, { path, text, mode }: ClientFile): void {
  if (text === undefined || host.platform === 'win32' || (mode & 0o044) === 0) return
  printer.warn(`${path} contains a token and can be read by other users of this computer: run chmod 600 on it.`)
}

/** Creates the token if necessary. @throws RouxError `INVALID_SETTINGS` if `http.port` is 0 or the token file is damaged */
function httpEndpoint({ env }: Pick<Host, 'env'>, { http: { port } }: Settings): HttpEndpoint {
  if (port === 0)
    throw new RouxError('INVALID_SETTINGS', 'The port changes on every start, because http.port is 0.', {
      hint: 'Set http.port to a free port.',
    })
  const { secret } = requireToken(openTokens(tokenFileIn(userFolders(env).state)), DEFAULT_NAME)
  return { url: `http://127.0.0.1:${port}/mcp`, token: secret }
}

export async function uninstall(invocation: Invocation): Promise<number> {
  const client = requireClient(invocation, 'uninstall')
  const name = nameOf(invocation)
  const file = readClientFile(client.file(invocation.host))
  const place: EntryPlace = { file: file.path, key: client.key, name }
  const { text = '' } = file
  const entry = listEntries(text, place).get(name)
  requireOurs(entry, place, invocation)
  return reportChange(invocation, {
    client,
    file,
    name,
    text: removeEntry(text, place, readBackups(file)),
    done: `${client.title} no longer has "${name}".`,
    nothing: `${file.path} has no server "${name}": nothing was written.`,
    afterwards: client.afterUninstall,
  })
}

/**
 * Returns a command line with absolute paths that works without a shell.
 * @throws RouxError for a path in which the client would expand a variable
 */
export function launchOf({ host, options }: Invocation, { vault, config: file }: VaultsToServe): Launch {
  if (vault?.includes('${'))
    throw new RouxError('INVALID_PARAMS', `${vault} contains "\${", which these programs interpret as a variable.`, {
      hint: 'Create a symbolic link to it and use that: --vault <link>.',
    })
  const config = file ?? (options.get('config') as string | undefined)
  const settings = (options.get('set') as readonly string[] | undefined) ?? []
  return {
    command: stableNode(host),
    args: [
      host.program.script,
      'serve',
      ...(vault === undefined ? [] : [vault]),
      ...(config === undefined ? [] : ['--config', resolve(host.cwd, config)]),
      ...settings.flatMap((setting) => ['--set', setting]),
      ...(options.get('write') === true ? ['--write'] : []),
    ],
  }
}

/** Warns about paths that the next update may remove. */
export function warningsOf({ command, args: [script = ''] }: Launch): readonly string[] {
  if (/[\\/]_npx[\\/]/.test(script))
    return [`${script} is in a folder that npm may delete: install Roux (npm install -g), then run this again.`]
  const passing = [command, script].find(namesVersion)
  if (passing === undefined) return []
  return [`${passing} belongs to one version of Node. Run this again after removing that version; "roux doctor" reports it.`]
}

/** Returns the path of Node, preferably a link in PATH, which survives updates of Node. */
function stableNode({ program, env, platform }: Host): string {
  if (!namesVersion(program.node)) return program.node
  const names = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !FNM_SHELL_FOLDER.test(folder))
    .map((folder) => join(folder, platform === 'win32' ? 'node.exe' : 'node'))
  return names.find((name) => !namesVersion(name) && isSame(name, program.node)) ?? program.node
}

function namesVersion(path: string): boolean {
  return /[\\/](?:node[-@])?v?\d+\.\d+[^\\/]*[\\/]/.test(path)
}

function isSame(path: string, real: string): boolean {
  return quietly(() => realpathSync.native(path) === realpathSync.native(real)) ?? false
}

export interface VaultsToServe {
  /** The vault to serve. If omitted, the server serves all vaults in its settings. */
  readonly vault?: string
  readonly config?: string
}

export function vaultsToServe(invocation: Invocation, { server, vaults }: LoadedVaults): VaultsToServe {
  const [{ name, settings }, ...more] = vaults
  if (name === undefined) return { vault: settings.vault.path }
  const sources = new Set(vaults.map((vault) => sourceOf(server.origins.get(`vaults.${vault.name}`))))
  const elsewhere = [...sources].filter((source) => !isReadEverywhere(source, invocation))
  if (elsewhere.length === 0) return more.length === 0 ? { vault: name } : {}
  if (more.length === 0) return { vault: settings.vault.path }
  const [file = '', ...others] = elsewhere
  if (others.length === 0 && isAbsolute(file) && !invocation.options.has('config')) return { config: file }
  throw new RouxError(
    'INVALID_SETTINGS',
    `The vaults are defined in ${elsewhere.join(' and ')}, which a server started from another folder does not read.`,
    {
      hint: `List them in ${ownFile(invocation)}, or choose one: --vault <folder>.`,
    },
  )
}

/** Returns true for a source that the entry reads wherever it starts. `--set` options are part of its command. */
function isReadEverywhere(source: string, invocation: Invocation): boolean {
  const { host, options } = invocation
  const config = options.get('config') as string | undefined
  return [...(config === undefined ? [] : [resolve(host.cwd, config)]), ownFile(invocation), '--set'].includes(source)
}

function ownFile({ host }: Invocation): string {
  return join(userFolders(host.env).config, CONFIG_FILE)
}

/** Returns `/x/roux.config.yaml` for `/x/roux.config.yaml:3`. */
function sourceOf(origin = ''): string {
  return origin.replace(/:\d+$/, '')
}
