import { homedir } from 'node:os'
import { dirname, join, parse, resolve } from 'node:path'
import { errorCode, RouxError } from '../core/errors.ts'
import type { Mode } from '../core/note.ts'
import { quietly } from '../core/quietly.ts'
import { diskFileSystem, errorReason, type FileSystem, isAbsence, readSmallText, realPathOf } from './file-system.ts'

/**
 * Returns the folder's real path. `~/` is supported, because clients start servers without a shell.
 * @throws RouxError `VAULT_NOT_FOUND` if the path is missing, unreadable or not a folder
 */
export function requireVaultRoot(path: string, fs: FileSystem = diskFileSystem): string {
  if (path === '' || path.includes('\0'))
    throw notFound('No folder was given.', 'Specify the path of a folder with Markdown notes.')
  const absolute = resolve(/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path)
  try {
    const real = fs.realpathSync.native(absolute)
    if (!fs.statSync(real, { throwIfNoEntry: false })?.isDirectory()) {
      throw notFound(`"${absolute}" is not a folder.`, 'Specify the folder that contains the notes, not a file in it.')
    }
    fs.readdirSync(real, { withFileTypes: true })
    // This call fails if the names can be listed but no file can be opened.
    fs.statSync(`${real}/.`, { throwIfNoEntry: false })
    return real
  } catch (error) {
    throw error instanceof RouxError ? error : rootError(absolute, error)
  }
}

export function rootError(root: string, error: unknown): RouxError {
  if (isAbsence(error)) {
    return notFound(`There is no folder "${root}".`, 'Check the spelling, and that its drive is connected.', error)
  }
  if (errorCode(error) === 'ELOOP')
    return notFound(`"${root}" is a symbolic link that leads to itself.`, 'Specify the actual folder.', error)
  return notFound(
    `"${root}" cannot be read (${errorReason(error)}).`,
    'Give this user or application permission to read it.',
    error,
  )
}

function notFound(message: string, hint: string, cause?: unknown): RouxError {
  return new RouxError('VAULT_NOT_FOUND', message, { hint, cause })
}

// Matches folders that contain home folders.
const HOMES = /^(?:\/home|\/Users|\/var\/home|\/usr\/home|[a-z]:[\\/]Users)$/i

export function isUnlikelyVault(path: string, home: string = homedir()): boolean {
  const folder = realPathOf(path) ?? resolve(path)
  if (folder === parse(folder).root || folder === '/root') return true
  if (HOMES.test(folder) || HOMES.test(dirname(folder))) return true
  for (let above = realPathOf(home) ?? resolve(home); ; above = dirname(above)) {
    if (above === folder) return true
    if (above === dirname(above)) return false
  }
}

/** Returns the mode of the vault's marker folder. Without one, the links in the notes decide. */
export function markerOf(root: string, fs: FileSystem = diskFileSystem): Mode | undefined {
  if (isFolder(fs, `${root}/.obsidian`)) return 'obsidian'
  if (isFolder(fs, `${root}/.foam`) || mentionsFoam(root, fs)) return 'foam'
  if (isLogseq(root, fs)) return 'logseq'
  return undefined
}

function mentionsFoam(root: string, fs: FileSystem): boolean {
  return ['extensions.json', 'settings.json'].some((name) => /\bfoam\b/.test(readSmallText(fs, `${root}/.vscode/${name}`) ?? ''))
}

function isLogseq(root: string, fs: FileSystem): boolean {
  if (!isFolder(fs, `${root}/logseq`)) return false
  return (
    readSmallText(fs, `${root}/logseq/config.edn`) !== undefined ||
    isFolder(fs, `${root}/pages`) ||
    isFolder(fs, `${root}/journals`)
  )
}

function isFolder(fs: FileSystem, path: string): boolean {
  return quietly(() => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false) ?? false
}
