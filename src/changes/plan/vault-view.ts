import type { FileRecord } from '../../core/index-writer.ts'
import type { Flavour } from '../../core/note.ts'
import type { FileKind } from '../../core/vault.ts'
import type { NameIndex } from '../../links/names.ts'
import type { NewLinkFormat } from '../../links/relink/candidates.ts'

/** The facts about a vault that planning needs: the index, and the disk as it is now. */
export interface VaultView {
  readonly flavour: Flavour
  readonly newLinkFormat: NewLinkFormat
  /** Obsidian's setting `attachmentFolderPath`, unchanged; `undefined` if it is not set. */
  readonly attachmentFolder: string | undefined
  /** True if new notes keep the spelling of their names. */
  readonly keepsCase: boolean
  /** Planning changes it and restores it at the end. */
  readonly names: NameIndex
  /** An unused file number. */
  readonly nextKey: number
  /** The key of a file by its exact path. */
  keyAt(path: string): number | undefined
  /** A file's path, spelled like on disk. */
  pathOf(key: number): string | undefined
  /** Keys of files whose path folds to this id. */
  keysLike(folded: string): readonly number[]
  /** Keys of notes with this title in their frontmatter, in any case. */
  keysTitled(title: string): readonly number[]
  /** Files below a folder, spelled like on disk; all files for an empty path. */
  filesBelow(folder: string): readonly { readonly key: number; readonly path: string }[]
  /** Files whose links mention a folded name. */
  sourcesOf(name: string): Iterable<number>
  /** Files with a tag or a tag nested in it. */
  taggedWith(tag: string): readonly number[] | Promise<readonly number[]>
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** True if a file is still as the index read it, by its stat. */
  isCurrent(record: FileRecord): boolean
  kindOf(path: string): FileKind
  /** The file's bytes; `undefined` if it does not exist or cannot be read. */
  read(path: string): Uint8Array | undefined
  /** The node at a path, whether the index knows it or not. */
  look(path: string): 'file' | 'folder' | undefined
  /** Spells the existing folders of a path like on disk. */
  spelled(path: string): string
  /** Names in a folder, ignored ones too; empty if the folder does not exist. */
  list(folder: string): readonly string[]
}
