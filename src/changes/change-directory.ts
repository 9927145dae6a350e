import { errorCode } from '../core/errors.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { type Aside, asideName, type Entry } from './entry.ts'
import { type ChangeFiles, type FileStamp, isSameFile } from './file-system.ts'
import type { LateWrites, WatchedFile } from './late-writes.ts'

/** Number of files to sync at once, which is the size of Node's thread pool. */
const AT_ONCE = 4

/** An entry with its index, which is part of the names of temporary files. */
export type Numbered<E extends Entry = Entry> = E & { readonly index: number }

export interface PendingWrite {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number | undefined
  /** The file whose owner the new file gets. */
  readonly ownerFrom: FileStamp | undefined
}

export interface ChangeFolders {
  readonly fs: ChangeFiles
  readonly lateWrites?: LateWrites
}

export class ChangeDirectory {
  readonly fs: ChangeFiles
  readonly #root: string
  readonly #change: string
  readonly #lateWrites: LateWrites | undefined
  readonly #touchedFolders = new Set<string>()

  constructor(root: string, change: string, { fs, lateWrites }: ChangeFolders) {
    this.fs = fs
    this.#lateWrites = lateWrites
    this.#root = root
    this.#change = change
  }

  at(path: string): string {
    return path === '' ? this.#root : `${this.#root}/${path}`
  }

  /** Returns a temporary path in the folder of `path`, so renames stay on one file system. */
  asidePath(path: string, index: number, suffix: Aside): string {
    const folder = folderOf(path)
    const name = asideName(this.#change, index, suffix)
    return folder === '' ? name : `${folder}/${name}`
  }

  stamp(path: string): FileStamp | undefined {
    return this.fs.lstat(this.at(path))
  }

  /** Returns the hash, or `undefined` if there is no regular file. */
  hash(path: string): string | undefined {
    return this.stamp(path)?.kind === 'file' ? this.fs.hash(this.at(path)) : undefined
  }

  /** Returns the file's hash, or an empty string for folders, links and special files. */
  hashIfPresent(path: string): string | undefined {
    return this.stamp(path) === undefined ? undefined : (this.hash(path) ?? '')
  }

  isSame(a: string, b: string): boolean {
    return isSameFile(this.stamp(a), this.stamp(b))
  }

  rename(from: string, to: string): void {
    this.#touch(from, to)
    this.fs.rename(this.at(from), this.at(to))
  }

  async unlink(path: string): Promise<void> {
    this.#touch(path)
    await this.fs.unlink(this.at(path))
  }

  async discard(path: string): Promise<void> {
    if (this.stamp(path) !== undefined) await this.unlink(path)
  }

  async discardAll(paths: readonly string[]): Promise<void> {
    await this.#each(paths, (path) => this.discard(path))
  }

  /** Passes other bytes that are later written to the file to `rescue`. Must be called before the file is removed. */
  watchLateWrites(path: string, file: WatchedFile): void {
    this.#lateWrites?.watch(this.at(path), file)
  }

  /** Adds a name, which must be free, to a file. @returns false if the file system does not support hard links */
  link(from: string, to: string): boolean {
    this.#touch(to)
    try {
      this.fs.link(this.at(from), this.at(to))
      return true
    } catch (error) {
      if (NO_LINKS.has(errorCode(error) ?? '')) return false
      throw error
    }
  }

  /**
   * Renames a file without overwriting another one, because linking fails if the name is taken. Without hard links, a file
   * created in the 20 µs between the check and the rename is overwritten.
   */
  async renameToFree(from: string, to: string): Promise<void> {
    if (this.link(from, to)) {
      await this.unlink(from)
      return
    }
    if (this.stamp(to) !== undefined)
      throw Object.assign(new Error(`EEXIST: file already exists, rename '${to}'`), { code: 'EEXIST' })
    this.rename(from, to)
  }

  /** If the folder lists only one name, both are spellings of the same file. */
  hasBoth(a: string, b: string): boolean {
    const names = this.fs.readdir(this.at(folderOf(a)))
    return [a, b].every((path) => names.includes(nameOf(path)))
  }

  copy(from: string, to: string): void {
    this.#touch(to)
    this.fs.copy(this.at(from), this.at(to))
  }

  makeFolder(path: string): void {
    if (this.stamp(path)?.kind === 'folder') return
    this.#touch(path)
    this.fs.mkdir(this.at(path))
  }

  removeFolder(path: string): boolean {
    this.#touch(path)
    try {
      this.fs.rmdir(this.at(path))
      return true
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true
      if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return false
      throw error
    }
  }

  async write(writes: readonly PendingWrite[]): Promise<void> {
    await this.#each(writes, (draft) => this.#writeOne(draft))
  }

  /** Syncs the folders in which names were added or removed. */
  async syncFolders(): Promise<void> {
    for (const folder of this.#touchedFolders) {
      if (this.stamp(folder)?.kind === 'folder') await this.fs.syncFolder(this.at(folder))
      this.#touchedFolders.delete(folder)
    }
  }

  /** Waits for all items even if one fails, because a rollback must not start while others are running. */
  async #each<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
    const remaining = items.values()
    let failure: { readonly error: unknown } | undefined
    const work = async () => {
      for (const item of remaining) {
        if (failure !== undefined) return
        await action(item).catch((error: unknown) => {
          failure ??= { error }
        })
      }
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work))
    if (failure !== undefined) throw (failure as { error: unknown }).error
  }

  async #writeOne({ path, bytes, mode, ownerFrom }: PendingWrite): Promise<void> {
    this.#touch(path)
    const fd = this.fs.create(this.at(path), mode ?? 0o666)
    try {
      this.fs.write(fd, bytes)
      const stamp = mode === undefined && ownerFrom === undefined ? undefined : this.stamp(path)
      if (ownerFrom !== undefined && (stamp?.uid !== ownerFrom.uid || stamp?.gid !== ownerFrom.gid)) this.#giveTo(fd, ownerFrom)
      if (mode !== undefined && stamp?.mode !== mode) this.fs.chmod(fd, mode)
      await this.fs.fsync(fd)
    } finally {
      this.fs.close(fd)
    }
  }

  /** Permission errors are ignored, because only an administrator can change a file's owner. */
  #giveTo(fd: number, { uid, gid }: FileStamp): void {
    try {
      this.fs.chown(fd, uid, gid)
    } catch (error) {
      if (!['EPERM', 'EINVAL', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error
    }
  }

  #touch(...paths: readonly string[]): void {
    for (const path of paths) this.#touchedFolders.add(folderOf(path))
  }
}

// File systems such as exFAT, FAT and some network file systems fail with these codes, because they have no hard links. Links
// cannot cross file systems.
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EISDIR'])
