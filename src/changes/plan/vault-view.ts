import type { FileRecord } from '../../core/index-writer.ts'
import type { Flavour } from '../../core/note.ts'
import type { FileKind } from '../../core/vault.ts'
import type { NameIndex } from '../../links/names.ts'
import type { NewLinkFormat } from '../../links/relink/candidates.ts'

/** The facts about a vault that planning needs: the index, and the disk as it is now. */
export interface VaultView {
  readonly flavour: Flavour
  readonly newLinkFormat: NewLinkFormat
  /** Obsidian's setting `attachmentFolderPath`, as it stands; `undefined` where there is none. */
  readonly attachmentFolder: string | undefined
  /** Whether new notes keep the spelling of their names. */
  readonly keepsCase: boolean
  /** Changed while planning goes on, and put back when it ends. */
  readonly names: NameIndex
  /** A number that no file has. */
  readonly nextKey: number
  /** The key of a file by its exact path. */
  keyAt(path: string): number | undefined
  /** Where a file is, exactly as spelled on disk. */
  pathOf(key: number): string | undefined
  /** Keys of files whose path folds to this id. */
  keysLike(folded: string): readonly number[]
  /** Keys of notes with this title in their frontmatter, but for case. */
  keysTitled(title: string): readonly number[]
  /** Files below a folder, as spelled; all when empty. */
  filesBelow(folder: string): readonly { readonly key: number; readonly path: string }[]
  /** Files whose links mention a folded name. */
  sourcesOf(name: string): Iterable<number>
  /** Files that carry a tag or one nested in it. */
  taggedWith(tag: string): readonly number[] | Promise<readonly number[]>
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Whether a file is still as the index read it, by its stat. */
  isCurrent(record: FileRecord): boolean
  kindOf(path: string): FileKind
  /** The file's bytes; `undefined` when it is not there or may not be read. */
  read(path: string): Uint8Array | undefined
  /** The node at a path, whether the index knows it or not. */
  look(path: string): 'file' | 'folder' | undefined
  /** A path with those of its folders that exist spelled as they are on disk. */
  spelled(path: string): string
  /** Names in a folder, ignored ones too; empty when it is not there. */
  list(folder: string): readonly string[]
}
