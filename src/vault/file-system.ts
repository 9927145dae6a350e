import * as nodeFs from 'node:fs'
import { errorCode, messageOf } from '../core/errors.ts'
import type { VaultPath } from '../core/ids.ts'
import type { Mode } from '../core/note.ts'
import { quietly } from '../core/quietly.ts'
import type { FileBytes } from '../core/texts.ts'
import { type ByteRange, type FileKind, type FileStat, isSameStat, type Vault } from '../core/vault.ts'

/** A second change within this many milliseconds may leave the same stat. */
const RACY = 40

type EntryType = 'isFile' | 'isDirectory' | 'isSymbolicLink'

/** A file's stat. `dev` and `ino` identify a file or folder. */
export type Stats = Pick<nodeFs.Stats, 'dev' | 'ino' | 'mtimeMs' | 'ctimeMs' | 'birthtimeMs' | 'size' | EntryType>

export type Entry = Pick<nodeFs.Dirent, 'name' | EntryType>

/** The file system. Tests use an in-memory implementation. */
export interface FileSystem {
  readdirSync(path: string, options: { withFileTypes: true }): readonly Entry[]
  /** Returns names in two thirds of the time of `readdirSync` with types. */
  readNamesSync(path: string): readonly string[]
  statSync(path: string, options: { throwIfNoEntry: false }): Stats | undefined
  lstatSync(path: string, options: { throwIfNoEntry: false }): Stats | undefined
  readlinkSync(path: string): string
  realpathSync: { native(path: string): string }
  openSync(path: string, flags: number): number
  fstatSync(fd: number): Stats
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number | null): number
  closeSync(fd: number): void
  readonly rules: PathRules
}

export interface PathRules {
  /** True if `\` separates path segments and `:` marks a drive or stream. */
  readonly windows: boolean
  /** True if names that differ only in case or normalization may be the same file. */
  readonly folds: boolean
}

// True on Windows and macOS. Linux also has case-insensitive file systems (FAT, NTFS, some ext4), but renames that only change
// case are rare there.
const FOLDS = process.platform === 'win32' || process.platform === 'darwin'

export const diskFileSystem: FileSystem = {
  readdirSync: nodeFs.readdirSync,
  readNamesSync: (path) => nodeFs.readdirSync(path),
  statSync: nodeFs.statSync,
  lstatSync: nodeFs.lstatSync,
  readlinkSync: nodeFs.readlinkSync,
  realpathSync: nodeFs.realpathSync,
  openSync: nodeFs.openSync,
  fstatSync: nodeFs.fstatSync,
  readSync: nodeFs.readSync,
  closeSync: nodeFs.closeSync,
  rules: { windows: process.platform === 'win32', folds: FOLDS },
}

/** Returns the reason of an error without the path that Node appends to messages. */
export function errorReason(error: unknown): string {
  const message = messageOf(error)
  return message.split(',', 1)[0] ?? message
}

export function isAbsence(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** @returns `undefined` for large files, pipes and folders, and on errors */
export function readSmallText(fs: FileSystem, path: string, limit = 1_000_000): string | undefined {
  return quietly(() => {
    const stat = fs.statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile() || stat.size > limit) return undefined
    const bytes = readOpen(fs, fs.openSync(path, OPEN_FOLLOWING))
    return bytes && new TextDecoder().decode(bytes)
  })
}

export function realPathOf(path: string, fs: FileSystem = diskFileSystem): string | undefined {
  return quietly(() => fs.realpathSync.native(path))
}

export function isSameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

export function asPosix(path: string, fs: FileSystem): string {
  return fs.rules.windows ? path.replaceAll('\\', '/') : path
}

/** Returns true if the path contains no symbolic link and is spelled as on disk. `Notes` may open as `notes`. */
export function isRealPath(fs: FileSystem, absolute: string): boolean {
  const real = asPosix(fs.realpathSync.native(absolute), fs)
  return real === absolute || (fs.rules.folds && real.normalize('NFC') === absolute.normalize('NFC'))
}

