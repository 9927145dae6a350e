import { spawn } from 'node:child_process'
import { isLoopbackAddress } from '../../http/names.ts'
import { type Invocation, requireVaults } from '../session.ts'
import { serveHttp } from './serve-http.ts'

/** Serves the page to this computer alone and opens the browser, until a signal ends it. */
export async function run(invocation: Invocation): Promise<number> {
  const { printer, options, positionals, host } = invocation
  const asked = { ...invocation, options: new Map([...options, ['http', options.get('port') ?? 0] as const]) }
  const loaded = await requireVaults(asked, positionals[0])
  const note = options.get('note') as string | undefined
  const { settings } = loaded.server
  const here = isLoopbackAddress(settings.http.host) ? settings.http.host : '127.0.0.1'
  const server = { ...loaded.server, settings: { ...settings, http: { ...settings.http, host: here } } }
  return serveHttp(
    asked,
    { ...loaded, server },
    {
      mayWrite: options.get('write') === true,
      onAddress(address) {
        const whole = note === undefined ? address : `${address}&note=${encodeURIComponent(note)}`
        const isPrinted = options.get('print') === true || !host.stdout.isTTY
        printer.note(
          `${isPrinted ? 'Open' : 'Opening'} ${whole}\nThe address is good for one browser, for a minute. Ctrl+C ends this.`,
        )
        if (!isPrinted) openBrowser(whole)
      },
    },
  )
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
