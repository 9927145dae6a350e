import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import type { Flavor } from '../../core/note.ts'
import type { SectionMode } from '../../core/operations.ts'
import { editText } from '../../core/text/edit-text.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import { titleOf } from '../frontmatter/properties.ts'
import { afterBlankLines } from '../line-index.ts'
import { nextHeading, type Outline, type OutlineHeading, outlineOf, requireHeading, type SectionHints } from '../outline.ts'
import { editBlock } from './block-section.ts'
import { bodyEdits, replaceLines } from './body.ts'
import { invalid, requireLine, requireText } from './given-text.ts'
import { type Insertion, insertedText, nextLine, withoutOuterBlankLines } from './lines.ts'
import { pageLines, setNoteProperties } from './page-properties.ts'

const EDITING_HINTS: SectionHints = {
  noHeadings: 'This note has no headings: edit its body with `append`, `prepend`, `replace_text` or `content`.',
  twins: 'Some headings have the same path: edit them with `replace_text`, or give one a block id such as ^part.',
}

/**
 * Edits a heading's section, including its subsections, or the block with an id. `prepend` and `append` add content inside a
 * section, `insert_before` and `insert_after` outside it. `replace` keeps the heading or the block's id.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline unless exactly one section matches; `EDIT_MISMATCH` for a heading in a
 * quote or list item; `INVALID_PARAMS` if the content repeats the heading or would remove the block's id
 */
export function editSection(text: string, { section, mode, content, flavor }: SectionEdit): readonly TextEdit[] {
  const newContent = requireText('content', content)
  const outline = outlineOf(text, flavor)
  const [first = ''] = section
  const block = section.length === 1 && first.startsWith('^') ? first.slice(1) : undefined
  const edit =
    block === undefined
      ? editBelow(text, outline, { section, mode, content: newContent, flavor })
      : editBlock(text, outline, { id: block, mode, content: newContent, flavor })
  return bodyEdits(text, [edit])
}

export interface SectionEdit {
  /** A path of headings, outermost first, or a single `^block`. Outer headings may be omitted if the rest is unique. */
  readonly section: readonly string[]
  readonly mode: SectionMode
  readonly content: string
  readonly flavor: Pick<Flavor, 'mode'>
}

function editBelow(text: string, outline: Outline, { section, mode, content, flavor }: SectionEdit): TextEdit {
  const index = requireHeading(outline, section, EDITING_HINTS)
  const parts = partsOf(text, outline, index)
  const insert = (place: Insertion): TextEdit => ({ start: place.at, end: place.at, text: insertedText(text, content, place) })
  switch (mode) {
    case 'insert_before':
      return insert({ at: parts.start, from: outline.bodyStart })
    case 'prepend':
      return insert({ at: parts.coreStart, from: parts.start })
    case 'append':
    case 'insert_after':
      return insert({ at: parts.coreEnd, from: parts.start })
    case 'replace':
      refuseOwnHeading(parts.heading, content, flavor)
      return replaceBelow(text, parts, content)
  }
}

interface Parts {
  readonly heading: OutlineHeading
  readonly start: number
  readonly below: number
  readonly coreStart: number
  readonly coreEnd: number
  /** True if a setext heading follows, which would absorb a paragraph directly above it. */
  readonly setextFollows: boolean
}

function partsOf(text: string, outline: Outline, index: number): Parts {
  const heading = outline.headings[index] as OutlineHeading
  if (heading.isNested) {
    throw new RouxError('EDIT_MISMATCH', `The heading on line ${heading.line} is inside a quote or a list item.`, {
      hint: 'Edit the text below it with `replace_text`.',
    })
  }
  const below = nextLine(text, heading.lineEnd)
  const next = nextHeading(outline, index)
  const core = coreOf(text, below, next?.lineStart ?? text.length)
  return { heading, start: heading.lineStart, below, ...core, setextFollows: next?.isSetext ?? false }
}

function coreOf(text: string, from: number, to: number): { readonly coreStart: number; readonly coreEnd: number } {
  const inner = text.slice(from, to)
  const contentStart = afterBlankLines(inner, 0)
  const end = inner.trimEnd().length
  if (contentStart >= end) return { coreStart: from, coreEnd: from }
  return { coreStart: from + contentStart, coreEnd: Math.min(to, nextLine(text, from + end)) }
}

