import type { FileKind } from '../vault.ts'

/** A file as the graph knew it. */
export interface LoggedFile {
  readonly kind: FileKind
  readonly title: string
  /** The first digits of the hash of its bytes; empty for what was not read. */
  readonly hash: string
  /** Hidden by the vault's own ignore filters. */
  readonly excluded?: true
}

/** What became of one file between two generations. A file that was moved is the same file. */
export interface LoggedFileChange {
  /** Its path before; absent: it was not there. */
  readonly from?: string
  /** Its path after; absent: it is gone. */
  readonly to?: string
  readonly before?: LoggedFile
  readonly after?: LoggedFile
  /** When the last of its changes was committed, milliseconds since 1970. */
  readonly time: number
  /** The recorded change that touched it last, if that was one of our own writes. */
  readonly change?: string
}

/**
 * One end of a link: the path of a file that is there after the changes; `/` and the path before of one that is gone; or `//` and the folded
 * name of what does not exist. Paths in a vault never begin with `/`.
 */
export type LinkEnd = string

/** How many links lead from one end to another, before and after. */
export interface LoggedLinkChange {
  readonly from: LinkEnd
  readonly to: LinkEnd
  /** These are links to a heading or block that is not in the note they lead to; they are counted without it, too. */
  readonly part?: string
  readonly was: number
  readonly now: number
  /** Of which the links are more, or fewer: as written, with a line where each stands or stood. */
  readonly texts: readonly LoggedText[]
}

export type LoggedText = readonly [text: string, line: number, more: number]

/** What differs between two generations of the graph. */
export interface GraphChanges {
  readonly files: readonly LoggedFileChange[]
  readonly links: readonly LoggedLinkChange[]
}

/** What one commit of an index changed. */
export interface LoggedCommit {
  /** Of the index, see `VaultState.lineage`. */
  readonly lineage: string
  /** The generation that it was made from; the same as `generation` for what only says which generation there was at that time. */
  readonly base: number
  readonly generation: number
  /** Milliseconds since 1970; never below that of an earlier one. */
  readonly time: number
  /** `undefined` where what was written is not what is read: then it is not known what changed. */
  readonly changes: GraphChanges | undefined
}

/** Where the indexer tells what its commits changed. Nothing here ever fails: a log that cannot be written has a gap. */
export interface GraphLogWriter {
  /** Tells of a commit. */
  append(commit: Omit<LoggedCommit, 'time' | 'changes'> & { readonly changes: GraphChanges }): void
  /** Says which generation there is now, where the log does not know it yet. */
  mark(lineage: string, generation: number): void
}

/** The log of one vault, for `app/`. */
export interface GraphLog {
  /**
   * Commits of an index up to a generation, the newest first, in parts.
   * @throws RouxError `PROVIDER_ERROR` when the log cannot be read
   */
  commits(lineage: string, upTo: number): AsyncIterable<readonly LoggedCommit[]>
  /** Whether the log knows an index, as one of this vault or of another. @throws as `commits` */
  knows(lineage: string): Promise<'this vault' | 'another vault' | undefined>
}
