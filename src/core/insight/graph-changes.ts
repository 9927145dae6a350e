import type { FileKind } from '../vault.ts'

export interface LoggedFile {
  readonly kind: FileKind
  readonly title: string
  /** The first digits of the file's SHA-256. The string is empty for files that were not read. */
  readonly hash: string
  readonly excluded?: true
}

/** A file's change between two generations. A moved file counts as the same file. */
export interface LoggedFileChange {
  /** The old path. It is omitted for new files. */
  readonly from?: string
  /** The new path. It is omitted for removed files. */
  readonly to?: string
  readonly before?: LoggedFile
  readonly after?: LoggedFile
  /** The time of the commit with the last change to the file, in milliseconds since the Unix epoch. */
  readonly time: number
  /** The id of Roux's last write to the file, if any. */
  readonly change?: string
}

/**
 * The path of an existing file, `/` and the former path of a removed file, or `//` and the folded name of a missing target. Vault
 * paths never start with `/`.
 */
export type LinkEnd = string

/** The numbers of links between two files, before and after a commit. */
export interface LoggedLinkChange {
  readonly from: LinkEnd
  readonly to: LinkEnd
  /** The linked heading or block, if the target does not have it. The entry without `part` counts these links, too. */
  readonly part?: string
  readonly was: number
  readonly now: number
  /** Added or removed links as written, with line numbers. */
  readonly texts: readonly LoggedText[]
}

export type LoggedText = readonly [text: string, line: number, more: number]

export interface GraphChanges {
  readonly files: readonly LoggedFileChange[]
  readonly links: readonly LoggedLinkChange[]
}

export const NO_CHANGES: GraphChanges = { files: [], links: [] }

export interface LoggedCommit {
  readonly lineage: string
  /** The generation before the commit. If both numbers are equal, the row only records that the generation existed. */
  readonly base: number
  readonly generation: number
  /** Milliseconds since the Unix epoch. The times of a log never decrease. */
  readonly time: number
  /** The changes are `undefined` if the row is unreadable. */
  readonly changes: GraphChanges | undefined
}

/** Writing never throws. A failed write leaves a gap in the log. */
export interface GraphLogWriter {
  append(commit: Omit<LoggedCommit, 'time' | 'changes'> & { readonly changes: GraphChanges }): void
  /** Records a generation unless the log contains it. */
  mark(lineage: string, generation: number): void
}

export interface GraphLog {
  /**
   * Returns the current time in milliseconds on the clock that commits use. The function is omitted if that is the local clock.
   */
  readonly now?: () => number
  /** Yields commits in batches, newest first. @throws RouxError `PROVIDER_ERROR` if the log is unreadable */
  commits(lineage: string, upTo: number): AsyncIterable<readonly LoggedCommit[]>
  /** Finds the vault that an index belongs to. @throws RouxError like `commits` */
  ownerOf(lineage: string): Promise<'this vault' | 'another vault' | undefined>
}
