import type { FileRecord } from '../../core/index-writer.ts'
import type { Flavour } from '../../core/note.ts'
import type { FileKind } from '../../core/vault.ts'
import type { NameIndex } from '../../links/names.ts'
import type { NewLinkFormat } from '../../links/relink/candidates.ts'

/** A vault as seen by planning: its index and the current state of the disk. */
export interface VaultView {
  readonly flavour: Flavour
  readonly newLinkFormat: NewLinkFormat
  /** Obsidian's setting `attachmentFolderPath`, unchanged, or `undefined` if it is not set. */
  readonly attachmentFolder: string | undefined
  /** True to keep the caller's spelling in the names of new notes. Otherwise, they are lowercased. */
  keepsCase(): boolean
  /** Planning changes the names and restores them at the end. */
  readonly names: NameIndex
  readonly nextKey: number
  keyAt(path: string): number | undefined
  pathOf(key: number): string | undefined
  /** Returns the keys of files whose path folds to this id. */
  keysLike(folded: string): readonly number[]
  /** Returns the keys of notes with this title in their frontmatter, ignoring case. */
  keysTitled(title: string): readonly number[]
  filesBelow(folder: string): readonly { readonly key: number; readonly path: string }[]
  /** Returns the files with a link that mentions this folded name. */
  sourcesOf(name: string): Iterable<number>
  taggedWith(tag: string): readonly number[] | Promise<readonly number[]>
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Checks whether a file's size and times still match the index. */
  isCurrent(record: FileRecord): boolean
  kindOf(path: string): FileKind
  /** Returns the file's bytes, or `undefined` if it does not exist or cannot be read. */
  read(path: string): Uint8Array | undefined
  /** Returns the type of the node at a path, even if it is not indexed. */
  look(path: string): 'file' | 'folder' | undefined
  /** Returns a path in which the existing folders are spelled as on disk. */
  spelled(path: string): string
  /** Lists the names in a folder, including ignored ones. Returns an empty list if the folder does not exist. */
  list(folder: string): readonly string[]
}
