import type { FileRecord } from '../../core/index-writer.ts'
import type { Flavour } from '../../core/note.ts'
import type { FileKind } from '../../core/vault.ts'
import type { NameIndex } from '../../links/names.ts'
import type { NewLinkFormat } from '../../links/relink/candidates.ts'

/** The parts of a vault that planning needs: the index and the current state of the disk. */
export interface VaultView {
  readonly flavour: Flavour
  readonly newLinkFormat: NewLinkFormat
  /** Obsidian's setting `attachmentFolderPath`, unchanged, or `undefined` if it is not set. */
  readonly attachmentFolder: string | undefined
  /** True if new notes keep the caller's spelling. Otherwise, their names are lowercased. */
  keepsCase(): boolean
  /** Modified during planning and restored at the end. */
  readonly names: NameIndex
  readonly nextKey: number
  keyAt(path: string): number | undefined
  pathOf(key: number): string | undefined
  /** Returns the keys of files whose path folds to this id. */
  keysLike(folded: string): readonly number[]
  /** Returns the keys of notes with this title in their frontmatter, ignoring case. */
  keysTitled(title: string): readonly number[]
  filesBelow(folder: string): readonly { readonly key: number; readonly path: string }[]
  /** Returns the files whose links mention the given folded name. */
  sourcesOf(name: string): Iterable<number>
  taggedWith(tag: string): readonly number[] | Promise<readonly number[]>
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Checks whether a file's stat still matches the index. */
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
