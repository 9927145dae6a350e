import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { userFolders } from '../../config/environment.ts'
import { realFolder } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { isRecord } from '../../core/is-record.ts'
import { isRunning } from '../../core/is-running.ts'
import { makeFolder } from '../../core/make-folder.ts'
import { quietly } from '../../core/quietly.ts'

const BEAT_MS = 30_000
const GONE_MS = 4 * BEAT_MS

export function runningFolder({ cache }: Settings, env: Readonly<Record<string, string | undefined>>): string {
  return join(cache.path || userFolders(env).cache, 'servers')
}

export interface AnnouncedPage {
  readonly address: string
  /** The secret for requesting an access code from this server. */
  readonly key: string
}

/** The announced folders by file, with one list per connection of the shared server. */
const announced = new Map<string, Set<readonly string[]>>()

/** Announces the folders of a server. Write errors are ignored. @returns a function that withdraws these folders */
export function announceServer(folder: string, vaults: readonly string[], page?: AnnouncedPage): () => void {
  const file = join(folder, `${process.pid}.json`)
  const folders = vaults.map(realFolder)
  const all = announced.get(file) ?? new Set()
  announced.set(file, all.add(folders))
  const announce = () =>
    quietly(() => {
      makeFolder(folder, { mkdirSync, dirname })
      const text = JSON.stringify({ vaults: [...new Set([...all].flat())], page: page?.address, key: page?.key })
      writeFileSync(file, text, { mode: 0o600 })
    })
  announce()
  quietly(() => forgetGone(folder))
  const timer = setInterval(announce, BEAT_MS).unref()
  return () => {
    clearInterval(timer)
    all.delete(folders)
    if (all.size > 0) announce()
    else quietly(() => rmSync(file, { force: true }))
  }
}

export function serversOf(folder: string, vault: string): readonly number[] {
  const realVault = realFolder(vault)
  const names = quietly(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => quietly(() => readAnnouncement(join(folder, name)))?.vaults.includes(realVault) === true)
    .map((name) => Number.parseInt(name, 10))
    .filter(isRunning)
    .sort((a, b) => a - b)
}

export function pagesOf(folder: string, vaults: readonly string[]): readonly AnnouncedPage[] {
  const realVaults = vaults.map(realFolder).sort().join('\n')
  const [first = ''] = vaults
  return serversOf(folder, first).flatMap((pid) => {
    const announcement = quietly(() => readAnnouncement(join(folder, `${pid}.json`)))
    const isSame = announcement !== undefined && announcement.vaults.map(String).sort().join('\n') === realVaults
    return isSame && typeof announcement.page === 'string' && typeof announcement.key === 'string'
      ? [{ address: announcement.page, key: announcement.key }]
      : []
  })
}

/** Old announcements are ignored, because process ids are reused. */
function readAnnouncement(file: string): {
  readonly vaults: readonly unknown[]
  readonly page?: unknown
  readonly key?: unknown
} {
  const value: unknown = isGone(file) ? undefined : JSON.parse(readFileSync(file, 'utf8'))
  return isRecord(value) && Array.isArray(value.vaults) ? { ...value, vaults: value.vaults } : { vaults: [] }
}

function forgetGone(folder: string): void {
  for (const name of readdirSync(folder)) if (isGone(join(folder, name))) rmSync(join(folder, name), { force: true })
}

function isGone(file: string): boolean {
  return Date.now() - statSync(file).mtimeMs > GONE_MS
}
