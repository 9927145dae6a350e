import type { ChangeSummary } from './changes.ts'

export type PropertyValues = Readonly<Record<string, unknown>>

/** For each property, the titles, aliases or ids of the notes it links to. */
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

export interface UpdateNote {
  readonly kind: 'update'
  readonly id: string
  readonly title?: string
  /** Replaces the body or, if `section` is given, the part selected by `mode`. */
  readonly content?: string
  readonly append?: string
  readonly prepend?: string
  readonly replaceText?: TextReplacement
  readonly section?: readonly string[]
  readonly mode?: SectionMode
  readonly tags?: readonly string[]
  /** `null` removes a property. */
  readonly properties?: PropertyValues
  readonly relations?: RelationTargets
  readonly expectedHash?: string
  /** Allows `content` to replace text that the caller has not read. */
  readonly replaceAll?: boolean
  readonly updateLinks: boolean
}

export interface TextReplacement {
  readonly find: string
  readonly replace: string
  /** Required number of matches. */
  readonly count: number
  /** If set, counts only matches that start on this 1-based line of the file. */
  readonly line?: number | undefined
}

export interface AddAttachment {
  readonly kind: 'addAttachment'
  /** The note that the attachment belongs to, or the folder or path at which to store it. */
  readonly id: string
  readonly filename: string
  /** Base64. */
  readonly content: string
  readonly mimeType?: string
  readonly title?: string
}

export interface WriteRequest {
  /** The tool's name and its subject, for the list of changes. */
  readonly title: string
  readonly operations: readonly Operation[]
  readonly dryRun: boolean
  /** Id of the plan that this request executes, as returned by a dry run. */
  readonly planId?: string
}

export interface WrittenFile {
  readonly kind: 'created' | 'changed' | 'moved' | 'deleted'
  /** Exact path before (`from`) or after (`to`) the operations. Omitted if the file does not exist at that point. */
  readonly from?: string
  readonly to?: string
  /** Lines rewritten to keep links working. */
  readonly relinked: readonly RewrittenLine[]
}

export interface RewrittenLine {
  /** 1-based. If links share a reference definition, the line of the first link that needs the change. */
  readonly line: number
  readonly before: string
  readonly after: string
}

export interface WrittenText {
  /** Hex SHA-256 of the file's bytes. */
  readonly hash: string
  /** The changed range of the body, in UTF-16 offsets. */
  readonly changed: { readonly start: number; readonly end: number }
  /** True if the caller knows the whole body, because it wrote it or had read all of it before changing a part. */
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
  /** Omitted for dry runs and for requests that changed nothing. */
  readonly changeId?: string
  /** Set only for dry runs. */
  readonly planId?: string
  readonly files: readonly WrittenFile[]
  /** Paths that the operations created or changed, in order. Removed paths are `undefined`. */
  readonly subjects: readonly (string | undefined)[]
  /** The note's new text, for a single operation on a note. */
  readonly text?: WrittenText | undefined
  /** Links that will be broken or cannot be updated. */
  readonly dangling: readonly LinkReport[]
  readonly diff: string
  readonly notes: readonly string[]
}

/** Previews operations, even if writing is disabled. */
export interface Planning {
  plan(operations: readonly Operation[], signal?: AbortSignal): Promise<WriteResult>
}

/** Write access to the vault, as seen by `app/`. Omitted if writing is disabled. */
export interface Writing {
  /** @throws RouxError for the same reasons as the operations; nothing is written in that case */
  run(request: WriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /**
   * Undoes a change. @throws RouxError `INVALID_PARAMS` for an unknown id, `CONFLICT` with a diff if a file has since been edited
   */
  undo(changeId: string): Promise<WriteResult>
  changes(limit: number): Promise<readonly ChangeSummary[]>
}
