import type { ChangeSummary } from './changes.ts'

export type PropertyValues = Readonly<Record<string, unknown>>

/** For each property, the titles, aliases or ids of the targets. */
export type RelationTargets = Readonly<Record<string, string | readonly string[]>>

export type SectionMode = 'replace' | 'append' | 'prepend' | 'insert_before' | 'insert_after'

/** An operation requested through a write tool. Ids are as given by the caller. */
export type Operation =
  | CreateNote
  | UpdateNote
  | { readonly kind: 'delete'; readonly id: string; readonly expectedHash?: string }
  | { readonly kind: 'move'; readonly id: string; readonly to: string; readonly expectedHash?: string }
  | { readonly kind: 'restore'; readonly id: string }
  | { readonly kind: 'renameHeading'; readonly id: string; readonly heading: readonly string[]; readonly to: string }
  | { readonly kind: 'renameTag'; readonly tag: string; readonly to: string }
  | { readonly kind: 'manageTags'; readonly id: string; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly kind: 'createFolder'; readonly path: string }
  | { readonly kind: 'clone'; readonly id: string; readonly folder: string }
  | AddAttachment
  | { readonly kind: 'deleteAttachment'; readonly id: string; readonly expectedHash?: string }

export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>

export interface CreateNote {
  readonly kind: 'create'
  readonly id: string
  readonly content: string
  readonly title?: string
  readonly tags?: readonly string[]
  readonly properties?: PropertyValues
  readonly relations?: RelationTargets
}

export interface UpdateNote extends Omit<CreateNote, 'kind' | 'content'> {
  readonly kind: 'update'
  /** Replaces the body, or the part of `section` that `mode` selects. */
  readonly content?: string
  readonly append?: string
  readonly prepend?: string
  readonly replaceText?: TextReplacement
  readonly section?: readonly string[]
  readonly mode?: SectionMode
  /** The properties to set. `null` removes a property. */
  readonly properties?: PropertyValues
  readonly expectedHash?: string
  /** If true, `content` may replace text that the caller has not read. */
  readonly replaceAll?: boolean
  readonly updateLinks: boolean
}

export interface TextReplacement {
  /** The exact text to find, including case and white space. A line break matches either line ending. */
  readonly find: string
  readonly replace: string
  /** The required number of matches. */
  readonly count: number
  /** If set, counts only matches that start on this 1-based line. */
  readonly line?: number | undefined
}

export interface AddAttachment {
  readonly kind: 'addAttachment'
  /** The note that the attachment belongs to, or a folder or path for it. */
  readonly id: string
  readonly filename: string
  /** The content in Base64. */
  readonly content: string
  readonly mimeType?: string
  readonly title?: string
}

export interface WriteRequest {
  /** The tool and the subject, as shown in the list of changes. */
  readonly title: string
  readonly operations: readonly Operation[]
  readonly dryRun: boolean
  /** Id of the plan to execute, as returned by a dry run. */
  readonly planId?: string
}

export interface WrittenFile {
  readonly kind: 'created' | 'changed' | 'moved' | 'deleted'
  /** The paths before and after the operations. A path is omitted if the file does not exist at that point. */
  readonly from?: string
  readonly to?: string
  /** The lines whose links were rewritten. */
  readonly relinked: readonly RewrittenLine[]
}

export interface RewrittenLine {
  /** The 1-based line of the link. For a shared reference definition, the line of the first affected link. */
  readonly line: number
  /** The old text: the link, or the destination of its definition, as written. */
  readonly before: string
  readonly after: string
}

export interface WrittenText {
  /** The SHA-256 of the file's bytes, in hex. */
  readonly hash: string
  /** The changed range of the body, in UTF-16 offsets. */
  readonly changed: { readonly start: number; readonly end: number }
  /** True if the caller has written the body or has read all of it. */
  readonly isKnown: boolean
}

/** A link that a change breaks or redirects. */
export interface LinkReport {
  /** Path of the file that contains the link. */
  readonly path: string
  readonly line: number
  readonly text: string
  readonly reason: string
}

export interface WriteResult {
  /** The change's id. It is omitted for dry runs, and if nothing changed. */
  readonly changeId?: string
  /** The plan's id. Only dry runs return one. */
  readonly planId?: string
  readonly files: readonly WrittenFile[]
  /** The created or changed paths, in order of the operations. A removed path is `undefined`. */
  readonly subjects: readonly (string | undefined)[]
  /** The new text after a single operation on a note. */
  readonly text?: WrittenText | undefined
  /** The links that break or cannot be updated. */
  readonly dangling: readonly LinkReport[]
  readonly diff: string
  readonly notes: readonly string[]
}

/** The interface for previewing operations. It is available even if writing is disabled. */
export interface Planning {
  plan(operations: readonly Operation[], signal?: AbortSignal): Promise<WriteResult>
}

export interface Writing {
  /** Runs operations. @throws RouxError like the operations; nothing is written then */
  run(request: WriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /**
   * Undoes a change.
   * @throws RouxError `INVALID_PARAMS` for an unknown id, `CONFLICT` with a diff if a file has been edited since
   */
  undo(changeId: string): Promise<WriteResult>
  changes(limit: number): Promise<readonly ChangeSummary[]>
}
