import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { afterBlankLines } from '../blank-lines.ts'
import { inContainer, nextHeading } from '../sections.ts'
import { replaceLines } from './body.ts'
import { invalid } from './given-text.ts'
import { type Joint, joined } from './joints.ts'
import { nextLine, withoutOuterBlankLines } from './line-endings.ts'
import { type Outline, type OutlineHeading, outlineOf } from './outline.ts'
import { requireHeading } from './require-heading.ts'
import type { SectionEdit } from './section-edit.ts'

/** The edit of what stands below a heading, by the rules of `editSection`. */
export function editBelow(text: string, outline: Outline, { section, mode, content }: SectionEdit): TextEdit {
  const index = requireHeading(outline, section)
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

function partsOf(text: string, { headings, lines }: Outline, index: number): Parts {
  const heading = headings[index] as OutlineHeading
  const start = lines.startOf(heading.line)
  if (inContainer(text, start)) {
    throw new RouxError('EDIT_MISMATCH', `The heading on line ${heading.line} stands in a quote or a list item.`, {
      hint: 'Edit what is below it with `replace_text`.',
    })
  }
  const below = nextLine(text, isSetext(text, start, heading) ? nextLine(text, heading.end) : heading.end)
  const next = nextHeading(text, headings, { index, lines })
  const end = next ? lines.startOf(next.line) : text.length
  return { heading, start, below, ...coreOf(text, below, end), setextFollows: !!next && isSetext(text, end, next) }
}

function isSetext(text: string, lineStart: number, heading: OutlineHeading): boolean {
  return !text.slice(lineStart, heading.start).includes('#')
}

function coreOf(text: string, from: number, to: number): { readonly coreStart: number; readonly coreEnd: number } {
  const inner = text.slice(from, to)
  const lead = afterBlankLines(inner, 0)
  const end = inner.trimEnd().length
  if (lead >= end) return { coreStart: from, coreEnd: from }
  return { coreStart: from + lead, coreEnd: Math.min(to, nextLine(text, from + end)) }
}

function replaceBelow(
  text: string,
  { heading, below, coreStart, coreEnd, setextFollows, start }: Parts,
  content: string,
): TextEdit {
  const inner = withoutOuterBlankLines(content)
  refuseOwnHeading(heading, inner)
  if (inner === '') return { start: below, end: coreEnd, text: '' }
  if (coreStart === coreEnd) return { start: below, end: below, text: joined(text, inner, { at: below, from: start }) }
  const ended = text[coreEnd - 1] === '\n' ? `${inner}\n` : inner
  const tight = setextFollows && text.slice(coreEnd, nextLine(text, coreEnd)).trim() !== ''
  return replaceLines(text, [coreStart, coreEnd], tight ? `${ended}\n` : ended)
}

/** The heading's line stays, so that content which repeats it would double it. */
function refuseOwnHeading({ level, text, line }: OutlineHeading, content: string): void {
  const first = outlineOf(content.slice(0, 1000)).headings[0]
  if (first?.line !== 1 || first.level !== level || first.text !== text) return
  throw invalid('content', `it repeats the section's heading, which stays on line ${line}.`, 'Leave the heading out.')
}
