import { errorCode } from '../core/error-code.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { type Aside, asideName, type Entry } from './entry.ts'
import { type ChangeFiles, type FileStamp, isSameFile } from './file-system.ts'

/** How many files wait for the disk at once: as many as Node has threads for it. */
const AT_ONCE = 4

/** An entry with its place in the record, from which its temporary names follow. */
export type Numbered<E extends Entry = Entry> = E & { readonly index: number }

/** Bytes that are to lie in the folder of a path under a temporary name. */
export interface PendingWrite {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number | undefined
  /** Whose owner the new file should have. */
  readonly like: FileStamp | undefined
}

/** The vault's folder while one change is applied or rolled back: vault-relative names to calls, and which folders those touched. */
export class ChangeDirectory {
  readonly fs: ChangeFiles
  readonly #root: string
  readonly #change: string
  readonly #touched = new Set<string>()

  constructor(root: string, change: string, fs: ChangeFiles) {
    this.fs = fs
    this.#root = root
    this.#change = change
  }

  at(path: string): string {
    return path === '' ? this.#root : `${this.#root}/${path}`
  }

  /** The temporary name of an entry, beside the given path. */
  aside(path: string, index: number, aside: Aside): string {
    const folder = folderOf(path)
    const name = asideName(this.#change, index, aside)
    return folder === '' ? name : `${folder}/${name}`
  }

  stamp(path: string): FileStamp | undefined {
    return this.fs.lstat(this.at(path))
  }

  /** The hash of a regular file, `undefined` where none is. */
  hash(path: string): string | undefined {
    return this.stamp(path)?.kind === 'file' ? this.fs.hash(this.at(path)) : undefined
  }

  /** The same; empty where something else than a file is. */
  found(path: string): string | undefined {
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

  /** Removes what may be gone already. */
  async discard(path: string): Promise<void> {
    if (this.stamp(path) !== undefined) await this.unlink(path)
  }

  async discardAll(paths: readonly string[]): Promise<void> {
    await this.#each(paths, (path) => this.discard(path))
  }

  /** Gives a file a second name that must be free. @returns false where the file system has no links between these two. */
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
   * Gives a file another name that must be free: by a link, which never takes a name that is there. On a file system that has none, a file
   * made under that name between two calls (about 20 µs) is overwritten.
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

  /** True if a folder lists both names: two files, not two spellings of one. */
  hasBoth(a: string, b: string): boolean {
    const names = this.fs.readdir(this.at(folderOf(a)))
    return [a, b].every((path) => names.includes(nameOf(path)))
  }

  copy(from: string, to: string): void {
    this.#touch(to)
    this.fs.copy(this.at(from), this.at(to))
  }

  /** Makes a folder; one that is there is as good. */
  makeFolder(path: string): void {
    if (this.stamp(path)?.kind === 'folder') return
    this.#touch(path)
    this.fs.mkdir(this.at(path))
  }

  /** Removes a folder that is empty; `false` when it is not. */
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

  /** Writes files down to the disk, in no particular order. */
  async write(writes: readonly PendingWrite[]): Promise<void> {
    await this.#each(writes, (draft) => this.#writeOne(draft))
  }

  /** Forces the names that came or went down to the disk. */
  async syncFolders(): Promise<void> {
    for (const folder of this.#touched) {
      if (this.stamp(folder)?.kind === 'folder') await this.fs.syncFolder(this.at(folder))
      this.#touched.delete(folder)
    }
  }

  /** Waits for all of them before it reports the first failure: nothing may still run during a rollback. */
  async #each<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
    const left = items.values()
    let failure: { readonly error: unknown } | undefined
    const work = async () => {
      for (const item of left) {
        if (failure !== undefined) return
        await action(item).catch((error: unknown) => {
          failure ??= { error }
        })
      }
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work))
    if (failure !== undefined) throw (failure as { error: unknown }).error
  }

  async #writeOne({ path, bytes, mode, like }: PendingWrite): Promise<void> {
    this.#touch(path)
    const fd = this.fs.create(this.at(path), mode ?? 0o666)
    try {
      this.fs.write(fd, bytes)
      const made = mode === undefined && like === undefined ? undefined : this.stamp(path)
      if (like !== undefined && (made?.uid !== like.uid || made?.gid !== like.gid)) this.#giveTo(fd, like)
      if (mode !== undefined && made?.mode !== mode) this.fs.chmod(fd, mode)
      await this.fs.fsync(fd)
    } finally {
      this.fs.close(fd)
    }
  }

  /** Only an administrator gives files away; who may write the folder may still replace the file. */
  #giveTo(fd: number, { uid, gid }: FileStamp): void {
    try {
      this.fs.chown(fd, uid, gid)
    } catch (error) {
      if (!['EPERM', 'EINVAL', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error
    }
  }

  #touch(...paths: readonly string[]): void {
    for (const path of paths) this.#touched.add(folderOf(path))
  }
}

// exFAT and FAT have no hard links, some network file systems neither; other mounts are another file system.
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EISDIR'])
