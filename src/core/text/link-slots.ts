import type { TextEdit } from '../changes.ts'
import type { Link } from '../note.ts'

/** A stretch of a file's text, in UTF-16 offsets. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A stretch of a file that says one thing and can be made to say another. */
export interface TextSlot extends TextRange {
  /** The text that says `value` in the style of the current text; `undefined` if that is impossible. */
  write(value: string): string | undefined
}

/** Where a link says what it leads to. Several links share them when they use one reference definition. */
export interface LinkSlots {
  /** The target without subpath, as in `Link`. */
  readonly target: TextSlot
  /** The subpath without its first `#`; absent where the link has none. */
  readonly subpath?: TextSlot
  /** The YAML value around the link, where it is written without quotes. */
  readonly unquoted?: UnquotedValue
  /** The range shown to a person: the link, or the destination of its definition. */
  readonly shown: TextRange
}

/** A YAML value without quotes. Some names change what it means: `[[a, b]]` is a list of two. */
export interface UnquotedValue extends TextRange {
  /** The whole value in quotes, where it needs them once these edits within it are made; `undefined` where it does not. */
  quotedWith(edits: readonly TextEdit[]): string | undefined
}

/** The facts that identify a link and its place. */
export interface PlacedLink extends TextRange, Pick<Link, 'form' | 'kind' | 'target'> {
  readonly subpath?: string | undefined
}

/** Finds the slots of the links of one text; `undefined` where the text does not say what the link says. */
export type FindSlots = (link: PlacedLink) => LinkSlots | undefined
