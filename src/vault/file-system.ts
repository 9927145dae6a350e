import * as nodeFs from 'node:fs'
import { errorCode } from '../core/error-code.ts'
import type { VaultPath } from '../core/ids.ts'
import type { Mode } from '../core/note.ts'
import type { ByteRange, FileKind, FileStat, Vault } from '../core/vault.ts'

/** A file that changed so shortly before it was read could change again and look the same (ms). */
const RACY = 40

/** The few facts of `fs.Stats` that are used. */
export interface Stats {
  /** Together they tell a file or folder from every other one. */
  readonly dev: number
  readonly ino: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly birthtimeMs: number
  readonly size: number
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** The part of `fs.Dirent` that is used. */
export interface Entry {
  readonly name: string
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** The part of `node:fs` a vault needs; tests give it memory. */
export interface FileSystem {
  readdirSync(path: string, options: { withFileTypes: true }): readonly Entry[]
  /** The names alone, in two thirds of the time. */
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

/** How paths behave. */
export interface PathRules {
  /** `\` separates, `:` names a drive or a stream: neither may stand in a vault path. */
  readonly windows: boolean
  /** Names that differ in case or normal form alone may be one file. */
  readonly folds: boolean
}

// Linux also has file systems that fold names (FAT, NTFS, some ext4), but renames by case alone are rare there.
const FOLDS = process.platform === 'win32' || process.platform === 'darwin'

/** The disk itself. */
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

/** The message of a failed call, without the path that Node appends. */
export function errorReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split(',', 1)[0] ?? message
}

/** True if an error means that nothing is there. */
export function isAbsence(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The text of a small regular file; `undefined` for anything else, also a larger one, a pipe or an unreadable one. */
export function readSmallText(fs: FileSystem, path: string, limit = 1_000_000): string | undefined {
  try {
    const stat = fs.statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile() || stat.size > limit) return undefined
    const bytes = readOpen(fs, fs.openSync(path, OPEN_FOLLOWING))
    return bytes && new TextDecoder().decode(bytes)
  } catch {
    return undefined
  }
}

/** The real path of a file or folder; `undefined` when it cannot be found. */
export function realPathOf(path: string, fs: FileSystem = diskFileSystem): string | undefined {
  try {
    return fs.realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** True if two stats belong to one file or folder. */
export function isSameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** A path with `/` on every platform. */
export function asPosix(path: string, fs: FileSystem): string {
  return fs.rules.windows ? path.replaceAll('\\', '/') : path
}

/** True if a path is real and spelled as on disk: where names fold, `notes` also opens `Notes`. */
export function isRealPath(fs: FileSystem, absolute: string): boolean {
  const real = asPosix(fs.realpathSync.native(absolute), fs)
  return real === absolute || (fs.rules.folds && real.normalize('NFC') === absolute.normalize('NFC'))
}

const TELLS_OPEN_PATHS = process.platform === 'linux'

/** True if an open file is at its real path: a folder above may have become a symbolic link just before. */
export function isOpenedAt(fs: FileSystem, fd: number, absolute: string): boolean {
  try {
    if (TELLS_OPEN_PATHS && fs.readlinkSync(`/proc/self/fd/${fd}`) === absolute) return true
  } catch {
    // No `/proc`: the longer way.
  }
  return isRealPath(fs, absolute) && isSameFile(fs.lstatSync(absolute, { throwIfNoEntry: false }), fs.fstatSync(fd))
}

/** The bytes of an open file, or of a stretch of it, shorter where it ends; it is closed. `undefined` when it is not a regular file. */
export function readOpen(fs: FileSystem, fd: number, stretch?: ByteRange): Uint8Array | undefined {
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) return undefined
    const start = Math.min(stretch?.offset ?? 0, stat.size)
    // Not from Buffer's pool: a view of the pool would carry 8 KB of its neighbours when it is posted to another thread.
    const bytes = new Uint8Array(Math.min(stretch?.length ?? stat.size, stat.size - start))
    let length = 0
    while (length < bytes.length) {
      const position = stretch === undefined ? null : start + length
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

/** Flags to open a file for reading; a pipe under its name must not block. */
export const OPEN_FOLLOWING = O_RDONLY | O_NONBLOCK

/** The same, but a symbolic link is refused; Windows cannot, there it is `undefined`. */
export const OPEN_PLAIN = O_NOFOLLOW === 0 ? undefined : OPEN_FOLLOWING | O_NOFOLLOW

/** A stretch of a file, shorter where the file ends, and its whole size; `undefined` when it is gone or may not be read. */
export function readStretch(
  vault: Vault,
  path: VaultPath,
  stretch: ByteRange,
): { readonly bytes: Uint8Array; readonly size: number } | undefined {
  const size = vault.stat(path)?.stat.size
  if (size === undefined) return undefined
  if (stretch.length === 0) return { bytes: new Uint8Array(0), size }
  const bytes = vault.read(path, stretch)
  return bytes === undefined || bytes === 'unreadable' ? undefined : { bytes, size }
}

export interface FreshBytes {
  readonly bytes: Uint8Array
  /** The bytes are valid as long as the file has this stat; absent if unknown. */
  readonly stat?: FileStat
}

/** The bytes of a file, unless it is `'same'` as when it had a known stat; `undefined` when it is gone or may not be read. */
export function readIfChanged(vault: Vault, path: VaultPath, known?: FileStat): FreshBytes | 'same' | undefined {
  const stat = vault.stat(path)?.stat
  if (stat !== undefined && known !== undefined && isSameStat(stat, known)) return 'same'
  const bytes = vault.read(path)
  if (bytes === undefined || bytes === 'unreadable') return undefined
  const isSettled = stat !== undefined && stat.size === bytes.length && Date.now() - Math.max(stat.mtime, stat.ctime) > RACY
  return { bytes, ...(isSettled ? { stat } : undefined) }
}

function isSameStat(a: FileStat, b: FileStat): boolean {
  return a.mtime === b.mtime && a.ctime === b.ctime && a.size === b.size
}

/** The kind of a file by its name; documentation folders also have `.markdown` and `.mdx` notes. */
export function fileKind(path: string, mode: Mode): FileKind {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  if (extension === 'md') return 'note'
  if (extension === 'canvas') return 'canvas'
  if (mode === 'docs' && (extension === 'markdown' || extension === 'mdx')) return 'note'
  return 'attachment'
}
