import { RouxError } from '../core/errors.ts'
import { foldId } from '../core/ids.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { missingVault } from './failures.ts'
import type { ChangeFiles, FileStamp } from './file-system.ts'
import { inTrash, quote, requireInside, requireUsable } from './path-rules.ts'

/** Returns why the settings forbid writing a path, or `undefined` if they allow it. */
export type Refusal = (path: string) => string | undefined

export interface Room {
  /** The old path of a file, if this change removes it and both paths differ only in case. */
  readonly leaving?: string | undefined
  /** True for a name that existed before or is in the trash. The rules for new names do not apply to it. */
  readonly isReturn?: boolean
}

/** Checks paths on disk. Each folder is read once, and symbolic links are not followed. */
export class PathChecks {
  readonly #root: string
  readonly #fs: ChangeFiles
  readonly #refusal: Refusal
  readonly #folders = new Map<string, boolean>()
  readonly #names = new Map<string, ReadonlyMap<string, string>>()
  readonly #writable = new Map<string, boolean>()

  constructor(root: string, fs: ChangeFiles, refusal: Refusal) {
    this.#root = root
    this.#fs = fs
    this.#refusal = refusal
    if (fs.lstat(root)?.kind !== 'folder') throw missingVault(root)
  }

  /** Returns the file's stat, or `undefined` if there is no file. @throws RouxError if the path must not be written */
  find(path: string): FileStamp | undefined {
    this.requirePermitted(path)
    const folder = folderOf(path)
    if (!this.#isFolder(folder)) return undefined
    const stamp = this.#fs.lstat(`${this.#root}/${path}`)
    if (stamp?.kind === 'link') throw linked(path)
    if (stamp !== undefined && !this.#fs.hasExactName(`${this.#root}/${path}`)) return undefined
    return stamp
  }

  /** @returns the missing parent folders, outermost first */
  requireRoom(path: string, { leaving, isReturn = false }: Room = {}): readonly string[] {
    this.requirePermitted(path)
    const names = path.split('/')
    const above = names.slice(0, -1).map((_, i) => names.slice(0, i + 1).join('/'))
    const missing = above.filter((folder) => !this.#isFolder(folder))
    for (const created of [...missing, path]) {
      if (!isReturn) requireUsable(nameOf(created))
    }
    const first = missing[0] ?? path
    this.requireWritable(folderOf(first))
    // A restored file keeps its name, even if another file's name differs only in case.
    if (!isReturn || this.#fs.lstat(`${this.#root}/${first}`) !== undefined) this.#requireNoTwin(first, leaving)
    return missing
  }

  /** Checks that an existing folder is writable. @throws RouxError `PERMISSION_DENIED` if it is not */
  requireWritable(folder: string): void {
    const isWritable = this.#writable.get(folder) ?? this.#fs.isWritable(folder === '' ? this.#root : `${this.#root}/${folder}`)
    this.#writable.set(folder, isWritable)
    if (isWritable) return
    const name = folder === '' ? "The vault's own folder" : `The folder ${quote(folder)}`
    throw new RouxError('PERMISSION_DENIED', `${name} is read-only. The vault is unchanged.`, {
      hint: 'Make it writable first, and check that the drive is not read-only.',
    })
  }

  requirePermitted(path: string): void {
    requireInside(path)
    // Settings do not restrict the trash, so files can be deleted and restored.
    const refusal = inTrash(path) ? undefined : this.#refusal(path)
    if (refusal !== undefined) {
      throw new RouxError('PERMISSION_DENIED', `${quote(path)} cannot be written: ${refusal}.`, {
        hint: 'Choose another folder, or allow it in the settings.',
      })
    }
  }

  /** Returns true if the folder exists. @throws RouxError for a link or a file */
  #isFolder(path: string): boolean {
    if (path === '') return true
    const cached = this.#folders.get(path)
    if (cached !== undefined) return cached
    const isFolder = this.#isFolder(folderOf(path)) && this.#lookAtFolder(path)
    this.#folders.set(path, isFolder)
    return isFolder
  }

  #lookAtFolder(path: string): boolean {
    const stamp = this.#fs.lstat(`${this.#root}/${path}`)
    if (stamp === undefined) return false
    if (stamp.kind === 'link') throw linked(path)
    if (stamp.kind !== 'folder')
      throw new RouxError('NODE_EXISTS', `${quote(path)} is a file, not a folder.`, { candidates: [path] })
    return this.#fs.hasExactName(`${this.#root}/${path}`)
  }

  /** Rejects a new name that differs from an existing one only in case. Case-insensitive file systems cannot hold both. */
  #requireNoTwin(path: string, leaving: string | undefined): void {
    const twin = this.#twinOf(path)
    if (twin === undefined || twin === leaving) return
    const how = twin === path ? 'There is already' : `${quote(path)} differs only in case or the encoding of accents from`
    throw new RouxError('NODE_EXISTS', `${how} ${quote(twin)}.`, {
      hint: 'Choose another name, or change the existing one.',
      candidates: [twin],
    })
  }

  #twinOf(path: string): string | undefined {
    const folder = folderOf(path)
    let names = this.#names.get(folder)
    if (names === undefined) {
      const entries = this.#fs.readdir(folder === '' ? this.#root : `${this.#root}/${folder}`)
      names = new Map(entries.map((name) => [foldId(name), name]))
      this.#names.set(folder, names)
    }
    if (this.#fs.lstat(`${this.#root}/${path}`) !== undefined && this.#fs.hasExactName(`${this.#root}/${path}`)) return path
    const twin = names.get(foldId(nameOf(path)))
    return twin === undefined ? undefined : folder === '' ? twin : `${folder}/${twin}`
  }
}

function linked(path: string): RouxError {
  return new RouxError(
    'PERMISSION_DENIED',
    `${quote(path)} is a symbolic link; writing through symbolic links is not supported.`,
    {
      hint: 'Specify the path it leads to, if that path is in the vault.',
    },
  )
}