const TELLS_OPEN_PATHS = process.platform === 'linux'

/** Detects a parent folder that was replaced with a symbolic link. */
export function isOpenedAt(fs: FileSystem, fd: number, absolute: string): boolean {
  try {
    if (TELLS_OPEN_PATHS && fs.readlinkSync(`/proc/self/fd/${fd}`) === absolute) return true
  } catch {
    // There is no `/proc`, so the slower check follows.
  }
  return isRealPath(fs, absolute) && isSameFile(fs.lstatSync(absolute, { throwIfNoEntry: false }), fs.fstatSync(fd))
}

/** Reads and closes a file. @returns `undefined` if it is not a regular file */
export function readOpen(fs: FileSystem, fd: number, range?: ByteRange): Uint8Array | undefined {
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) return undefined
    const start = Math.min(range?.offset ?? 0, stat.size)
    // The array is not from Buffer's pool, because posting a view of the pool to another thread would copy all 8 KB of it.
    const bytes = new Uint8Array(Math.min(range?.length ?? stat.size, stat.size - start))
    let length = 0
    while (length < bytes.length) {
      const position = range === undefined ? null : start + length
      const read = fs.readSync(fd, bytes, length, bytes.length - length, position)
      if (read === 0) break
      length += read
    }
    return length === bytes.length ? bytes : bytes.slice(0, length)
  } finally {
    fs.closeSync(fd)
  }
}

const {
  O_RDONLY,
  O_NONBLOCK = 0,
  O_NOFOLLOW = 0,
} = nodeFs.constants as { O_RDONLY: number; O_NONBLOCK?: number; O_NOFOLLOW?: number }

/** The flag `O_NONBLOCK` prevents blocking on a named pipe. */
export const OPEN_FOLLOWING = O_RDONLY | O_NONBLOCK

/** The flags are `undefined` on Windows, which has no `O_NOFOLLOW`. */
export const OPEN_PLAIN = O_NOFOLLOW === 0 ? undefined : OPEN_FOLLOWING | O_NOFOLLOW

/** Reads a range of a file, and the file's size. @returns `undefined` if the file cannot be read */
export function readStretch(vault: Vault, path: VaultPath, range: ByteRange): FileBytes | undefined {
  const size = vault.stat(path)?.stat.size
  if (size === undefined) return undefined
  if (range.length === 0) return { bytes: new Uint8Array(0), size }
  const bytes = vault.read(path, range)
  return bytes === undefined || bytes === 'unreadable' ? undefined : { bytes, size }
}

export interface FreshBytes {
  readonly bytes: Uint8Array
  /** The file's stat. It is missing if the file may still be changing. */
  readonly stat?: FileStat
}

/** @returns `'same'` if the stat is unchanged, or `undefined` if the file cannot be read */
export function readIfChanged(vault: Vault, path: VaultPath, knownStat?: FileStat): FreshBytes | 'same' | undefined {
  const stat = vault.stat(path)?.stat
  if (stat !== undefined && knownStat !== undefined && isSameStat(stat, knownStat)) return 'same'
  const bytes = vault.read(path)
  if (bytes === undefined || bytes === 'unreadable') return undefined
  const isSettled = stat !== undefined && stat.size === bytes.length && Date.now() - Math.max(stat.mtime, stat.ctime) > RACY
  return { bytes, ...(isSettled ? { stat } : undefined) }
}

/** Returns a file's kind. In docs folders, `.markdown` and `.mdx` files are notes, too. */
export function fileKind(path: string, mode: Mode): FileKind {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  if (extension === 'md') return 'note'
  if (extension === 'canvas') return 'canvas'
  if (mode === 'docs' && (extension === 'markdown' || extension === 'mdx')) return 'note'
  return 'attachment'
}
