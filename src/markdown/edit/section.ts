import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import type { Flavour } from '../../core/note.ts'
import type { SectionMode } from '../../core/operations.ts'
import { afterBlankLines } from '../line-index.ts'
import { nextHeading, type Outline, type OutlineHeading, outlineOf, requireHeading, type SectionHints } from '../outline.ts'
import { editBlock } from './block-section.ts'
import { bodyEdits, replaceLines } from './body.ts'
import { invalid, requireText } from './given-text.ts'
import { type Joint, joined, nextLine, withoutOuterBlankLines } from './lines.ts'

export const EDITING_HINTS: SectionHints = {
  noHeadings: 'This note has no headings: edit its body with `append`, `prepend`, `replace_text` or `content`.',
  twins: 'Some have the same path: edit them with `replace_text`, or give one a block id like ^part.',
}

/**
 * Edits a section: what stands below a heading, down to the next one of the same or a higher level.
 * - `replace`: puts the content below the heading, whose line stays, in place of all that is there, sub-sections included.
 *   Blank lines below the heading and above the next one stay; the content's own outer ones are left out.
 * - `prepend`, `append`: adds it below the heading, or at the end of the section, after its sub-sections.
 * - `insert_before`, `insert_after`: adds it above the heading, or below the section's end.
 *
 * Of a `^block`, `replace` takes the place of the block with its marks and indentation and keeps its id; `prepend` and
 * `append` add lines to the block, without a blank line, and the others stand apart from it.
 * @throws RouxError `SECTION_NOT_FOUND` where none or several fit, with the outline; `EDIT_MISMATCH` for a heading in a
 * quote or a list item; `INVALID_PARAMS` where the content repeats the heading or would lose the block's id.
 */
export function editSection(text: string, { section, mode, content, flavour }: SectionEdit): readonly TextEdit[] {
  const given = requireText('content', content)
  const outline = outlineOf(text, flavour)
  const [first = ''] = section
  const block = section.length === 1 && first.startsWith('^') ? first.slice(1) : undefined
  const edit =
    block === undefined
      ? editBelow(text, outline, { section, mode, content: given, flavour })
      : editBlock(text, outline, { id: block, mode, content: given, flavour })
  return bodyEdits(text, [edit])
}

export interface SectionEdit {
  /** Headings from the outside in, or the end of such a path, as much as makes it unique; or one `^block`. */
  readonly section: readonly string[]
  readonly mode: SectionMode
  readonly content: string
  readonly flavour: Pick<Flavour, 'mode'>
}

/** The edit of what stands below a heading, by the rules of `editSection`. */
function editBelow(text: string, outline: Outline, { section, mode, content, flavour }: SectionEdit): TextEdit {
  const index = requireHeading(outline, section, EDITING_HINTS)
  const parts = partsOf(text, outline, index)
  const insert = (place: Joint): TextEdit => ({ start: place.at, end: place.at, text: joined(text, content, place) })
  switch (mode) {
    case 'insert_before':
      return insert({ at: parts.start, from: outline.bodyStart })
    case 'prepend':
      return insert({ at: parts.coreStart, from: parts.start })
    case 'append':
    case 'insert_after':
      return insert({ at: parts.coreEnd, from: parts.start })
    case 'replace':
      refuseOwnHeading(parts.heading, content, flavour)
      return replaceBelow(text, parts, content)
  }
}

interface Parts {
  readonly heading: OutlineHeading
  /** The heading's line. */
  readonly start: number
  /** After the heading, and a setext heading's underline. */
  readonly below: number
  /** The lines below without blank ones at their beginning and end; both at `below` where there are none. */
  readonly coreStart: number
  readonly coreEnd: number
  /** A setext heading follows, which would swallow a paragraph right above it. */
  readonly setextFollows: boolean
}

function partsOf(text: string, outline: Outline, index: number): Parts {
  const heading = outline.headings[index] as OutlineHeading
  if (heading.isNested) {
    throw new RouxError('EDIT_MISMATCH', `The heading on line ${heading.line} stands in a quote or a list item.`, {
      hint: 'Edit what is below it with `replace_text`.',
    })
  }
  const below = nextLine(text, heading.lineEnd)
  const next = nextHeading(outline, index)
  const core = coreOf(text, below, next?.lineStart ?? text.length)
  return { heading, start: heading.lineStart, below, ...core, setextFollows: next?.isSetext ?? false }
}

function coreOf(text: string, from: number, to: number): { readonly coreStart: number; readonly coreEnd: number } {
  const inner = text.slice(from, to)
  const lead = afterBlankLines(inner, 0)
  const end = inner.trimEnd().length
  if (lead >= end) return { coreStart: from, coreEnd: from }
  return { coreStart: from + lead, coreEnd: Math.min(to, nextLine(text, from + end)) }
}

function replaceBelow(text: string, { below, coreStart, coreEnd, setextFollows, start }: Parts, content: string): TextEdit {
  const inner = withoutOuterBlankLines(content)
  if (inner === '') return { start: below, end: coreEnd, text: '' }
  if (coreStart === coreEnd) return { start: below, end: below, text: joined(text, inner, { at: below, from: start }) }
  const ended = text[coreEnd - 1] === '\n' ? `${inner}\n` : inner
  const tight = setextFollows && text.slice(coreEnd, nextLine(text, coreEnd)).trim() !== ''
  return replaceLines(text, [coreStart, coreEnd], tight ? `${ended}\n` : ended)
}

/** The heading's line stays, so that content which repeats it would double it. */
function refuseOwnHeading({ level, text, line }: OutlineHeading, content: string, flavour: SectionEdit['flavour']): void {
  const first = outlineOf(withoutOuterBlankLines(content).slice(0, 1000), flavour).headings[0]
  if (first?.line !== 1 || first.level !== level || first.text !== text) return
  throw invalid('content', `it repeats the section's heading, which stays on line ${line}.`, 'Leave the heading out.')
}
