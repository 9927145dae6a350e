import type { NodeId, VaultPath } from './ids.ts'
import type { GraphChanges } from './insight/graph-changes.ts'
import type { Heading, Link, MalformedPart, Task } from './note.ts'
import type { FileKind, FileStat, OutsideLink } from './vault.ts'

/** A link and its target. Missing values are stored as `undefined` rather than omitted, because objects of a single shape are faster. */
export interface ResolvedLink extends Omit<Link, 'display' | 'subpath' | 'property' | 'inComment'> {
  /** Key of the target file or, if there is no such file, the target as written in the link. */
  readonly to: number | string
  readonly subpath: string | undefined
  readonly property: string | undefined
  readonly inComment: true | undefined
  /** Other files that match the name, if a heuristic was needed to choose the target. */
  readonly rivals: readonly number[] | undefined
  readonly byAlias: true | undefined
  /** Set if the target note lacks the heading or block named by the link. */
  readonly brokenSubpath: true | undefined
}

/** Information about a note's text that can be returned without reading the file. */
export interface FileInfo {
  readonly properties: Readonly<Record<string, unknown>>
  readonly headings: readonly Heading[]
  readonly blocks: readonly string[]
  readonly tasks: readonly Task[]
  readonly excerpt: string
  readonly excerptCut: boolean
  /** UTF-16 offset of the body. */
  readonly bodyStart: number
  readonly malformed: readonly MalformedPart[]
}

/** Headings and blocks that a link can point to. */
export type Outline = Pick<FileInfo, 'headings' | 'blocks'>

export interface FileRecord {
  /** A small number assigned by the indexer. It identifies the exact path and is reused after the file is deleted. */
  readonly key: number
  readonly path: VaultPath
  readonly kind: FileKind
  readonly stat: FileStat
  /** Hex SHA-256 of the bytes. Empty for files that were not read, such as attachments. */
  readonly hash: string
  readonly excluded: boolean
  readonly archived: boolean
  readonly conflict: boolean
  readonly title: string
  /** Title from the frontmatter. In Logseq, this is the page name. */
  readonly pageTitle?: string
  readonly aliases: readonly string[]
  readonly tags: readonly string[]
  readonly links: readonly ResolvedLink[]
  /** Folded names used in the links, to find the links that a renamed file affects. */
  readonly mentions: readonly string[]
  readonly style: LinkStyle
  readonly malformed: number
  /** Omitted if unchanged. */
  readonly info?: FileInfo
  /** Text of notes and canvases, decoded as UTF-8, for engines that store it. Omitted if unchanged. */
  readonly text?: string
}

/** Values used to detect whether a file has changed. */
export interface KnownFile {
  readonly key: number
  readonly path: VaultPath
  readonly excluded: boolean
  readonly stat: FileStat
  readonly style: LinkStyle
}

/** Number of links of each style in a note, used to distinguish a docs folder from a vault. */
export interface LinkStyle {
  readonly wikilinks: number
  readonly relativeLinks: number
}

/**
 * A batch of changes within one generation. Each file may be put only once per generation, and a key must be removed before it is
 * reused.
 */
export interface Batch {
  readonly put: readonly FileRecord[]
  readonly remove: readonly number[]
  /** Files whose stat changed but whose content did not. Readers see no change. */
  readonly touch: readonly KnownFile[]
  /**
   * Returns node ids for engines that store them. Must be called before `commit`. Engines that identify files by key need not
   * call it.
   */
  ids(): GivenIds
}

/** Ids assigned by a batch, without the vault's name. */
export interface GivenIds {
  /** All files in the batch, plus files outside it whose id or twins changed. */
  readonly files: readonly GivenId[]
  missing(name: string): NodeId
}

export interface GivenId {
  readonly key: number
  readonly id: NodeId
  /** Keys of other files whose paths fold to the same id, in order of precedence. */
  readonly twins: readonly number[]
}

export interface VaultState {
  /** The mode in which the vault was read. Records of different modes must not be mixed. */
  readonly mode?: string
  readonly outside: readonly OutsideLink[]
  /** Upper bound (exclusive) on the keys assigned so far. Links can point to keys whose files are not committed yet. */
  readonly nextKey: number
  /** True if every file found in the scan is committed. Otherwise a writer is still working, or stopped partway. */
  readonly complete: boolean
  /** A random name assigned with the first complete generation. It distinguishes a rebuilt index from the previous one. */
  readonly lineage?: string
}

/** State after the last commit. */
export interface IndexState extends VaultState {
  /** 0 if nothing has been committed yet. */
  readonly generation: number
}

/** A generation that is being written. It is not visible to readers until `commit`. */
export interface OpenGeneration {
  put(batch: Batch): Promise<void>
  /**
   * Makes the whole generation visible if no other writer has committed since it was started.
   * @param changes changes to the graph, for engines that store the log
   * @returns the new generation, or the same one if readers see no change; `undefined` if another writer committed first, in which
   * case the caller must read and plan again
   */
  commit(state: VaultState, changes?: GraphChanges): Promise<number | undefined>
}

export interface FileContent {
  readonly key: number
  /** Empty if the file no longer exists. */
  readonly path: VaultPath
  /** Hex SHA-256 of the bytes. Empty for files that were not read. */
  readonly hash: string
  /** Hidden by the vault's own ignore filters. */
  readonly excluded: boolean
}

/** Information about a note's text. It is valid as long as the note's bytes have this hash. */
export interface NoteDescription
  extends Pick<FileRecord, 'hash' | 'title' | 'aliases' | 'tags'>,
    Pick<FileInfo, 'properties' | 'headings' | 'bodyStart'> {}

/**
 * The write interface of an engine, used only by `indexing/`. Large results are returned in batches, in no particular order. Files
 * are identified by key, and links are already resolved.
 */
export interface IndexWriter {
  state(): Promise<IndexState>
  files(): AsyncIterable<readonly KnownFile[]>
  /** The names of all files, which determine how links resolve. */
  names(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>[]>
  /** For every file that contains links, the folded names its links depend on. */
  mentions(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'mentions'>[]>
  tags(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'tags'>[]>
  /** Hashes of the given files, in order. Empty for unknown or unread files. */
  hashes(keys: readonly number[]): Promise<readonly string[]>
  /** Files that changed after the given generation. If `since` is 0, deleted files are omitted. */
  contents(since: number): Promise<{ readonly generation: number; readonly files: readonly FileContent[] }>
  /** Descriptions of the given notes, by key. Unknown notes and damaged rows are left out. */
  descriptions(keys: readonly number[]): Promise<ReadonlyMap<number, NoteDescription>>
  /** Records of the given files without `info`, in order. Unknown keys are left out. */
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Headings and blocks of the given notes, in order. `undefined` for other files and unread notes. */
  outlines(keys: readonly number[]): Promise<readonly (Outline | undefined)[]>
  /** Starts the generation that follows `base`. */
  begin(base: number): Promise<OpenGeneration>
  tidy(): Promise<void>
  /** Discards a damaged index. The next state is generation 0. */
  reset(): Promise<void>
  close(): Promise<void>
}
