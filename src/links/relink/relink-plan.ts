import type { TextEdit } from '../../core/changes.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Link } from '../../core/note.ts'
import type { RewrittenLine } from '../../core/operations.ts'
import type { FindSlots } from '../../core/text/link-slots.ts'

export interface RelinkSource {
  readonly key: number
  readonly path: string
  readonly links: readonly ResolvedLink[]
}

export interface SourceTexts {
  /** Returns `undefined` if the file is unreadable or has changed since it was indexed. */
  read(source: RelinkSource): string | undefined
  slots(path: string, text: string): FindSlots
  links(path: string, text: string): readonly Link[]
}

export interface RelinkedFile {
  readonly key: number
  readonly path: string
  readonly edits: readonly TextEdit[]
  /** The rewritten links. Links that share a reference definition share one entry. */
  readonly rewrites: readonly RewrittenLine[]
}

/**
 * The reason why a link is lost. `gone`: the target is deleted. `unreadable`: the source cannot be read or has changed.
 * `unwritable`: this kind of link cannot refer to the file. `misread`: the edit would change how the text is parsed.
 */
export type LostReason = 'gone' | 'unreadable' | 'unwritable' | 'misread'

export interface LostLink {
  readonly source: RelinkSource
  readonly link: ResolvedLink
  readonly reason: LostReason
}

/** An unresolved link that will resolve after the change. It is not edited. */
export interface GainedLink {
  readonly source: RelinkSource
  readonly link: ResolvedLink
  readonly to: number
}

export interface RelinkPlan {
  /** The files with edits, in source order. */
  readonly files: readonly RelinkedFile[]
  readonly lost: readonly LostLink[]
  readonly gained: readonly GainedLink[]
}
