import type { VaultPath } from './ids.ts'
import type { Mode } from './note.ts'

export type FileKind = 'note' | 'attachment' | 'canvas'

/** Values used to detect changes without reading the file. */
export interface FileStat {
  /** Milliseconds, with fractions if the platform provides them. */
  readonly mtime: number
  readonly ctime: number
  /** Milliseconds. 0 if the platform does not provide it. */
  readonly birthtime: number
  /** In bytes. */
  readonly size: number
}

export function isSameStat(a: FileStat, b: FileStat): boolean {
  return a.mtime === b.mtime && a.ctime === b.ctime && a.size === b.size
}

export interface ListedFile {
  readonly path: VaultPath
  readonly stat: FileStat
  /** True if the file matches the vault's own ignore filters (`userIgnoreFilters`). */
  readonly excluded: boolean
}

/** A symbolic link that points outside the vault. It is not followed. */
export interface OutsideLink {
  readonly path: VaultPath
  /** Target as stored in the link. */
  readonly target: string
}

export interface Listing {
  readonly files: readonly ListedFile[]
  readonly outside: readonly OutsideLink[]
  /** Folders and files that could not be read. Their last known state is kept. */
  readonly unreadable: readonly { readonly path: VaultPath; readonly message: string }[]
}

export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/**
 * The folder on disk. Calls are synchronous, because they run in the indexing worker, where synchronous calls are three times as
 * fast.
 */
export interface Vault {
  /** The real path of the root. */
  readonly root: string
  /**
   * Lists the files of the vault or of one folder in no particular order. Ignored names are left out.
   * @throws RouxError `VAULT_NOT_FOUND` if the root is missing, unreadable or not a folder
   */
  list(folder?: { readonly path: string; readonly recursive: boolean }): Listing
  /** Returns the entry of one file, or `undefined` if it does not exist, is ignored or is not a file. */
  stat(path: VaultPath): ListedFile | undefined
  /** Returns the symbolic link at this path if it points outside the vault. */
  outsideLink(path: VaultPath): OutsideLink | undefined
  /**
   * Reads a file, or a range of it, truncated at the end of the file. Returns `undefined` if the file does not exist, `'unreadable'`
   * if it exists but cannot be read.
   */
  read(path: VaultPath, stretch?: ByteRange): Uint8Array | undefined | 'unreadable'
  /** The mode determined by a marker folder, or `undefined` if there is none. */
  readonly marker: Mode | undefined
}

export interface Dirty {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** True if everything must be listed again, because events were lost or the ignore rules changed. */
  readonly all: boolean
}

export interface Watcher {
  /** Resolves when watching has started. All later changes will be reported. */
  readonly ready: Promise<void>
  /**
   * Waits until every change made before this call has been reported.
   * @returns false if some may be reported later, for example because the watcher polls
   */
  settle(): Promise<boolean>
  close(): Promise<void>
}
