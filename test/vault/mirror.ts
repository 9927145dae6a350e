import { readdirSync, readFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import type { Dirty, ListedFile, Vault } from '../../src/core/vault.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { type WatchOptions, watchVault } from '../../src/vault/watch-vault.ts'
import { OPTIONS, path } from './support.ts'

/** Keeps a copy of a vault's listing up to date from watcher events only, as indexing does. */
export interface Mirror {
  readonly vault: Vault
  readonly told: Dirty[]
  readonly problems: string[]
  /** Waits until the copy equals the disk. */
  settle(): Promise<void>
  /** Waits until a condition holds. */
  until(holds: () => boolean): Promise<void>
}

/** Watches the vault at `root` until the test ends. */
export async function mirrorVault(root: string, options: Partial<WatchOptions> = {}): Promise<Mirror> {
  const all = { ...OPTIONS, watch: 'auto' as const, ...options }
  const vault = openVault(root, all)
  const files = new Map<string, ListedFile>()
  const told: Dirty[] = []
  const problems: string[] = []
  const onDirty = (dirty: Dirty) => {
    told.push(dirty)
    apply(vault, files, dirty)
  }
  const watcher = watchVault(root, { ...all, onProblem: (message) => problems.push(message), ...options }, onDirty)
  onTestFinished(() => watcher.close())
  await watcher.ready
  relist(vault, files, '')
  return {
    vault,
    told,
    problems,
    settle: () =>
      expect
        .poll(() => entriesOf(files), { interval: 20 })
        .toEqual(entriesOf(new Map(vault.list().files.map((file) => [file.path, file])))),
    until: async (holds) => void (await expect.poll(holds, { interval: 20 }).toBe(true)),
  }
}

function apply(vault: Vault, files: Map<string, ListedFile>, dirty: Dirty): void {
  for (const folder of dirty.all ? [''] : dirty.folders) relist(vault, files, folder)
  for (const file of dirty.files) {
    const listed = vault.stat(path(file))
    if (listed) files.set(file, listed)
    else files.delete(file)
  }
}

function relist(vault: Vault, files: Map<string, ListedFile>, folder: string): void {
  for (const name of [...files.keys()]) if (folder === '' || name.startsWith(`${folder}/`)) files.delete(name)
  try {
    for (const file of vault.list({ path: folder, recursive: true }).files) files.set(file.path, file)
  } catch {
    // The root is gone, so the vault counts as empty.
  }
}

function entriesOf(files: ReadonlyMap<string, ListedFile>): readonly string[] {
  return [...files.values()].map(({ path, stat, excluded }) => `${path} ${stat.size} ${stat.mtime} ${excluded}`).sort()
}

/** The number of inotify watches of this process. */
export function countWatches(): number {
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => readIfThere(`/proc/self/fdinfo/${fd}`))
    .reduce((sum, text) => sum + (text.match(/^inotify wd/gm)?.length ?? 0), 0)
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
