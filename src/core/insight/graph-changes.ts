import type { FileKind } from '../vault.ts'

export interface LoggedFile {
  readonly kind: FileKind
  readonly title: string
  /** First digits of the SHA-256 of the file's bytes. Empty for files that were not read. */
  readonly hash: string
  readonly excluded?: true
}

/** The change to one file between two generations. A moved file counts as the same file. */
export interface LoggedFileChange {
  /** Path before the change. Omitted if the file did not exist. */
  readonly from?: string
  /** Path after the change. Omitted if the file no longer exists. */
  readonly to?: string
  readonly before?: LoggedFile
  readonly after?: LoggedFile
  /** Commit time of the file's most recent change, in milliseconds since the Unix epoch. */
  readonly time: number
  /** The last recorded write by Roux that touched the file, if any. */
  readonly change?: string
}

/**
 * One end of a link: the path of a file that exists after the changes; `/` followed by the former path of a removed file; or `//`
 * followed by the folded name of a missing target. Vault paths never start with `/`.
 */
export type LinkEnd = string

/** Number of links from one file to another, before and after. */
export interface LoggedLinkChange {
  readonly from: LinkEnd
  readonly to: LinkEnd
  /** Set if the links point to a heading or block that the target note lacks. Such links are also counted in the entry without `part`. */
  readonly part?: string
  readonly was: number
  readonly now: number
  /** The added or removed links as written, with their line numbers. */
  readonly texts: readonly LoggedText[]
}

export type LoggedText = readonly [text: string, line: number, more: number]

export interface GraphChanges {
  readonly files: readonly LoggedFileChange[]
  readonly links: readonly LoggedLinkChange[]
}

export const NO_CHANGES: GraphChanges = { files: [], links: [] }

export interface LoggedCommit {
  /** Lineage of the index; see `VaultState.lineage`. */
  readonly lineage: string
  /** Generation before the commit. Equal to `generation` in rows that only record which generation existed at a given time. */
  readonly base: number
  readonly generation: number
  /** Milliseconds since the Unix epoch. Never decreases. */
  readonly time: number
  /** `undefined` if the row is unreadable. */
  readonly changes: GraphChanges | undefined
}

/** Receives the changes of each commit. Never throws; a failed write leaves a gap in the log. */
export interface GraphLogWriter {
  append(commit: Omit<LoggedCommit, 'time' | 'changes'> & { readonly changes: GraphChanges }): void
  /** Records the current generation if the log does not contain it yet. */
  mark(lineage: string, generation: number): void
}

export interface GraphLog {
  /** Returns the current time, in milliseconds, of the clock used for commits. Omitted if the local clock is used. */
  readonly now?: () => number
  /**
   * Yields the commits of an index up to a generation, newest first, in batches.
   * @throws RouxError `PROVIDER_ERROR` if the log is unreadable
   */
  commits(lineage: string, upTo: number): AsyncIterable<readonly LoggedCommit[]>
  /** Looks up whether an index belongs to this vault or to another one. @throws RouxError for the same reasons as `commits` */
  knows(lineage: string): Promise<'this vault' | 'another vault' | undefined>
}
