import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Diagnosis, IndexDiagnosis } from '../../compose/index.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { shellWord } from '../../config/values.ts'
import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import { amount } from '../../core/text/format.ts'
import { askHealth } from '../../http/health.ts'
import { isEveryAddress, isLoopbackAddress, isLoopbackName, readPublicAddress } from '../../http/host-and-origin.ts'
import { isOpenToOthers, modeOf, readTokens } from '../../http/tokens.ts'
import { CLIENTS, type Client } from '../../install/clients.ts'
import { listEntries } from '../../install/entries.ts'
import { type OwnEntry, readOwnEntry } from '../../install/own-entry.ts'
import { readClientFile } from '../assistants/client-file.ts'
import type { Host } from '../host.ts'
import { folderFault, outerVault, withDesk } from '../session.ts'

const REBUILT = 'It is rebuilt automatically; "roux index" rebuilds it now.'

export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly problems?: number
  readonly hint?: string
}

type Report = (check: string, message: string, hint?: string) => Finding

export const [ok, warn, fail] = [reportAs('ok'), reportAs('warn'), reportAs('fail')]

function reportAs(state: Finding['state']): Report {
  return (check, message, hint) => ({ check, state, message, ...(hint === undefined ? {} : { hint }) })
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return ok('node', version)
  return fail('node', `${version} is too old`, 'Install Node 20.19 or newer.')
}

const VAULT_HINT = 'Give the folder that contains the notes: --vault <folder>, ROUX_VAULT or the setting vault.path.'

export function checkVault(
  path: string,
  { isUnlikely, named }: { readonly isUnlikely: boolean; readonly named: boolean },
): readonly Finding[] {
  const fault = folderFault(path)
  if (fault !== undefined) return [fail('vault', fault.problem, fault.hint ?? VAULT_HINT)]
  if (isUnlikely) return [unlikelyVaultFinding(path, named)]
  const outer = outerVault(path)
  if (outer === undefined) return [ok('vault', path)]
  return [
    warn(
      'vault',
      `${path} is inside the vault ${outer}`,
      'Links to files outside it stay unresolved; if you meant the outer vault, use its folder.',
    ),
  ]
}

