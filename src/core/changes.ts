/** An edit with UTF-16 offsets in the decoded text. Edits to a file are sorted and do not overlap. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * All paths are vault-relative and spelled as on disk. Changes in a list are not ordered: all paths except destinations refer to
 * the state before the first change. `replace` uses the old path of a file that also moves. A deletion is a move to `.trash/`.
 */
export type FileChange =
  /** This change fails if the file exists. Missing parent folders are created. */
  | {
      readonly kind: 'create'
      readonly path: string
      readonly bytes: Uint8Array
      /** The permission bits. If omitted, the platform's default applies. */
      readonly mode?: number
    }
  /** Replaces the contents of a file. `before` is the SHA-256 of the current bytes in hex. */
  | { readonly kind: 'replace'; readonly path: string; readonly before: string; readonly bytes: Uint8Array }
  /**
   * Moves a file or folder. `to` must be free, or differ from `from` only in case. `before` is the hash of the file's bytes, or
   * `undefined` for a folder.
   */
  | { readonly kind: 'move'; readonly from: string; readonly to: string; readonly before: string | undefined }
  /** Creates a folder. The change also succeeds if the folder exists. */
  | { readonly kind: 'makeFolder'; readonly path: string }
  /** The folder stays if it is not empty after all other changes. */
  | { readonly kind: 'removeFolder'; readonly path: string }

/** The state of a change. `applying` means that it is neither completed nor rolled back. */
export type ChangeState = 'applying' | 'done' | 'undone' | 'rolled_back'

export interface ChangeSummary {
  /** The id of the change. Ids sort chronologically. */
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
  /** The paths that were created, removed or modified. The contents of moved folders are not listed. */
  readonly paths: readonly string[]
  /** The members of `paths` that are folders. */
  readonly folders: readonly string[]
  readonly files: readonly ChangedFile[]
  /** Messages for the caller, such as failures after all files were in place. */
  readonly notes: readonly string[]
}

export interface Trashed {
  /** The path in the trash, including `.trash/`. */
  readonly trash: string
  readonly path: string
}

export interface Recovery {
  readonly id: string
  readonly title: string
  /**
   * The final state. `done` means that all files were in place and only the record was incomplete. `applying` means that recovery
   * failed and will be retried, and files may be partly changed.
   */
  readonly state: 'done' | 'rolled_back' | 'applying'
  readonly paths: readonly string[]
  readonly kept: readonly KeptFile[]
}

/** A file that was not restored, because it has been modified since. */
export interface KeptFile {
  readonly path: string
  readonly reason: string
}

/** The outcome of a change whose response was lost. */
export interface ChangeOutcome {
  readonly state: ChangeState
  /** Files that could not be rolled back. */
  readonly kept: readonly KeptFile[]
}

export interface ChangeProgress {
  /** A callback that receives the change's id before any file is touched. */
  readonly onBegun?: ((id: string) => void) | undefined
}
