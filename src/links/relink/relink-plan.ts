import type { TextEdit } from '../../core/changes.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Link } from '../../core/note.ts'
import type { FindSlots } from '../../core/text/link-slots.ts'

export interface RelinkSource {
  readonly key: number
  readonly path: string
  readonly links: readonly ResolvedLink[]
}

/** Reads the text of sources that need rewriting. */
export interface SourceTexts {
  /** Returns the text that the links' positions refer to, or `undefined` if it cannot be read or has changed. */
  read(source: RelinkSource): string | undefined
  slots(path: string, text: string): FindSlots
  /** Returns the links of the text in the same order as the index. */
  links(path: string, text: string): readonly Link[]
}

/** One replacement of text. Links that share a reference definition also share its rewrite. */
export interface Rewrite {
  /** 1-based line of the first link that needs the rewrite. */
  readonly line: number
  /** The link, or the destination of its definition, as written in the file. */
  readonly before: string
  readonly after: string
}

export interface RelinkedFile {
  readonly key: number
  /** Path before the names change. */
  readonly path: string
  /** Edits to the indexed text, in ascending order and without overlaps. */
  readonly edits: readonly TextEdit[]
  /** One rewrite per edit, in the same order. */
  readonly rewrites: readonly Rewrite[]
}

/**
 * The reason why a link will be broken. `gone`: its target is deleted. `unreadable`: the source cannot be read or differs from the
 * index. `unwritable`: this kind of link cannot refer to the file, or its position was not found. `misread`: the new target would
 * change how the surrounding text is parsed.
 */
export type LostReason = 'gone' | 'unreadable' | 'unwritable' | 'misread'

export interface LostLink {
  readonly source: RelinkSource
  readonly link: ResolvedLink
  readonly reason: LostReason
}

/** An unresolved link that will resolve to a file after the change. It is not edited. */
export interface GainedLink {
  readonly source: RelinkSource
  readonly link: ResolvedLink
  readonly to: number
}

export interface RelinkPlan {
  /** Only files with edits, in the order of the sources. */
  readonly files: readonly RelinkedFile[]
  readonly lost: readonly LostLink[]
  readonly gained: readonly GainedLink[]
}
