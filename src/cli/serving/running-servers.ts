import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { userFolders } from '../../config/folders.ts'
import type { Settings } from '../../config/settings.ts'
import { errorCode } from '../../core/error-code.ts'
import { isRecord } from '../../core/is-record.ts'
import { makeFolder } from '../../core/make-folder.ts'

/** Milliseconds between updates of an announcement, and the age at which an announcement is ignored. */
const BEAT_MS = 30_000
const GONE_MS = 4 * BEAT_MS

/** Returns the folder with the announcements of the user's servers. */
export function runningFolder({ cache }: Settings, env: Readonly<Record<string, string | undefined>>): string {
  return join(cache.path || userFolders(env).cache, 'servers')
}

/** Page of a running server. */
export interface AnnouncedPage {
  readonly address: string
  /** Secret that authorizes requests for an access code from this server only. */
  readonly key: string
}

/**
 * Writes a file that announces the served folders and the page of this process. The file is only a hint: if it cannot be written,
 * other processes cannot find this one.
 * @returns a function that removes the file
 */
export function announceServer(folder: string, vaults: readonly string[], page?: AnnouncedPage): () => void {
  const file = join(folder, `${process.pid}.json`)
  const text = JSON.stringify({ vaults: vaults.map(realFolder), page: page?.address, key: page?.key })
  const say = () =>
    quietly(() => {
      makeFolder(folder, { mkdirSync, dirname })
      writeFileSync(file, text, { mode: 0o600 })
    })
  say()
  quietly(() => forgetGone(folder))
  const timer = setInterval(say, BEAT_MS).unref()
  return () => {
    clearInterval(timer)
    quietly(() => rmSync(file, { force: true }))
  }
}

/** Returns the ids of the processes that announce that they serve a folder. */
export function serversOf(folder: string, vault: string): readonly number[] {
  const wanted = realFolder(vault)
  const names = quietly(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => quietly(() => saidIn(join(folder, name)))?.vaults.includes(wanted) === true)
    .map((name) => Number.parseInt(name, 10))
    .filter(isRunning)
    .sort((a, b) => a - b)
}

/** Returns the pages of running servers that show exactly these folders. */
export function pagesOf(folder: string, vaults: readonly string[]): readonly AnnouncedPage[] {
  const wanted = vaults.map(realFolder).sort().join('\n')
  const [first = ''] = vaults
  return serversOf(folder, first).flatMap((pid) => {
    const said = quietly(() => saidIn(join(folder, `${pid}.json`)))
    const isSame = said !== undefined && said.vaults.map(String).sort().join('\n') === wanted
    return isSame && typeof said.page === 'string' && typeof said.key === 'string' ? [{ address: said.page, key: said.key }] : []
  })
}

/** Reads an announcement if it is recent enough. The age matters because, after a crash, another process may have the same process id. */
function saidIn(file: string): { readonly vaults: readonly unknown[]; readonly page?: unknown; readonly key?: unknown } {
  const said: unknown = isGone(file) ? undefined : JSON.parse(readFileSync(file, 'utf8'))
  return isRecord(said) && Array.isArray(said.vaults) ? { ...said, vaults: said.vaults } : { vaults: [] }
}

function forgetGone(folder: string): void {
  for (const name of readdirSync(folder)) if (isGone(join(folder, name))) rmSync(join(folder, name), { force: true })
}

function isGone(file: string): boolean {
  return Date.now() - statSync(file).mtimeMs > GONE_MS
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function realFolder(path: string): string {
  return quietly(() => realpathSync.native(path)) ?? path
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
