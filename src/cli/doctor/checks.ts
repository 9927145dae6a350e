import { accessSync, constants, type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import { errorCode } from '../../core/error-code.ts'

/** What one check found: `warn` works but not as it should, `fail` does not work. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
}

/** Whether this Node is new enough. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return { check: 'node', state: 'ok', message: version }
  return { check: 'node', state: 'fail', message: `${version} is too old`, hint: 'Install Node 20.19 or newer.' }
}

/** Whether the vault is a folder that can be read and is meant as one. */
export function checkVault(
  path: string,
  { tooWide, named }: { readonly tooWide: boolean; readonly named: boolean },
): readonly Finding[] {
  try {
    readdirSync(path)
  } catch (error) {
    const code = errorCode(error)
    const message =
      code === 'ENOENT'
        ? `there is no folder ${path}`
        : code === 'ENOTDIR'
          ? `${path} is not a folder`
          : `${path} may not be read (${code})`
    return [
      {
        check: 'vault',
        state: 'fail',
        message,
        hint: 'Name the folder with the notes: --vault <folder>, ROUX_VAULT or the setting vault.path.',
      },
    ]
  }
  if (tooWide) return [wideFinding(path, named)]
  const outer = outerVault(path)
  if (outer === undefined) return [{ check: 'vault', state: 'ok', message: path }]
  return [
    {
      check: 'vault',
      state: 'warn',
      message: `${path} lies inside the vault ${outer}`,
      hint: 'Links that lead out of it stay unresolved; name the outer one if that is meant.',
    },
  ]
}

/** Whether what can be rebuilt can be kept. Nothing is written to find out. */
export function checkCacheFolder(folder: string): Finding {
  let existing = folder
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`)
    return { check: 'cache', state: 'ok', message: folder }
  } catch (error) {
    const message = `${folder} cannot be written: ${(error as Error).message}`
    return {
      check: 'cache',
      state: 'warn',
      message,
      hint: 'The index is kept in memory and made again at every start; set cache.path or XDG_CACHE_HOME to a folder that can be written.',
    }
  }
}

/** Whether changes can be noticed in the way that is set. */
export function checkWatching(vault: string, watch: Settings['vault']['watch'], platform: string = process.platform): Finding {
  if (watch === 'off')
    return { check: 'watch', state: 'warn', message: 'off: a server does not notice changes', hint: 'Set vault.watch to auto.' }
  if (watch === 'polling') return { check: 'watch', state: 'ok', message: 'polling' }
  const limit = platform === 'linux' ? inotifyLimit() : undefined
  if (limit === undefined) return { check: 'watch', state: 'ok', message: 'events of the file system' }
  // One watch a folder; other programs of the same user take theirs of the same limit.
  const folders = countFolders(vault, limit)
  const message = `events of the file system: ${folders} ${folders === 1 ? 'folder' : 'folders'}, fs.inotify.max_user_watches is ${limit}`
  if (folders < limit / 2) return { check: 'watch', state: 'ok', message }
  return {
    check: 'watch',
    state: 'warn',
    message,
    hint: `Raise it (sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, folders * 4)}), or set vault.watch to polling.`,
  }
}

/** Whether the vault is one whose application keeps spellings, but new notes are named in lower case, as settings files once said by default. */
export function checkFileCase(vault: string, spelling: Settings['files']['case'], where: string | undefined): readonly Finding[] {
  const marker = spelling === 'lower' ? ['.obsidian', '.foam', 'logseq'].find((name) => existsSync(join(vault, name))) : undefined
  if (marker === undefined) return []
  const message = `files.case is lower (${where ?? 'by default'}): new notes get names in lower case, although the vault has a folder ${marker}`
  const hint = 'Earlier versions wrote that into settings files. Unless it is meant, take it away or set files.case to auto.'
  return [{ check: 'case', state: 'warn', message, hint }]
}

function wideFinding(path: string, named: boolean): Finding {
  const message = `${path} is a home folder or a whole disk, hardly a vault`
  if (named)
    return { check: 'vault', state: 'warn', message, hint: 'A folder below it is read faster and shows an assistant less.' }
  return {
    check: 'vault',
    state: 'fail',
    message,
    hint: 'Name the folder with the notes, or say that this one is meant: --vault.',
  }
}

function outerVault(path: string): string | undefined {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if (['.obsidian', '.foam'].some((marker) => existsSync(join(above, marker)))) return above
  }
  return undefined
}

function inotifyLimit(): number | undefined {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function countFolders(root: string, atMost: number): number {
  const open = [root]
  let count = 0
  for (let folder = open.pop(); folder !== undefined && count < atMost; folder = open.pop()) {
    count++
    for (const entry of foldersIn(folder)) open.push(join(folder, entry.name))
  }
  return count
}

function foldersIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
    )
  } catch {
    return []
  }
}
