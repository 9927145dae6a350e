/** Replaces a stretch of a file's decoded text (UTF-16 offsets). Edits of one file are ascending and do not overlap. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * One change to a vault's files, as a value. Paths are vault-relative and exactly as on disk. The changes of a list
 * form one unit without order: every path except a destination refers to the state before the first of them. A file may
 * be replaced and moved at once (`replace` uses its old path). Deleting is a move into `.trash/`.
 */
export type FileChange =
  /** A file that must not be there yet; folders above it are made. */
  | {
      readonly kind: 'create'
      readonly path: string
      readonly bytes: Uint8Array
      /** Permission bits; the platform's own when absent. */
      readonly mode?: number
    }
  /** `before` is the SHA-256, hex, of the bytes that are replaced. */
  | { readonly kind: 'replace'; readonly path: string; readonly before: string; readonly bytes: Uint8Array }
  /** A file or a whole folder; nothing may be at `to`, but for the same name in another case. `before` as above, not for folders. */
  | { readonly kind: 'move'; readonly from: string; readonly to: string; readonly before: string | undefined }
  /** No change when the folder is there. */
  | { readonly kind: 'makeFolder'; readonly path: string }
  /** Only if it is empty when all else is done; else it stays. */
  | { readonly kind: 'removeFolder'; readonly path: string }

/** `applying`: begun, and neither done nor rolled back yet. */
export type ChangeState = 'applying' | 'done' | 'undone' | 'rolled_back'

/** A recorded change as lists show it. */
export interface ChangeSummary {
  /** Sorts by time. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly title: string
  readonly state: ChangeState
  /** The change that this one took back. */
  readonly undoes: string | undefined
  readonly files: readonly ChangedFile[]
}

export interface ChangedFile {
  readonly kind: 'create' | 'replace' | 'remove' | 'move' | 'makeFolder' | 'removeFolder'
  readonly path: string
  /** Where it was moved to. */
  readonly to: string | undefined
}

export interface AppliedChange {
  readonly id: string
  /** Every path that came, went or changed; folders of moved folders stand for all below. */
  readonly paths: readonly string[]
  /** Those of them that are folders which were made or moved. */
  readonly folders: readonly string[]
  readonly files: readonly ChangedFile[]
  /** Sentences for the caller about a change that took place. */
  readonly notes: readonly string[]
}

/** A file in the trash. */
export interface Trashed {
  /** Where it lies, `.trash/` included. */
  readonly trash: string
  /** Where it came from. */
  readonly path: string
}

/** How a change that was left half applied ended. */
export interface Recovery {
  readonly id: string
  readonly title: string
  /** `done`: everything had been applied but the record. `applying`: the vault is not what it was; it is tried again next time. */
  readonly state: 'done' | 'rolled_back' | 'applying'
  readonly paths: readonly string[]
  readonly kept: readonly KeptFile[]
}

/** A file that was left as it is, because someone had changed it since. */
export interface KeptFile {
  readonly path: string
  readonly reason: string
}

/** The outcome of a change that was begun but not answered. */
export interface ChangeFate {
  readonly state: ChangeState
  /** Files that it was not taken out of. */
  readonly kept: readonly KeptFile[]
}

/** Callbacks while a change is made. */
export interface ChangeProgress {
  /** The change is recorded under this id; no file was touched yet. */
  readonly onBegun?: ((id: string) => void) | undefined
}

/** Writes into a vault, all or nothing, and takes back what was written. */
export interface Changes {
  /**
   * Applies all changes or none. First rolls back what a dead process left half applied.
   * @throws RouxError `INVALID_PARAMS` and `PERMISSION_DENIED` for paths that cannot or may not be written,
   * `NODE_EXISTS` for an occupied destination, `CONFLICT` when bytes differ from the expected ones, `TIMEOUT` when
   * another process holds the lock, `PROVIDER_ERROR` when the disk fails. The vault is then as before; if even that
   * failed, the message says so and recovery continues later. Failures after all files are in place become notes, not
   * errors.
   */
  apply(changes: readonly FileChange[], options: { readonly title: string } & ChangeProgress): Promise<AppliedChange>
  /** Refuses what `apply` would refuse as the disk is now; nothing is made or written. @throws RouxError as `apply` */
  check(changes: readonly FileChange[]): void
  /**
   * Undoes a change; the undo is itself a change. @throws RouxError as `apply`; `CONFLICT` with a diff if a file was
   * edited since
   */
  undo(id: string, options?: ChangeProgress): Promise<AppliedChange>
  /** The newest changes of this vault, newest first. */
  list(limit: number): readonly ChangeSummary[]
  /** Files that changes moved to the trash and that were not restored, newest first. Reads the record lazily. */
  deletions(): Iterable<Trashed>
  /** Gives back space on the disk that the record needs no more; for when nothing else is to do. */
  tidy(): void
  /** Ends what dead owners left half applied; cheap, and nothing is made on disk, when there is none. */
  recover(): Promise<readonly Recovery[]>
  close(): void
}
