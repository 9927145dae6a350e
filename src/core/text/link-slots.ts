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

/** The editable parts of a link. Links that share a reference definition share its slots. */
export interface LinkSlots {
  /** The target without its subpath, as in `Link`. */
  readonly target: TextSlot
  /** The subpath without its first `#`. */
  readonly subpath?: TextSlot
  /** The target of a wikilink without display text. Writing a new target here adds the old one as display text. */
  readonly shownTarget?: TextSlot
  /** The unquoted YAML value that contains the link, if any. */
  readonly unquoted?: UnquotedValue
  /** The range to show to the user: the link, or the destination of its definition. */
  readonly shown: TextRange
}

export interface UnquotedValue extends TextRange {
  /** Returns the quoted value if the edits make quoting necessary, for example `[[a, b]]`, which is a list of two items. */
  quotedWith(edits: readonly TextEdit[]): string | undefined
}

export interface PlacedLink extends TextRange, Pick<Link, 'form' | 'kind' | 'target'> {
  readonly subpath?: string | undefined
}

/** Returns the editable parts of a link, or `undefined` if the text at that position does not match the link. */
export type FindSlots = (link: PlacedLink) => LinkSlots | undefined
