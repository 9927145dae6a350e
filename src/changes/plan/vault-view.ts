import type { FileRecord } from '../../core/index-writer.ts'
import type { Flavor } from '../../core/note.ts'
import type { FileKind } from '../../core/vault.ts'
import type { NameIndex, PageFormat } from '../../links/names.ts'
import type { NewLinkFormat } from '../../links/relink/candidates.ts'

export interface VaultView {
  readonly flavor: Flavor
  readonly newLinkFormat: NewLinkFormat
  /** The format of file names for pages. Only Logseq vaults use it. */
  readonly pageFormat: PageFormat
  /** Obsidian's setting `attachmentFolderPath`, if set. */
  readonly attachmentFolder: string | undefined
  /** If false, the names of new notes are lowercased. */
  keepsCase(): boolean
  /** The name index, which changes during planning and is restored at the end. */
  readonly names: NameIndex
  readonly nextKey: number
  keyAt(path: string): number | undefined
  pathOf(key: number): string | undefined
  /** Keys of files whose path folds to this id. */
  keysLike(folded: string): readonly number[]
  /** Keys of notes with this title in their frontmatter, ignoring case. */
  keysTitled(title: string): readonly number[]
  filesBelow(folder: string): readonly { readonly key: number; readonly path: string }[]
  /** Returns files with links that mention this folded name. */
  sourcesOf(name: string): Iterable<number>
  taggedWith(tag: string): readonly number[] | Promise<readonly number[]>
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Returns true if size and times match the index. */
  isCurrent(record: FileRecord): boolean
  kindOf(path: string): FileKind
  /** Returns `undefined` if the file does not exist or cannot be read. */
  read(path: string): Uint8Array | undefined
  /** Returns the type of a node on disk, even if it is not indexed. */
  look(path: string): 'file' | 'folder' | undefined
  /** Returns the path with existing folders spelled as on disk. */
  withSpelling(path: string): string
  /** Lists the names in a folder, including ignored ones. The list is empty if the folder does not exist. */
  list(folder: string): readonly string[]
}
