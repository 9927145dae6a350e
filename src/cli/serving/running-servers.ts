import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userFolders } from '../../config/folders.ts'
import type { Settings } from '../../config/settings.ts'

/** How often a server says that it is still there, and after how long it is taken to be gone, ms. */
const BEAT_MS = 30_000
const GONE_MS = 4 * BEAT_MS

/** Where the servers of a user say that they run. */
export function runningFolder({ cache }: Settings, env: Readonly<Record<string, string | undefined>>): string {
  return join(cache.path || userFolders(env).cache, 'servers')
}

/**
 * Says in a file of its own that this process serves these folders, until it is told to stop. It is a note for people and nothing rests on
 * it: where it cannot be written, no one knows.
 */
export function announceServer(folder: string, vaults: readonly string[]): () => void {
  const file = join(folder, `${process.pid}.json`)
  const text = JSON.stringify({ vaults: vaults.map(realFolder) })
  const say = () =>
    quietly(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
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

/** The processes that serve a folder, as far as they say so; none where nothing can be read. */
export function serversOf(folder: string, vault: string): readonly number[] {
  const wanted = realFolder(vault)
  const names = quietly(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => (quietly(() => vaultsIn(join(folder, name))) ?? []).includes(wanted))
    .map((name) => Number.parseInt(name, 10))
    .filter(isRunning)
    .sort((a, b) => a - b)
}

/** What a server that is still there says; another may have its number after a crash, so that its last word must be fresh. */
function vaultsIn(file: string): readonly unknown[] {
  const { vaults } = isGone(file) ? { vaults: [] } : JSON.parse(readFileSync(file, 'utf8'))
  return Array.isArray(vaults) ? vaults : []
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
    return (error as NodeJS.ErrnoException).code === 'EPERM'
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
