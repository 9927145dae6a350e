import type { ChangeSummary } from './changes.ts'

/** Values of properties: what YAML and JSON have in common. */
export type PropertyValues = Readonly<Record<string, unknown>>

/** For each property the titles, aliases or ids of the notes that it links to. */
export type RelationTargets = Readonly<Record<string, string | readonly string[]>>

/** What happens to a section's content. */
export type SectionMode = 'replace' | 'append' | 'prepend' | 'insert_before' | 'insert_after'

/** A request to a writing tool. Ids are as the caller wrote them. */
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
  /** Replaces the body, or with `section` the part that `mode` selects. */
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
  /** `content` also replaces text that the caller has not read. */
  readonly replaceAll?: boolean
  readonly updateLinks: boolean
}

export interface TextReplacement {
  readonly find: string
  readonly replace: string
  /** How many matches there must be. */
  readonly count: number
  /** Only matches that begin on this line of the file count, from 1. */
  readonly line?: number | undefined
}

export interface AddAttachment {
  readonly kind: 'addAttachment'
  /** The note that it belongs to, or the folder or path that it is put at. */
  readonly id: string
  readonly filename: string
  /** Base64. */
  readonly content: string
  readonly mimeType?: string
  readonly title?: string
}

/** Operations to run, all or none. */
export interface WriteRequest {
  /** For the list of changes: the tool's name and what it was about. */
  readonly title: string
  readonly operations: readonly Operation[]
  /** Only report what would be done. */
  readonly dryRun: boolean
  /** The answer of a dry run that this is the execution of. */
  readonly planId?: string
}

/** The outcome for one file. */
export interface WrittenFile {
  readonly kind: 'created' | 'changed' | 'moved' | 'deleted'
  /** Exact paths before and after; absent where the file does not exist. */
  readonly from?: string
  readonly to?: string
  /** Lines that were rewritten to keep links alive. */
  readonly relinked: readonly { readonly line: number; readonly before: string; readonly after: string }[]
}

/** The text of a note as one operation left it. */
export interface WrittenText {
  /** SHA-256 of the file's bytes, hex. */
  readonly hash: string
  /** The changed range of the body, in UTF-16 offsets. */
  readonly changed: { readonly start: number; readonly end: number }
  /** True if the caller knows the whole body: it wrote it, or had read it to the end before changing a part. */
  readonly isKnown: boolean
}

/** A link that leads nowhere, or elsewhere, because of a change. */
export interface LinkReport {
  /** Path of the file that holds the link. */
  readonly path: string
  readonly line: number
  readonly text: string
  readonly reason: string
}

export interface WriteResult {
  /** Absent for a dry run and for a request that changed nothing. */
  readonly changeId?: string
  /** Only for a dry run. */
  readonly planId?: string
  readonly files: readonly WrittenFile[]
  /** The paths that the operations created or changed, in order; absent if removed. */
  readonly subjects: readonly (string | undefined)[]
  /** For a single operation on a note: its new text. */
  readonly text?: WrittenText | undefined
  /** Links that will dangle, or cannot be kept. */
  readonly dangling: readonly LinkReport[]
  /** Unified difference over all files. */
  readonly diff: string
  /** Sentences for the caller. */
  readonly notes: readonly string[]
}

/** Tells what operations would do, whether or not anything may be written. */
export interface Planning {
  /** @throws RouxError as the operations do */
  plan(operations: readonly Operation[], signal?: AbortSignal): Promise<WriteResult>
}

/** Writes into the vault, as `app/` sees it; absent where nothing may be written. */
export interface Writing {
  /** @throws RouxError as the operations do; nothing is written then. */
  run(request: WriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /** Takes a change back. @throws RouxError `INVALID_PARAMS` for an id that no change has, `CONFLICT` with the difference when a file was edited since. */
  undo(changeId: string): Promise<WriteResult>
  /** Newest first. */
  changes(limit: number): Promise<readonly ChangeSummary[]>
}
