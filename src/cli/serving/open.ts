import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { quoted } from '../../app/answer/truncate.ts'
import { resolveNodes } from '../../app/find/resolve-nodes.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { lookUp } from '../../app/names/known-node.ts'
import type { Vaults } from '../../app/vaults.ts'
import { type LoadedVaults, readVaults } from '../../config/load-vaults.ts'
import { messageOf, RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { quietly } from '../../core/quietly.ts'
import { isLoopbackAddress } from '../../http/host-and-origin.ts'
import { type Invocation, requireAnyFolder, requireVaults, settingsInput, withVaults } from '../session.ts'
import { isShellPath, resolveNames, withoutShellPaths } from '../tools/prepare.ts'
import { openInBrowser } from './browser.ts'
import { type AnnouncedPage, pagesOf, runningFolder } from './running-servers.ts'
import { serveHttp } from './serve-http.ts'

export async function run(invocation: Invocation): Promise<number> {
  const { printer, options, host } = invocation
  const serveInvocation = { ...invocation, options: new Map([...options, ['http', options.get('port') ?? 0] as const]) }
  const { vault, named } = await readTarget(serveInvocation)
  const loaded = await requireVaults(serveInvocation, vault)
  requireAnyFolder(loaded.vaults)
  const note = named === undefined ? undefined : await noteToOpen(serveInvocation, loaded, named)
  const stop = new AbortController()
  const show = async ({ address, isWaiting, end }: OpenedPage): Promise<void> => {
    const whole = note === undefined ? address : `${address}&note=${encodeURIComponent(note)}`
    const isPrinted = options.get('print') === true || !host.stdout.isTTY
    if (isPrinted) return printer.note(`Open ${whole}\nThis address works in one browser, for one minute. ${end}`)
    printer.note(
      `Opening the page in your browser. If it does not open, use this address, which works in one browser, for one minute:`,
    )
    printer.note(`${whole}\n${end}`)
    await openInBrowser(whole, { host, isWaiting, signal: stop.signal }).catch((error: unknown) =>
      printer.warn(`The browser cannot be opened: ${messageOf(error)}`),
    )
  }
  const running = options.has('port') || options.has('set') ? undefined : await runningPage(invocation, loaded)
  if (running !== undefined) {
    host.onSignal(() => stop.abort())
    await show({ ...running, end: 'The running server of this vault shows it.' })
    return 0
  }
  const { settings } = loaded.server
  const reachableHost = isLoopbackAddress(settings.http.host) ? settings.http.host : '127.0.0.1'
  const server = { ...loaded.server, settings: { ...settings, http: { ...settings.http, host: reachableHost } } }
  try {
    return await serveHttp(
      serveInvocation,
      { ...loaded, server },
      {
        onAddress: (address, isWaiting) => void show({ address, isWaiting, end: 'Press Ctrl+C to stop.' }),
        portAdvice: 'choose another port with --port <port>, or leave out --port to use any free one',
      },
    )
  } finally {
    stop.abort()
  }
}

interface OpenedPage {
  readonly address: string
  isWaiting(): boolean | Promise<boolean>
  readonly end: string
}

interface OpenTarget {
  readonly vault: string | undefined
  readonly named: NamedNoteTarget | undefined
}

async function readTarget(invocation: Invocation): Promise<OpenTarget> {
  const { options, positionals } = invocation
  const [vault] = positionals
  const name = options.get('note') as string | undefined
  if (name !== undefined) return { vault, named: { name, mayBeVault: false } }
  const target = vault === undefined ? 'vault' : await vaultOrNote(invocation, vault)
  return target === 'vault' ? { vault, named: undefined } : { vault: undefined, named: target }
}

async function runningPage({ host }: Invocation, { server, vaults }: LoadedVaults): Promise<Omit<OpenedPage, 'end'> | undefined> {
  const folders = vaults.flatMap(({ settings, stored }) => (stored === undefined ? [settings.vault.path] : []))
  if (folders.length !== vaults.length) return undefined
  for (const page of pagesOf(runningFolder(server.settings, host.env), folders)) {
    // Roux announces only loopback addresses, so others are skipped.
    if (!isLoopbackAddress(new URL(page.address).hostname)) continue
    const { code } = await askServer(page, {})
    if (typeof code !== 'string') continue
    return {
      address: `${page.address}#code=${code}`,
      isWaiting: async () => (await askServer(page, { waiting: code })).waiting === true,
    }
  }
  return undefined
}

/** Returns an empty object if the server does not respond as expected. */
async function askServer({ address, key }: AnnouncedPage, body: object): Promise<Readonly<Record<string, unknown>>> {
  try {
    const response = await fetch(new URL('/web/code', address), {
      method: 'POST',
      redirect: 'error',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    const answer: unknown = response.ok ? await response.json() : undefined
    return isRecord(answer) ? answer : {}
  } catch {
    return {}
  }
}

const ANSWER_TIMEOUT_MS = 3_000

const MIN_SIMILARITY = { open: 0.7, suggest: 0.3 }
const MAX_SUGGESTED = 3

export interface NamedNoteTarget {
  readonly name: string
  readonly mayBeVault: boolean
}

export async function vaultOrNote(invocation: Invocation, name: string): Promise<'vault' | NamedNoteTarget> {
  const { host, options } = invocation
  const path = resolve(host.cwd, name)
  const kind = kindOf(path)
  if (kind === 'file') return { name: path, mayBeVault: true }
  // A path is reported as a missing folder, not as an unknown note.
  if (kind === 'folder' || isShellPath(name) || /^~?(?:[\\/]|$)/.test(name)) return 'vault'
  if (options.has('vault')) return { name, mayBeVault: true }
  const { server, vaults } = await readVaults(settingsInput(invocation, name))
  const isName = Object.hasOwn(server.settings.vaults, name) || vaults.some(({ stored }) => stored === name)
  return isName ? 'vault' : { name, mayBeVault: true }
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  return quietly(() => (statSync(path).isDirectory() ? 'folder' : 'file'))
}

/**
 * Finds a note by id, title or alias, even misspelled. Missing notes with incoming links are accepted.
 * @throws RouxError `NODE_NOT_FOUND` with the nearest names, `AMBIGUOUS_NAME`
 */
export async function noteToOpen(
  invocation: Invocation,
  { vaults: loaded }: LoadedVaults,
  { name, mayBeVault }: NamedNoteTarget,
): Promise<string> {
  const tool = { names: { note: 'note' } } as const
  const args = withoutShellPaths(tool, { note: name }, { cwd: invocation.host.cwd, vaults: loaded })
  return await withVaults(invocation, loaded, async (vaults) => {
    const { note } = await resolveNames(vaults, tool, args)
    const near: string[] = []
    for (const vault of vaults.names.length === 0 ? [undefined] : vaults.names) {
      const core = await openFound(vaults, vault)
      if (core === undefined) continue
      const noteId = await findNote(core, String(note))
      if (noteId !== undefined) return noteId
      near.push(...(await namesLike(core, name)))
    }
    const instead = mayBeVault ? 'Give the folder that contains the notes' : 'Omit --note'
    throw new RouxError('NODE_NOT_FOUND', `There is no ${mayBeVault ? 'folder, vault or note' : 'note'} ${quoted(name)}.`, {
      hint: near.length === 0 ? `${instead}, and search on the page.` : 'Similar names:',
      candidates: near.slice(0, MAX_SUGGESTED),
    })
  })
}

/** Returns `undefined` if one of several vaults is missing. */
async function openFound(vaults: Vaults, name: string | undefined): Promise<GraphCore | undefined> {
  try {
    return await vaults.open(name)
  } catch (error) {
    if (name !== undefined && error instanceof RouxError && error.code === 'VAULT_NOT_FOUND') return undefined
    throw error
  }
}

async function findNote(core: GraphCore, name: string): Promise<string | undefined> {
  const id = await core.store.read(async (snapshot) => (await lookUp(snapshot, core, [name]))[0])
  if (id !== undefined) return id
  const { value } = await resolveNodes(core, { names: [name], strategy: 'fuzzy', threshold: MIN_SIMILARITY.open })
  return value[0]?.match ?? undefined
}

async function namesLike(core: GraphCore, name: string): Promise<readonly string[]> {
  const options = { limit: MAX_SUGGESTED, minimum: MIN_SIMILARITY.suggest }
  const [hits = []] = await core.store.read((snapshot) => snapshot.names([name], 'similar', {}, options))
  return hits.map(({ id }) => id)
}
