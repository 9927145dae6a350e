import type { FileKind } from '../vault.ts'

/** A file as the graph knew it. */
export interface LoggedFile {
  readonly kind: FileKind
  readonly title: string
  /** The first digits of the hash of its bytes; empty for files that were not read. */
  readonly hash: string
  /** Hidden by the vault's own ignore filters. */
  readonly excluded?: true
}

/** The change of one file between two generations. A moved file is the same file. */
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
 * One end of a link: the path of a file that exists after the changes; `/` and the former path of a removed file; or
 * `//` and the folded name of a missing target. Vault paths never start with `/`.
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
  /** The added or removed links as written, each with its line. */
  readonly texts: readonly LoggedText[]
}

export type LoggedText = readonly [text: string, line: number, more: number]

/** The differences between two generations of the graph. */
export interface GraphChanges {
  readonly files: readonly LoggedFileChange[]
  readonly links: readonly LoggedLinkChange[]
}

/** The changes of one commit of an index. */
export interface LoggedCommit {
  /** The index's lineage, see `VaultState.lineage`. */
  readonly lineage: string
  /** The generation before the commit; equal to `generation` for a row that only records the generation at a time. */
  readonly base: number
  readonly generation: number
  /** Milliseconds since 1970; never below that of an earlier one. */
  readonly time: number
  /** `undefined` when the row cannot be read. */
  readonly changes: GraphChanges | undefined
}

/** Receives the changes of each commit. Never fails: a log that cannot be written has a gap. */
export interface GraphLogWriter {
  /** Tells of a commit. */
  append(commit: Omit<LoggedCommit, 'time' | 'changes'> & { readonly changes: GraphChanges }): void
  /** Says which generation there is now, where the log does not know it yet. */
  mark(lineage: string, generation: number): void
}

/** The log of one vault, for `app/`. */
export interface GraphLog {
  /** The time by the clock that commits are logged by, ms; absent where that is the clock of this computer. */
  readonly now?: () => number
  /**
   * Commits of an index up to a generation, the newest first, in parts.
   * @throws RouxError `PROVIDER_ERROR` when the log cannot be read
   */
  commits(lineage: string, upTo: number): AsyncIterable<readonly LoggedCommit[]>
  /** True if the log knows an index, as one of this vault or of another. @throws as `commits` */
  knows(lineage: string): Promise<'this vault' | 'another vault' | undefined>
}
