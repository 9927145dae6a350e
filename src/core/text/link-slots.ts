import type { TextEdit } from '../changes.ts'
import type { Link } from '../note.ts'

export interface TextRange {
  readonly start: number
  readonly end: number
}

export interface TextSlot extends TextRange {
  /** Returns `value` in the style of the current text, or `undefined` if that is impossible. */
  write(value: string): string | undefined
}

/** The slots that specify a link's target. Links that share a reference definition share its slots. */
export interface LinkSlots {
  /** Target without the subpath, as in `Link`. */
  readonly target: TextSlot
  /** Subpath without its first `#`, if the link has one. */
  readonly subpath?: TextSlot
  /** Content of a wikilink without display text. Writing a new target here adds the old one as display text. */
  readonly shownTarget?: TextSlot
  /** The YAML value that contains the link, if it is unquoted. */
  readonly unquoted?: UnquotedValue
  /** Range to show to the user: the link, or the destination of its definition. */
  readonly shown: TextRange
}

/** An unquoted YAML value. Some names would change its meaning: `[[a, b]]` is a list of two items. */
export interface UnquotedValue extends TextRange {
  /** Returns the whole value in quotes if the edits make quoting necessary, otherwise `undefined`. */
  quotedWith(edits: readonly TextEdit[]): string | undefined
}

export interface PlacedLink extends TextRange, Pick<Link, 'form' | 'kind' | 'target'> {
  readonly subpath?: string | undefined
}

/** Finds the slots of a link in a file's text. Returns `undefined` if the text at that position does not match the link. */
export type FindSlots = (link: PlacedLink) => LinkSlots | undefined
