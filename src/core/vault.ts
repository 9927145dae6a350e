import type { VaultPath } from './ids.ts'
import type { Mode } from './note.ts'

/** The kind of a file's node, by its name alone. */
export type FileKind = 'note' | 'attachment' | 'canvas'

/** The facts that tell whether a file changed, without reading it. */
export interface FileStat {
  /** Milliseconds, with fractions where the platform has them. */
  readonly mtime: number
  readonly ctime: number
  /** Milliseconds; 0 where the platform does not know. */
  readonly birthtime: number
  /** Bytes. */
  readonly size: number
}

export interface ListedFile {
  readonly path: VaultPath
  readonly stat: FileStat
  /** Matches the vault's own ignore filters (`userIgnoreFilters`). */
  readonly excluded: boolean
}

/** A symbolic link that leads out of the vault and is not followed. */
export interface OutsideLink {
  readonly path: VaultPath
  /** Where it leads, as the link itself says. */
  readonly target: string
}

export interface Listing {
  readonly files: readonly ListedFile[]
  readonly outside: readonly OutsideLink[]
  /** Folders and files that could not be read; their last known state stays. */
  readonly unreadable: readonly { readonly path: VaultPath; readonly message: string }[]
}

/** Bytes of a file. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** The folder on disk. Calls are synchronous: they are made in the indexing worker, where that is three times as fast. */
export interface Vault {
  /** The real path of the root. */
  readonly root: string
  /**
   * Lists what is in the vault, in no particular order; ignored names are left out. `folder` limits it to one folder, below or not.
   * @throws RouxError `VAULT_NOT_FOUND` when the root is missing, not a folder or unreadable.
   */
  list(folder?: { readonly path: string; readonly recursive: boolean }): Listing
  /** One file's listing; `undefined` when it is not there, ignored, or no file. */
  stat(path: VaultPath): ListedFile | undefined
  /** The symbolic link of this name, where it leads out of the vault and is not followed. */
  outsideLink(path: VaultPath): OutsideLink | undefined
  /**
   * The file's bytes, or those of a stretch, shorter where it ends; `undefined` when it is gone; `'unreadable'` when it is there but may
   * not be read.
   */
  read(path: VaultPath, stretch?: ByteRange): Uint8Array | undefined | 'unreadable'
  /** The mode that a marker folder gives; `undefined` without a marker. */
  readonly marker: Mode | undefined
}

/** A watcher's report: these folders or files may have changed; everything, if `all`. */
export interface Dirty {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** Events were lost or the ignore rules changed: list everything again. */
  readonly all: boolean
}

export interface Watcher {
  /** Resolves when every change from now on is seen. */
  readonly ready: Promise<void>
  close(): Promise<void>
}
