import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { errorCode } from '../core/errors.ts'
import { pauseThread } from '../core/waiting.ts'

export interface FileStamp {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly dev: bigint
  /** The inode number is a `bigint`, because it has 64 bits on Windows. */
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  /** The permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/**
 * The file system as seen by a change. Calls that wait for the disk run four at a time and share a journal commit. With 600
 * files, fsync takes 0.05 ms per file instead of 3 ms, and unlink 0.4 ms instead of 2.5 ms.
 */
export interface ChangeFiles {
  /** Returns `undefined` if the path does not exist. Links are not followed. */
  lstat(path: string): FileStamp | undefined
  readdir(path: string): readonly string[]
  /** Returns true if names can be created and removed in a folder. */
  isWritable(folder: string): boolean
  /** Reads a regular file. Links and special files are rejected. */
  read(path: string): Uint8Array
  /** Opens a regular file for reading. Links and special files are rejected. */
  open(path: string): number
  readOpen(fd: number): Uint8Array
  stampOpen(fd: number): FileStamp
  /** Returns the SHA-256 in hex of a regular file of any size. */
  hash(path: string): string
  /** Returns false if the case differs from the name on disk. */
  hasExactName(path: string): boolean
  /** Creates a file and opens it for writing. The call fails if the file exists. */
  create(path: string, mode: number): number
  write(fd: number, bytes: Uint8Array): void
  chmod(fd: number, mode: number): void
  chown(fd: number, uid: number, gid: number): void
  fsync(fd: number): Promise<void>
  close(fd: number): void
  /** Copies a file with its mode and times, and syncs the copy. The call fails if the destination exists. */
  copy(from: string, to: string): void
  link(from: string, to: string): void
  rename(from: string, to: string): void
  unlink(path: string): Promise<void>
  mkdir(path: string): void
  rmdir(path: string): void
  syncFolder(path: string): Promise<void>
}

const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants as Record<string, number | undefined> & { O_RDONLY: number }
const isWindows = process.platform === 'win32'
const folds = isWindows || process.platform === 'darwin'

export const diskFiles: ChangeFiles = {
  lstat: stampOf,
  readdir: (path) => fs.readdirSync(path),
  isWritable,
  read: (path) => withFile(path, (fd) => fs.readFileSync(fd)),
  open: openFile,
  readOpen: (fd) => fs.readFileSync(fd),
  stampOpen: (fd) => toStamp(fs.fstatSync(fd, { bigint: true })),
  hash: (path) => withFile(path, hashOpen),
  hasExactName: (path) => !folds || posix(fs.realpathSync.native(path)).normalize('NFC') === posix(path).normalize('NFC'),
  create: (path, mode) => fs.openSync(path, 'wx', mode),
  write(fd, bytes) {
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written)
  },
  chmod: fs.fchmodSync,
  chown: fs.fchownSync,
  fsync: (fd) => promised((callback) => fs.fsync(fd, callback)),
  close: fs.closeSync,
  copy: copyFile,
  link: fs.linkSync,
  rename: (from, to) => whileBusy(() => fs.renameSync(from, to)),
  unlink: (path) => promised((callback) => fs.unlink(path, callback)),
  mkdir: (path) => fs.mkdirSync(path),
  rmdir: fs.rmdirSync,
  async syncFolder(path) {
    // Folders are not synced on Windows, which cannot open them. NTFS orders its metadata writes itself.
    if (isWindows) return
    const fd = fs.openSync(path, O_RDONLY)
    try {
      await promised((callback) => fs.fsync(fd, callback))
    } finally {
      fs.closeSync(fd)
    }
  },
}

export function isSameFile(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

function stampOf(path: string): FileStamp | undefined {
  try {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat && toStamp(stat)
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function toStamp(stat: fs.BigIntStats): FileStamp {
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other'
  const { dev, ino, size, mtimeNs } = stat
  return { kind, dev, ino, size, mtimeNs, mode: Number(stat.mode) & 0o7777, uid: Number(stat.uid), gid: Number(stat.gid) }
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch (error) {
    return !['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')
  }
}

/** Opens a regular file. The function neither blocks on named pipes nor follows links. */
function openFile(path: string): number {
  const fd = fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  if (fs.fstatSync(fd).isFile()) return fd
  fs.closeSync(fd)
  throw Object.assign(new Error(`EINVAL: not a file, read '${path}'`), { code: 'EINVAL' })
}

function withFile<T>(path: string, read: (fd: number) => T): T {
  const fd = openFile(path)
  try {
    return read(fd)
  } finally {
    fs.closeSync(fd)
  }
}

function hashOpen(fd: number): string {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1 << 18)
  for (let read = fs.readSync(fd, buffer); read > 0; read = fs.readSync(fd, buffer)) hash.update(buffer.subarray(0, read))
  return hash.digest('hex')
}

function copyFile(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL)
  const { atime, mtime } = fs.statSync(from)
  fs.utimesSync(to, atime, mtime)
  const fd = fs.openSync(to, 'r+')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

function promised(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error === null ? resolve() : reject(error))))
}

// Virus scanners and indexers on Windows keep a new file open for some milliseconds.
const BUSY_WAITS = isWindows ? [5, 10, 20, 40, 80, 160, 320] : []

function whileBusy(call: () => void): void {
  for (const wait of BUSY_WAITS) {
    try {
      call()
      return
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '')) throw error
      pauseThread(wait)
    }
  }
  call()
}

function posix(path: string): string {
  return isWindows ? path.replaceAll('\\', '/') : path
}
