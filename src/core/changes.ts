/** Replaces a range of a file's decoded text (UTF-16 offsets). Edits to one file are in ascending order and do not overlap. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * A change to the files of a vault. Paths are vault-relative and spelled exactly as on disk. The order of the changes in a list
 * does not matter: every path except a destination refers to the state before any of them is applied. A file can be both replaced
 * and moved; `replace` then uses the old path. Deleting moves a file to `.trash/`.
 */
export type FileChange =
  /** Creates a file that must not exist yet. Missing parent folders are created. */
  | {
      readonly kind: 'create'
      readonly path: string
      readonly bytes: Uint8Array
      /** Permission bits. If omitted, the platform's default is used. */
      readonly mode?: number
    }
  /** Replaces a file. `before` is the hex SHA-256 of the bytes being replaced. */
  | { readonly kind: 'replace'; readonly path: string; readonly before: string; readonly bytes: Uint8Array }
  /**
   * Moves a file or a folder. `to` must not exist, unless it differs from `from` only in case. `before` is the hash of the file's
   * bytes, or `undefined` for a folder.
   */
  | { readonly kind: 'move'; readonly from: string; readonly to: string; readonly before: string | undefined }
  /** Creates a folder if it does not exist. */
  | { readonly kind: 'makeFolder'; readonly path: string }
  /** Removes a folder if it is empty after all other changes. */
  | { readonly kind: 'removeFolder'; readonly path: string }

/** `applying` means started, but neither completed nor rolled back. */
export type ChangeState = 'applying' | 'done' | 'undone' | 'rolled_back'

export interface ChangeSummary {
  /** Sorting by id yields chronological order. */
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  readonly title: string
  readonly state: ChangeState
  readonly undoes: string | undefined
  readonly files: readonly ChangedFile[]
}

export interface ChangedFile {
  readonly kind: 'create' | 'replace' | 'remove' | 'move' | 'makeFolder' | 'removeFolder'
  readonly path: string
  readonly to: string | undefined
}

export interface AppliedChange {
  readonly id: string
  /** All paths that were created, removed or modified. The contents of a moved folder are not listed. */
  readonly paths: readonly string[]
  /** The subset of `paths` that are folders. */
  readonly folders: readonly string[]
  readonly files: readonly ChangedFile[]
  /** Messages for the caller about the completed change. */
  readonly notes: readonly string[]
}

export interface Trashed {
  /** Path of the deleted item in the trash, including `.trash/`. */
  readonly trash: string
  /** Path of the item before it was deleted. */
  readonly path: string
}

export interface Recovery {
  readonly id: string
  readonly title: string
  /**
   * `done`: all files had already been changed, and only the record was incomplete. `applying`: recovery failed for now and will be
   * retried; the change may be partly applied.
   */
  readonly state: 'done' | 'rolled_back' | 'applying'
  readonly paths: readonly string[]
  readonly kept: readonly KeptFile[]
}

/** A file that was not restored because it had been modified in the meantime. */
export interface KeptFile {
  readonly path: string
  readonly reason: string
}

/** The outcome of a change, for a caller that never received the response. */
export interface ChangeOutcome {
  readonly state: ChangeState
  /** Files that could not be rolled back. */
  readonly kept: readonly KeptFile[]
}

export interface ChangeProgress {
  /** Called once the change is recorded under this id, before any file is touched. */
  readonly onBegun?: ((id: string) => void) | undefined
}

export interface Changes {
  /**
   * Applies all changes or none, after rolling back any change that a crashed process left incomplete.
   * @throws RouxError `INVALID_PARAMS` or `PERMISSION_DENIED` for paths that are invalid or not writable, `NODE_EXISTS` for an
   * occupied destination, `CONFLICT` if bytes differ from the expected ones, `TIMEOUT` if another process holds the lock,
   * `PROVIDER_ERROR` if the disk fails. The vault is then unchanged; if rolling back failed as well, the message says so and recovery
   * is retried later. Failures after all files are in place are returned as notes.
   */
  apply(changes: readonly FileChange[], options: { readonly title: string } & ChangeProgress): Promise<AppliedChange>
  /** Checks the changes against the disk without writing anything. @throws RouxError for the same reasons as `apply` */
  check(changes: readonly FileChange[]): void
  /**
   * Undoes a change and records the undo as a change. @throws RouxError for the same reasons as `apply`, and `CONFLICT` with a diff
   * if a file has been edited since
   */
  undo(id: string, options?: ChangeProgress): Promise<AppliedChange>
  /** Returns the most recent changes of this vault, newest first. */
  list(limit: number): readonly ChangeSummary[]
  /** Files in the trash that have not been restored, most recently deleted first. Reads the record lazily. */
  deletions(): Iterable<Trashed>
  /** Frees disk space that the record no longer needs. Call it when idle. */
  tidy(): void
  /** Completes or rolls back changes left by crashed processes. If there are none, the call is cheap and touches nothing on disk. */
  recover(): Promise<readonly Recovery[]>
  close(): void
}
