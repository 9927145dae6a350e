import { spawn } from 'node:child_process'
import { userFolders } from '../../config/folders.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { isRecord } from '../../core/is-record.ts'
import { isLoopbackAddress } from '../../http/names.ts'
import { readTokens, tokenFileIn } from '../../http/token-file.ts'
import { type Invocation, requireVaults } from '../session.ts'
import { type NoteNamed, noteToOpen, vaultOrNote } from './note-to-open.ts'
import { pagesOf, runningFolder } from './running-servers.ts'
import { serveHttp } from './serve-http.ts'

/** Opens the page of a server that runs for the vault, else serves one to this computer alone, until a signal ends it. */
export async function run(invocation: Invocation): Promise<number> {
  const { printer, options, host } = invocation
  const asked = { ...invocation, options: new Map([...options, ['http', options.get('port') ?? 0] as const]) }
  const { vault, named } = await whatIsGiven(asked)
  const loaded = await requireVaults(asked, vault)
  const note = named === undefined ? undefined : await noteToOpen(asked, loaded, named)
  const show = (address: string, end: string): void => {
    const whole = note === undefined ? address : `${address}&note=${encodeURIComponent(note)}`
    const isPrinted = options.get('print') === true || !host.stdout.isTTY
    printer.note(`${isPrinted ? 'Open' : 'Opening'} ${whole}\nThe address is good for one browser, for a minute. ${end}`)
    if (!isPrinted) openBrowser(whole)
  }
  const running = options.has('port') || options.has('set') ? undefined : await addressOfRunning(invocation, loaded)
  if (running !== undefined) {
    show(running, 'The server that runs for this vault shows it.')
    return 0
  }
  const { settings } = loaded.server
  const here = isLoopbackAddress(settings.http.host) ? settings.http.host : '127.0.0.1'
  const server = { ...loaded.server, settings: { ...settings, http: { ...settings.http, host: here } } }
  return serveHttp(
    asked,
    { ...loaded, server },
    {
      mayWrite: options.get('write') === true,
      onAddress: (address) => show(address, 'Ctrl+C ends this.'),
    },
  )
}

interface Given {
  readonly vault: string | undefined
  readonly named: NoteNamed | undefined
}

async function whatIsGiven(invocation: Invocation): Promise<Given> {
  const { options, positionals } = invocation
  const [vault] = positionals
  const name = options.get('note') as string | undefined
  if (name !== undefined) return { vault, named: { name, mayBeVault: false } }
  const given = vault === undefined ? 'vault' : await vaultOrNote(invocation, vault)
  return given === 'vault' ? { vault, named: undefined } : { vault: undefined, named: given }
}

/** How long a server that says that it runs may take to answer, ms. */
const ANSWERS_WITHIN = 3_000

/** An address that opens the page of a server that runs for these vaults; `undefined` where there is none that lets this user in. */
async function addressOfRunning({ host, options }: Invocation, { server, vaults }: LoadedVaults): Promise<string | undefined> {
  const folders = vaults.flatMap(({ settings, stored }) => (stored === undefined ? [settings.vault.path] : []))
  if (folders.length !== vaults.length) return undefined
  const write = options.get('write') === true
  for (const page of pagesOf(runningFolder(server.settings, host.env), folders)) {
    const { hostname } = new URL(page)
    // A token is for this computer: what a file names elsewhere is not asked.
    if (!isLoopbackAddress(hostname)) continue
    const token = readTokens(tokenFileIn(userFolders(host.env).state))?.find(({ scopes, vaults: seen }) => {
      return seen === '*' && scopes.includes('read') && (!write || scopes.includes('write'))
    })
    const code = token && (await askForCode(new URL('/web/code', page), token.secret, write))
    if (code !== undefined) return `${page}#code=${code}`
  }
  return undefined
}

async function askForCode(url: URL, secret: string, write: boolean): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ write }),
      signal: AbortSignal.timeout(ANSWERS_WITHIN),
    })
    const answer: unknown = response.ok ? await response.json() : undefined
    return isRecord(answer) && typeof answer.code === 'string' ? answer.code : undefined
  } catch {
    // It is gone, or another program listens there by now.
    return undefined
  }
}

/** Asks the desktop to open an address; where there is none, the printed address is all there is. */
function openBrowser(address: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command ?? '', [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // An address is one word for it: "&" is not read as the end of a command.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