function replaceBelow(text: string, { below, coreStart, coreEnd, setextFollows, start }: Parts, content: string): TextEdit {
  const inner = withoutOuterBlankLines(content)
  if (inner === '') return { start: below, end: coreEnd, text: '' }
  if (coreStart === coreEnd) return { start: below, end: below, text: insertedText(text, inner, { at: below, from: start }) }
  const withBreak = text[coreEnd - 1] === '\n' ? `${inner}\n` : inner
  const tight = setextFollows && text.slice(coreEnd, nextLine(text, coreEnd)).trim() !== ''
  return replaceLines(text, [coreStart, coreEnd], tight ? `${withBreak}\n` : withBreak)
}

/** Rejects content that repeats the section's own heading, which is kept. */
function refuseOwnHeading({ level, text, line }: OutlineHeading, content: string, flavor: SectionEdit['flavor']): void {
  const first = outlineOf(withoutOuterBlankLines(content).slice(0, 1000), flavor).headings[0]
  if (first?.line !== 1 || first.level !== level || first.text !== text) return
  throw invalid('content', `it repeats the section's heading, which is kept on line ${line}.`, 'Omit the heading.')
}

const TITLE_KEY = /^title$/i

const BLOCK_ID = /\s\^[\w-]+$/

export interface HeadingRename {
  /** A path of headings, outermost first. The outer ones may be omitted. */
  readonly path: readonly string[]
  readonly to: string
  readonly flavor: Pick<Flavor, 'mode'>
}

/**
 * Renames a heading. Its level, closing `#`s, underline and block id stay.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline; `INVALID_PARAMS` if `to` cannot be this heading's text
 */
export function renameHeading(text: string, { path, to, flavor }: HeadingRename): readonly TextEdit[] {
  const outline = outlineOf(text, flavor)
  return renameAt(text, outline.headings, { index: requireHeading(outline, path, EDITING_HINTS), to, flavor })
}

/** Renames the level-1 heading, which is the title of documentation pages without `title:`. */
export function renameH1(text: string, to: string, flavor: HeadingRename['flavor']): readonly TextEdit[] {
  const { headings } = outlineOf(text, flavor)
  const index = headings.findIndex(({ level, text: name }) => level === 1 && name !== '')
  return index === -1 ? [] : renameAt(text, headings, { index, to, flavor })
}

function renameAt(
  text: string,
  headings: readonly OutlineHeading[],
  { index, to, flavor }: Omit<HeadingRename, 'path'> & { readonly index: number },
): readonly TextEdit[] {
  const name = requireLine('to', to)
  const { start, end } = headings[index] as OutlineHeading
  const id = BLOCK_ID.exec(text.slice(start, end))?.[0] ?? ''
  const glued = text[start - 1] === '#' ? ' ' : ''
  const edits = bodyEdits(text, [{ start, end: end - id.length, text: glued + name }])
  const after = outlineOf(editText(text, edits), flavor).headings
  const newHeadings = headings.map(({ text: each }, i) => (i === index ? name + id : each))
  if (isSame(headings, after) && newHeadings.every((each, i) => each === after[i]?.text)) return edits
  throw invalid('to', `${JSON.stringify(name)} would not be read as this heading's text.`, 'Remove any # at the start or end.')
}

function isSame(before: readonly OutlineHeading[], after: readonly OutlineHeading[]): boolean {
  return before.length === after.length && before.every(({ level }, i) => level === after[i]?.level)
}

/**
 * Sets the `title` property or, in documentation folders, the first level-1 heading. A text with neither stays unchanged.
 * @throws RouxError `INVALID_PARAMS` if the title is blank, has several lines or cannot be written as a heading
 */
export function setTitle(text: string, title: string, flavor: Pick<Flavor, 'mode'>): readonly TextEdit[] {
  const newTitle = requireLine('title', title)
  const page = pageLines(text, flavor.mode).map(({ key, value }) => [key, value] as const)
  const properties: Readonly<Record<string, unknown>> = { ...readFrontmatter(text).properties, ...Object.fromEntries(page) }
  const keys = Object.keys(properties).filter((each) => TITLE_KEY.test(each))
  const key = keys.find((each) => titleOf({ title: properties[each] }) !== undefined) ?? keys[0]
  if (flavor.mode === 'docs' && titleOf(properties) === undefined) return renameH1(text, newTitle, flavor)
  return key === undefined ? [] : setNoteProperties(text, { [key]: newTitle }, flavor.mode)
}
