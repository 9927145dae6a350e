import type { VaultPath } from './ids.ts'
import type { Mode } from './note.ts'

export type FileKind = 'note' | 'attachment' | 'canvas'

/** A file's stat, which reveals changes without reading the file. */
export interface FileStat {
  /** Milliseconds, with fractions on some platforms. */
  readonly mtime: number
  readonly ctime: number
  /** The time in milliseconds, or 0 if the platform does not provide it. */
  readonly birthtime: number
  /** The size in bytes. */
  readonly size: number
}

export function isSameStat(a: FileStat, b: FileStat): boolean {
  return a.mtime === b.mtime && a.ctime === b.ctime && a.size === b.size
}

export interface ListedFile {
  readonly path: VaultPath
  readonly stat: FileStat
  /** True if the file matches the vault's ignore filters (`userIgnoreFilters`). */
  readonly excluded: boolean
}

/** A symbolic link out of the vault, which is not followed. */
export interface OutsideLink {
  readonly path: VaultPath
  /** The target as stored in the link. */
  readonly target: string
}

export interface Listing {
  readonly files: readonly ListedFile[]
  readonly outside: readonly OutsideLink[]
  /** Folders and files that could not be read. The index keeps their last known state. */
  readonly unreadable: readonly { readonly path: VaultPath; readonly message: string }[]
}

export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** Calls are synchronous, because they run in the indexing worker, where this is three times as fast. */
export interface Vault {
  /** The real path of the root. */
  readonly root: string
  /**
   * Lists files in no particular order. Ignored names are left out.
   * @throws RouxError `VAULT_NOT_FOUND` if the root is missing, unreadable or not a folder
   */
  list(folder?: { readonly path: string; readonly recursive: boolean }): Listing
  /** Returns `undefined` if the path is missing, ignored or not a file. */
  stat(path: VaultPath): ListedFile | undefined
  /** Returns the link if the path is a symbolic link out of the vault, and otherwise `undefined`. */
  outsideLink(path: VaultPath): OutsideLink | undefined
  /**
   * Returns the bytes, `undefined` if the file does not exist, or `'unreadable'` if it cannot be read. Ranges are truncated at
   * the end of the file.
   */
  read(path: VaultPath, stretch?: ByteRange): Uint8Array | undefined | 'unreadable'
  /** Mode determined by a marker folder, if there is one. */
  readonly marker: Mode | undefined
}

export interface Dirty {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** True if everything must be listed again, because events were lost or the ignore rules changed. */
  readonly all: boolean
}

export interface Watcher {
  /** The promise resolves when watching has started. Later changes will be reported. */
  readonly ready: Promise<void>
  /**
   * Waits until all earlier changes have been reported.
   * @returns false if some may be reported later, for example because the watcher polls
   */
  settle(): Promise<boolean>
  close(): Promise<void>
}