/** Checks access without writing to the folder. */
export function checkCacheFolder(folder: string): Finding {
  let existing = folder
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`)
    return ok('cache', folder)
  } catch (error) {
    const message = `${folder} cannot be written: ${(error as Error).message}`
    return warn(
      'cache',
      message,
      'The index stays in memory and is rebuilt at every start; set cache.path or XDG_CACHE_HOME to a writable folder.',
    )
  }
}

export function checkWatching(vault: string, watch: Settings['vault']['watch'], platform: string = process.platform): Finding {
  if (watch === 'off') return warn('watch', 'off: servers do not notice changes', 'Set vault.watch to auto.')
  if (watch === 'polling') return ok('watch', 'polling')
  const limit = platform === 'linux' ? inotifyLimit() : undefined
  if (limit === undefined) return ok('watch', 'events of the file system')
  // inotify needs one watch per folder, and the limit is per user.
  const folders = countFolders(vault, limit)
  const message = `events of the file system: ${amount(folders, 'folder')}, fs.inotify.max_user_watches is ${limit}`
  if (folders < limit / 2) return ok('watch', message)
  return warn(
    'watch',
    message,
    `Raise it (sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, folders * 4)}), or set vault.watch to polling.`,
  )
}

/** Warns if an old settings file still makes the names of new notes lowercase. */
export function checkFileCase(vault: string, spelling: Settings['files']['case'], where: string | undefined): readonly Finding[] {
  const marker = spelling === 'lower' ? ['.obsidian', '.foam', 'logseq'].find((name) => existsSync(join(vault, name))) : undefined
  if (marker === undefined) return []
  const message = `files.case is lower (${where ?? 'by default'}): new notes get lowercase names, although the vault has a ${marker} folder`
  const hint = 'Earlier versions wrote this into settings files. Unless you want it, remove it or set files.case to auto.'
  return [warn('case', message, hint)]
}

function unlikelyVaultFinding(path: string, isExplicit: boolean): Finding {
  const message = `${path} contains a home folder or a whole disk, so it is probably not a vault`
  if (isExplicit) return warn('vault', message, 'A smaller folder is faster and shows an assistant less.')
  return fail('vault', message, 'Give the folder that contains the notes. To use this folder anyway, pass it with --vault.')
}

function inotifyLimit(): number | undefined {
  return quietly(() => Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) || undefined)
}

function countFolders(root: string, atMost: number): number {
  const open = [root]
  let count = 0
  for (let folder = open.pop(); folder !== undefined && count < atMost; folder = open.pop()) {
    count++
    for (const entry of quietly(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const isSkipped = entry.name.startsWith('.') || entry.name === 'node_modules'
      if (entry.isDirectory() && !isSkipped) open.push(join(folder, entry.name))
    }
  }
  return count
}

/** Checks the AI settings without opening a connection, unlike `roux ai test`. */
export async function checkAi(host: Host, loaded: LoadedVault): Promise<readonly Finding[]> {
  const { ai } = loaded.settings
  if (!ai.enabled) return []
  if (ai.provider === 'none' || ai.model === '') {
    return [warn('ai', 'ai.enabled is true, but no chat model is set', 'Set ai.provider and ai.model.')]
  }
  return await findingsOf('ai', async () => {
    const models = await withDesk(host, loaded, (desk) => desk.models())
    const chat = models.find(({ use }) => use === 'chat')
    if (chat === undefined) return []
    const { origin, location, isAllowed, hasConsent } = chat
    const where = location === 'local' ? 'on this computer' : `on another computer, ${origin}`
    if (isAllowed && hasConsent) return [ok('ai', `${chat.model}, ${where}; "roux ai test" tests it`)]
    const parts = [
      ...(hasConsent ? [] : [`"roux ai allow ${origin}"`]),
      ...(isAllowed ? [] : [`ai.allow_remote: ["${new URL(origin).host}"]`]),
    ]
    return [warn('ai', `${chat.model} is ${where}, and must not be used yet`, `To allow it: ${parts.join(' and ')}.`)]
  })
}

async function findingsOf(
  check: string,
  run: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return [fail(check, error.message, error.hint)]
  }
}

export async function checkHttp(http: Settings['http'], tokenFile: string): Promise<readonly Finding[]> {
  return [await checkPort(http), ...(await findingsOf('tokens', () => [checkTokens(tokenFile)]))]
}

async function checkPort({ host, port }: Settings['http']): Promise<Finding> {
  const place = `port ${port} of ${host}`
  if (port === 0) return ok('http', 'any free port')
  const occupant = await askHealth(isEveryAddress(host) ? '127.0.0.1' : host, port)
  if (occupant === 'roux')
    return ok(
      'http',
      `Roux already serves at ${place}`,
      'To serve another vault as well, choose another port: "roux serve --http 0" uses any free one.',
    )
  if (occupant === 'other')
    return warn('http', `another program is using ${place}`, 'Set http.port to another port, or to 0 for any free port.')
  if (isLoopbackAddress(host)) return ok('http', `${place} is free`)
  return warn(
    'http',
    `${place} is free, and other computers could connect`,
    'The connection is not encrypted: set http.host to 127.0.0.1 behind a reverse proxy with TLS.',
  )
}

/** Sends requests only if `http.public_url` is set. */
export async function checkPublicAddress(publicUrl: string): Promise<readonly Finding[]> {
  return await findingsOf('public', async () => {
    const address = readPublicAddress(publicUrl)
    if (address === undefined) return []
    const { examineAddress } = await import('../../oauth/examine-address.ts')
    const faults = await examineAddress(address)
    if (faults.length === 0) return [ok('public', `hosted assistants can connect to ${address.resource}`)]
    return faults.map(({ message, hint }) => fail('public', message, hint))
  })
}

function checkTokens(file: string): Finding {
  const tokens = readTokens(file)
  if (tokens === undefined) return ok('tokens', 'none yet; the first is created on demand')
  const mode = modeOf(file)
  if (mode === undefined || !isOpenToOthers(mode)) return ok('tokens', `${tokens.length} in ${file}`)
  return warn(
    'tokens',
    `other users of this computer can read ${file} (mode ${mode.toString(8)})`,
    'The next "roux token list" or server corrects this; "roux token rotate" creates new secrets.',
  )
}

export function checkDiagnosis({ sqlite, index, searchIndex, embedder, hnsw, database }: Diagnosis): readonly Finding[] {
  return [
    sqlite.message === undefined
      ? ok('sqlite', `SQLite ${sqlite.version ?? ''} loads`.replace('  ', ' '))
      : fail('sqlite', sqlite.message, sqlite.hint),
    ...(database === undefined
      ? [indexFinding('index', index), indexFinding('search', searchIndex)]
      : database.map((finding): Finding => ({ check: 'database', ...finding }))),
    ...embedder.map(({ works, message, hint }) =>
      works ? ok('embedder', message, hint) : fail('embedder', `${message} Until then, search works by words only.`, hint),
    ),
    ...(hnsw === undefined ? [] : [hnswFinding(hnsw)]),
  ]
}

function indexFinding(check: 'index' | 'search', { file, state, message }: IndexDiagnosis): Finding {
  if (state === 'absent') return ok(check, 'none yet; it is created on demand')
  if (state === 'present') return ok(check, file)
  const problem = {
    damaged: 'is damaged',
    foreign: `is not ${check === 'index' ? 'an index' : 'a search index'} of Roux`,
    newer: 'was written by a newer version of Roux',
    older: 'was written by an older version of Roux',
  }[state]
  return warn(check, `${file} ${problem}${message === undefined ? '' : ` (${message})`}`, REBUILT)
}

function hnswFinding(reason: string): Finding {
  return warn(
    'vectors',
    `vectors.index is hnsw, but ${reason}`,
    'With Python and a C++ compiler, "npm rebuild hnswlib-node --ignore-scripts=false" builds it where Roux is installed (if it is missing, first run "npm install -g hnswlib-node@3.0.0"). Or set vectors.index to auto.',
  )
}

export interface ServedOverHttp {
  readonly port: number
  readonly tokenFile: string
}

export function checkClients(host: Host, served: ServedOverHttp): readonly Finding[] {
  return CLIENTS.flatMap((client) => checkClient(client, host, served))
}

function checkClient(client: Client, host: Host, served: ServedOverHttp): readonly Finding[] {
  const path = client.file(host)
  try {
    const { text } = readClientFile(path)
    if (text === undefined) return []
    return [...listEntries(text, { file: path, key: client.key })].flatMap(([name, entry]): readonly Finding[] => {
      const ownEntry = readOwnEntry(entry)
      if (ownEntry === undefined) return []
      const reason = ownEntry.kind === 'http' ? connectionProblem(ownEntry, served) : startProblem(ownEntry)
      const entryOf = `${client.title} has "${name}"`
      if (reason === undefined) return [ok('clients', `${entryOf}: ${targetOf(ownEntry)}`)]
      return [warn('clients', `${entryOf}, ${reason}`, hintFor(client, name, ownEntry))]
    })
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return [warn('clients', `${client.title}: ${error.message}`, 'Correct the file by hand.')]
  }
}

type StdioEntry = Extract<OwnEntry, { readonly kind: 'stdio' }>
type HttpEntry = Extract<OwnEntry, { readonly kind: 'http' }>

function startProblem({ node, program, vault, config }: StdioEntry): string | undefined {
  const missing = [node, program, vault, config].find(isGone)
  return missing === undefined ? undefined : `but ${missing}, which it needs, no longer exists`
}

function isGone(path: string | undefined): boolean {
  return path !== undefined && isAbsolute(path) && !existsSync(path)
}

/** Returns `undefined` for remote servers, which cannot be checked. */
function connectionProblem({ url, token }: HttpEntry, { port, tokenFile }: ServedOverHttp): string | undefined {
  const entryUrl = URL.canParse(url) ? new URL(url) : undefined
  if (entryUrl === undefined || !isLoopbackName(entryUrl.hostname)) return undefined
  if (port !== 0 && Number(entryUrl.port || 80) !== port) return `which uses ${entryUrl.host}, but http.port is ${port}`
  return isInvalidToken(token, tokenFile) ? 'with an invalid token' : undefined
}

function isInvalidToken(token: string, tokenFile: string): boolean {
  // `checkHttp` reports a damaged token file.
  return quietly(() => readTokens(tokenFile)?.every(({ secret }) => secret !== token) ?? true) ?? false
}

function hintFor({ name: client }: Client, name: string, entry: OwnEntry): string {
  const words = [client, ...(name === 'roux' ? [] : ['--name', shellWord(name)])].join(' ')
  const options = entry.kind === 'http' ? ['--http'] : optionsOf(entry)
  return `"roux install ${[words, ...options].join(' ')}" corrects it, "roux uninstall ${words}" removes it.`
}

function optionsOf({ vault, config, settings = [], write }: StdioEntry): readonly string[] {
  return [
    ...(vault === undefined ? [] : ['--vault', isGone(vault) ? '<folder>' : shellWord(vault)]),
    ...(config === undefined ? [] : ['--config', isGone(config) ? '<file>' : shellWord(config)]),
    ...settings.flatMap((setting) => ['--set', shellWord(setting)]),
    ...(write === true ? ['--write'] : []),
  ]
}

function targetOf(entry: OwnEntry): string {
  return entry.kind === 'http' ? entry.url : (entry.vault ?? `the vaults of ${entry.config ?? 'its settings'}`)
}
