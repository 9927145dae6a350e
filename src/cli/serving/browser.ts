import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { userFolders } from '../../config/environment.ts'
import { makeFolder } from '../../core/make-folder.ts'
import type { Places } from '../../install/clients.ts'

const POLL_MS = 250
/** The code in a redirect file that is older than this has expired. */
const LEFT_BEHIND_MS = 5 * 60_000

/**
 * Other users can see command-line arguments, so the browser opens a private redirect file. The file is deleted when `isWaiting`
 * returns false or `signal` is aborted.
 */
export async function openInBrowser(
  address: string,
  { host, isWaiting, signal }: { readonly host: Places; isWaiting(): boolean | Promise<boolean>; readonly signal: AbortSignal },
): Promise<void> {
  const file = writeRedirect(await folderForBrowser(host), address)
  const remove = (): void => rmSync(file, { force: true })
  process.once('exit', remove)
  try {
    start(pathToFileURL(file).href, host)
    while (!signal.aborted && (await isWaiting())) await pause(POLL_MS, undefined, { signal, ref: true }).catch(() => {})
  } finally {
    process.off('exit', remove)
    remove()
  }
}

function writeRedirect(folder: string, address: string): string {
  makeFolder(folder, { mkdirSync, dirname })
  for (const name of readdirSync(folder).filter((name) => REDIRECT.test(name))) {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) rmSync(path, { force: true })
  }
  const file = join(folder, `roux-open-${randomBytes(8).toString('hex')}.html`)
  writeFileSync(file, redirectTo(address), { mode: 0o600, flag: 'wx' })
  return file
}

const REDIRECT = /^roux-open-[0-9a-f]{16}\.html$/

function redirectTo(address: string): string {
  const url = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Roux</title>
<a href="${url}">Open the page</a>
`
}

/** Returns a folder that the browser can read. A browser installed as a snap cannot read hidden folders. */
async function folderForBrowser({ env, home, platform }: Places): Promise<string> {
  const stateFolder = userFolders(env).state
  const snaps = join(home, 'snap')
  if (platform !== 'linux' || !existsSync(snaps)) return stateFolder
  // The desktop file of a snap is named "<snap>_<program>.desktop".
  const [, snap] = /^([a-z0-9-]+)_[^/]*\.desktop$/.exec(await defaultBrowser(env)) ?? []
  const folder = join(snaps, snap ?? '', 'common')
  return snap !== undefined && existsSync(folder) ? folder : stateFolder
}

const ANSWER_TIMEOUT_MS = 2_000

function defaultBrowser(env: Places['env']): Promise<string> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, timeout: ANSWER_TIMEOUT_MS }
    execFile('xdg-settings', ['get', 'default-web-browser'], options, (error, text) => resolve(error ? '' : text.trim()))
  })
}

/** Errors are ignored, because the address is also printed. */
function start(address: string, { env, platform }: Places): void {
  const [command, ...args] = OPENERS[platform as NodeJS.Platform] ?? ['xdg-open']
  const child = spawn(command ?? '', [...args, address], { env: { ...env }, stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `rundll32` receives the address as a single argument, so "&" does not end the command.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
