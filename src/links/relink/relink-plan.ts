import type { TextEdit } from '../../core/changes.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Link } from '../../core/note.ts'
import type { FindSlots } from '../../core/text/link-slots.ts'

/** A file that links, as the index has it. */
export interface RelinkSource {
  readonly key: number
  readonly path: string
  readonly links: readonly ResolvedLink[]
}

/** Reads the texts of sources; asked only for those with a link that must be rewritten. */
export interface SourceTexts {
  /** The text in which the source's links have their places; `undefined`: it cannot be read, or is not the text that was indexed. */
  read(source: RelinkSource): string | undefined
  slots(path: string, text: string): FindSlots
  /** The links of a text, in the order in which the index has them. */
  links(path: string, text: string): readonly Link[]
}

/** One place that is written again; several links share it when they use one definition. */
export interface Rewrite {
  /** 1-based, of the first link that needs it. */
  readonly line: number
  /** The link, or the destination of its definition, as written in the file. */
  readonly before: string
  readonly after: string
}

/** What is written again in one file. */
export interface RelinkedFile {
  readonly key: number
  /** Before the change of names. */
  readonly path: string
  /** Ascending, not overlapping; over the text that was indexed. */
  readonly edits: readonly TextEdit[]
  /** One for each edit, in order. */
  readonly rewrites: readonly Rewrite[]
}

/**
 * Why a link cannot be kept. `gone`: its file is deleted. `unreadable`: the file's text does not say what the index says.
 * `unwritable`: this kind of link cannot name the file, or its place cannot be found. `misread`: with the new target in it, the
 * text around it would be read as something else.
 */
export type LostReason = 'gone' | 'unreadable' | 'unwritable' | 'misread'

/** A link that will not lead to its file any more. */
export interface LostLink {
  readonly source: RelinkSource
  readonly link: ResolvedLink
  readonly reason: LostReason
}

/** A link that leads nowhere now and will lead to a file; it is left as it is. */
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
