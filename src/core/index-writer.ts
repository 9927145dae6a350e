import type { NodeId, VaultPath } from './ids.ts'
import type { GraphChanges } from './insight/graph-changes.ts'
import type { Heading, Link, MalformedPart, Task } from './note.ts'
import type { FileKind, FileStat, OutsideLink } from './vault.ts'

/** A link together with where it points. Absent facts are `undefined` members: one shape for all of them is faster. */
export interface ResolvedLink extends Omit<Link, 'display' | 'subpath' | 'property' | 'inComment'> {
  /** The file's key, or the missing target as written. */
  readonly to: number | string
  readonly subpath: string | undefined
  readonly property: string | undefined
  readonly inComment: true | undefined
  /** Files that the name fits too, when only a rule of thumb chose. */
  readonly rivals: readonly number[] | undefined
  /** Found by an alias. */
  readonly byAlias: true | undefined
  /** The heading or block that it names is not in the note that it leads to. */
  readonly brokenSubpath: true | undefined
}

/** The facts about a note's text that answers need without reading the file. */
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

/** The targets that links can have within a note. */
export type Outline = Pick<FileInfo, 'headings' | 'blocks'>

/** Everything that the index holds of one file. */
export interface FileRecord {
  /** The file's number, given by the indexer: small, stays with the exact path, and is given to another file once this one is gone. */
  readonly key: number
  readonly path: VaultPath
  readonly kind: FileKind
  readonly stat: FileStat
  /** SHA-256 of the bytes, hex; empty for files that were not read (attachments, unreadable files). */
  readonly hash: string
  readonly excluded: boolean
  readonly archived: boolean
  readonly conflict: boolean
  readonly title: string
  /** The frontmatter's title: a page name in Logseq. */
  readonly pageTitle?: string
  readonly aliases: readonly string[]
  readonly tags: readonly string[]
  readonly links: readonly ResolvedLink[]
  /** Folded names that the links depend on. */
  readonly mentions: readonly string[]
  readonly style: LinkStyle
  /** How many parts of the file are malformed. */
  readonly malformed: number
  /** Absent: what the index holds stays. */
  readonly info?: FileInfo
  /** Decoded as UTF-8, of notes and canvases that were read; only for an engine that keeps texts. Absent: what the index holds stays. */
  readonly text?: string
}

/** The facts that tell whether a file changed. */
export interface KnownFile {
  readonly key: number
  readonly path: VaultPath
  readonly excluded: boolean
  readonly stat: FileStat
  readonly style: LinkStyle
}

/** The number of links of each style in a note; they distinguish a docs folder from a vault. */
export interface LinkStyle {
  readonly wikilinks: number
  readonly relativeLinks: number
}

/** A part of one generation. A generation puts each file once, and removes a key before it puts it again. */
export interface Batch {
  readonly put: readonly FileRecord[]
  readonly remove: readonly number[]
  /** Read again and found unchanged: only their stat differs. Not a change that readers see. */
  readonly touch: readonly KnownFile[]
  /** For an engine that stores ids; to be asked before `commit`. An engine that knows its files by key need not ask, and then no id is made. */
  ids(): GivenIds
}

/** The ids that a batch gives, without the vault's name. */
export interface GivenIds {
  /** Every file that is put, and others whose id or twins changed. */
  readonly files: readonly GivenId[]
  /** The id of a missing target, by its name in a link. */
  missing(name: string): NodeId
}

export interface GivenId {
  readonly key: number
  readonly id: NodeId
  /** Keys of the other files whose paths fold to the same id, in order of their ids' precedence. */
  readonly twins: readonly number[]
}

/** Facts of a generation about the whole vault. */
export interface VaultState {
  /** How the vault is read (`FileRecord`s of another mode are not mixed with these). */
  readonly mode?: string
  readonly outside: readonly OutsideLink[]
  /** Every key given so far is below this; links may point to keys whose files are not committed yet. */
  readonly nextKey: number
  /** Everything that was found then is committed; else a writer is at it, or ended half way. */
  readonly complete: boolean
  /** A random name, given with the first complete generation: an index that is built again has another, however many generations it has. */
  readonly lineage?: string
}

/** The state after the last commit. */
export interface IndexState extends VaultState {
  /** 0 when nothing was ever committed. */
  readonly generation: number
}

/** A generation being written. Readers see nothing of it before `commit`, and nothing at all without one. */
export interface OpenGeneration {
  put(batch: Batch): Promise<void>
  /**
   * Makes the whole generation visible, if nobody else has committed since it was begun.
   * @returns the new generation (or the same, if readers see no change), or `undefined` when another writer was first:
   * read everything again and plan again. `changes`: the graph changes, if logged, for an engine that keeps the log for
   * others
   */
  commit(state: VaultState, changes?: GraphChanges): Promise<number | undefined>
}

/** A file's content as the index has it. */
export interface FileContent {
  readonly key: number
  /** Empty when the file is gone. */
  readonly path: VaultPath
  /** SHA-256 of the bytes, hex; empty for files that were not read. */
  readonly hash: string
  /** Hidden by the vault's own ignore filters. */
  readonly excluded: boolean
}

/** The index's facts about a note's text. They are as good as reading the note while its bytes have this hash. */
export interface NoteDescription
  extends Pick<FileRecord, 'hash' | 'title' | 'aliases' | 'tags'>,
    Pick<FileInfo, 'properties' | 'headings' | 'bodyStart'> {}

/**
 * The writing side of an engine, for `indexing/` only. Long results come in parts, without order. An engine stores what
 * it gets: files are identified by keys, and links are already resolved.
 */
export interface IndexWriter {
  state(): Promise<IndexState>
  /** Every file there is. */
  files(): AsyncIterable<readonly KnownFile[]>
  /** The names of every file; they decide where links lead. */
  names(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>[]>
  /** For every file that links: the folded names its links depend on. */
  mentions(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'mentions'>[]>
  /** Every file that has tags. */
  tags(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'tags'>[]>
  /** Empty for those that are not there or were not read. */
  hashes(keys: readonly number[]): Promise<readonly string[]>
  /** Files that changed after a generation; from 0, those that are gone are left out. */
  contents(since: number): Promise<{ readonly generation: number; readonly files: readonly FileContent[] }>
  /** Facts about these notes, by key; missing notes and damaged rows are left out. */
  descriptions(keys: readonly number[]): Promise<ReadonlyMap<number, NoteDescription>>
  /** These files without their `info`, in order; unknown keys are left out. */
  records(keys: readonly number[]): Promise<readonly FileRecord[]>
  /** Headings and blocks of these notes, in order; `undefined` for other files and unread notes. */
  outlines(keys: readonly number[]): Promise<readonly (Outline | undefined)[]>
  /** Begins the generation after `base`. */
  begin(base: number): Promise<OpenGeneration>
  /** Does what can wait until nothing is asked. */
  tidy(): Promise<void>
  /** Throws a damaged index away: the next state is generation 0. */
  reset(): Promise<void>
  close(): Promise<void>
}
