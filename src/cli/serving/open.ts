import type { LoadedVaults } from '../../config/load-vaults.ts'
import { messageOf } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { isLoopbackAddress } from '../../http/host-and-origin.ts'
import { type Invocation, requireVaults } from '../session.ts'
import { openInBrowser } from './browser.ts'
import { type NamedNoteTarget, noteToOpen, vaultOrNote } from './note-to-open.ts'
import { type AnnouncedPage, pagesOf, runningFolder } from './running-servers.ts'
import { serveHttp } from './serve-http.ts'

/**
 * Opens the page of a server that is already running for the vault. If there is none, serves the page on this computer until a signal
 * is received.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { printer, options, host } = invocation
  const serveInvocation = { ...invocation, options: new Map([...options, ['http', options.get('port') ?? 0] as const]) }
  const { vault, named } = await readTarget(serveInvocation)
  const loaded = await requireVaults(serveInvocation, vault)
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

/** Returns the page of a running server for these vaults, or `undefined` if there is none. */
async function runningPage({ host }: Invocation, { server, vaults }: LoadedVaults): Promise<Omit<OpenedPage, 'end'> | undefined> {
  const folders = vaults.flatMap(({ settings, stored }) => (stored === undefined ? [settings.vault.path] : []))
  if (folders.length !== vaults.length) return undefined
  for (const page of pagesOf(runningFolder(server.settings, host.env), folders)) {
    // Ignore addresses on other computers. Roux never writes them.
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

/** Sends an access code request to a page's server. Returns an empty object if the server is gone or another program uses its port. */
async function askServer({ address, key }: AnnouncedPage, body: object): Promise<Readonly<Record<string, unknown>>> {
  try {
    const response = await fetch(new URL('/web/code', address), {
      method: 'POST',
      redirect: 'error',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    })
    const answer: unknown = response.ok ? await response.json() : undefined
    return isRecord(answer) ? answer : {}
  } catch {
    return {}
  }
}

/** Milliseconds to wait for an answer from a running server. */
const ANSWER_TIMEOUT = 3_000
