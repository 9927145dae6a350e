import type { NodeId, VaultPath } from './ids.ts'
import type { GraphChanges } from './insight/graph-changes.ts'
import type { Link, Note } from './note.ts'
import type { FileKind, FileStat, OutsideLink } from './vault.ts'

/** Missing values are `undefined` rather than omitted, because objects of a single shape are faster. */
export interface ResolvedLink extends Omit<Link, 'display' | 'subpath' | 'property' | 'inComment'> {
  /** The key of the target file. If there is no such file, the target as written. */
  readonly to: number | string
  readonly subpath: string | undefined
  readonly property: string | undefined
  readonly inComment: true | undefined
  /** Other files with a matching name, if the choice was ambiguous. */
  readonly rivals: readonly number[] | undefined
  readonly byAlias: true | undefined
  /** True if the target lacks the linked heading or block. */
  readonly brokenSubpath: true | undefined
}

/** Information about a note that is stored in the index. */
export interface FileInfo extends Pick<Note, 'properties' | 'headings' | 'blocks' | 'tasks' | 'bodyStart' | 'malformed'> {
  readonly excerpt: string
  readonly excerptCut: boolean
}

export type Outline = Pick<FileInfo, 'headings' | 'blocks'>

export interface FileRecord extends KnownFile {
  readonly kind: FileKind
  /** SHA-256 in hex. The string is empty for files that were not read, such as attachments. */
  readonly hash: string
  readonly archived: boolean
  /** True if the name marks a sync tool's conflict copy. */
  readonly conflict: boolean
  readonly title: string
  /** The title from the frontmatter or, in Logseq, the page name. */
  readonly pageTitle?: string
  readonly aliases: readonly string[]
  readonly tags: readonly string[]
  readonly links: readonly ResolvedLink[]
  /** The folded names that occur in links, to find the links that a rename affects. */
  readonly mentions: readonly string[]
  readonly malformed: number
  /** Omitted if unchanged. */
  readonly info?: FileInfo
  /** The text, decoded as UTF-8, for engines that store it. It is omitted if unchanged. */
  readonly text?: string
}

export interface KnownFile {
  /** The indexer assigns the key to an exact path. It is reused after the file is deleted. */
  readonly key: number
  readonly path: VaultPath
  readonly excluded: boolean
  readonly stat: FileStat
  readonly style: LinkStyle
}

/** Numbers of links per style, which tell a docs folder from a vault. */
export interface LinkStyle {
  readonly wikilinks: number
  readonly relativeLinks: number
}

/** A part of a generation. A file may be put once per generation, and a key must be removed before it is reused. */
export interface Batch {
  readonly put: readonly FileRecord[]
  readonly remove: readonly number[]
  /** The files whose stat changed, but not their content. */
  readonly touch: readonly KnownFile[]
  /** Returns node ids, for engines that store them. It must be called before `commit`. */
  ids(): GivenIds
}

/** The ids that a batch assigns, without the vault prefix. */
export interface GivenIds {
  /** The list includes files outside the batch whose id or twins changed. */
  readonly files: readonly GivenId[]
  missing(name: string): NodeId
}

export interface GivenId {
  readonly key: number
  readonly id: NodeId
  /** Keys of other files with the same folded path, in order of precedence. */
  readonly twins: readonly number[]
}

export interface VaultState {
  /** Records of different modes must not be mixed. */
  readonly mode?: string
  readonly outside: readonly OutsideLink[]
  /** All assigned keys are below this number. Links can refer to keys that are not committed yet. */
  readonly nextKey: number
  /** False while a writer is working, and after a writer has stopped partway. */
  readonly complete: boolean
  /** A random name, assigned with the first complete generation. A rebuilt index gets a new one. */
  readonly lineage?: string
}

export interface IndexState extends VaultState {
  /** The number of the generation, or 0 before the first commit. */
  readonly generation: number
}

/** Readers do not see the changes until `commit`. */
export interface OpenGeneration {
  put(batch: Batch): Promise<void>
  /**
   * Commits the generation unless another writer was first.
   * @param changes for engines that store the change log
   * @returns the generation, which stays the same if readers see no change; `undefined` if another writer committed first, so the
   * caller must plan again
   */
  commit(state: VaultState, changes?: GraphChanges): Promise<number | undefined>
}

/** The path is empty for deleted files. */
export type FileContent = Pick<FileRecord, 'key' | 'path' | 'hash' | 'excluded'>

/** The description is valid for bytes with this hash. */
export interface NoteDescription
  extends Pick<FileRecord, 'hash' | 'title' | 'aliases' | 'tags'>,
    Pick<FileInfo, 'properties' | 'headings' | 'bodyStart'> {}

/**
 * The write interface of an engine, which only `indexing/` uses. Batches have no order. Files are identified by key, and links
 * are already resolved.
 */
export interface IndexWriter {
  state(): Promise<IndexState>
  files(): AsyncIterable<readonly KnownFile[]>
  /** Yields the names of all files, for resolving links. */
  names(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>[]>
  /** Returns, for each file with links, the folded names that its links depend on. */
  mentions(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'mentions'>[]>
  tags(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'tags'>[]>
  /** Returns one hash per key, in order. The hash is empty for unknown or unread files. */
  hashes(keys: readonly number[]): Promise<readonly string[]>
  /** Returns the files that changed after a generation. If `since` is 0, deleted files are left out. */
  contents(since: number): Promise<{ readonly generation: number; readonly files: readonly FileContent[] }>
  /** Returns descriptions by key. Unknown notes and damaged rows are left out. */
  descriptions(keys: readonly number[]): Promise<ReadonlyMap<number, NoteDescription>>
  /** Returns records in the order of the keys, without `info`. Unknown keys are left out. */
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Returns one outline per key, in order. The outline is `undefined` for unread notes and for files that are not notes. */
  outlines(keys: readonly number[]): Promise<readonly (Outline | undefined)[]>
  /** Opens the generation that follows `base`. */
  begin(base: number): Promise<OpenGeneration>
  tidy(): Promise<void>
  /** Discards a damaged index, after which the generation is 0. */
  reset(): Promise<void>
  close(): Promise<void>
}
