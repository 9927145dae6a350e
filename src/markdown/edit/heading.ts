import type { TextEdit } from '../../core/changes.ts'
import type { Flavour } from '../../core/note.ts'
import { editText } from '../../core/text/edit-text.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import { titleOf } from '../frontmatter/properties.ts'
import { type OutlineHeading, outlineOf, requireHeading } from '../outline.ts'
import { bodyEdits } from './body.ts'
import { invalid, requireLine } from './given-text.ts'
import { EDITING_HINTS } from './section.ts'
import { setProperties } from './set-properties.ts'

const TITLE_KEY = /^title$/i

/** A block id at the end of a heading, including the white space before it. */
const BLOCK_ID = /\s\^[\w-]+$/

export interface HeadingRename {
  /** Headings from the outermost to the innermost, or only the last part of such a path. */
  readonly path: readonly string[]
  readonly to: string
  readonly flavour: Pick<Flavour, 'mode'>
}

/**
 * Renames the heading at `path`. Keeps its level, closing `#`s, underline and block id.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline; `INVALID_PARAMS` if `to` would not be read as this heading's text
 */
export function renameHeading(text: string, { path, to, flavour }: HeadingRename): readonly TextEdit[] {
  const outline = outlineOf(text, flavour)
  return renameAt(text, outline.headings, { index: requireHeading(outline, path, EDITING_HINTS), to, flavour })
}

/**
 * Renames the first level-1 heading, which is the title of a documentation page without `title:`. Does nothing if there is no such
 * heading.
 */
export function renameH1(text: string, to: string, flavour: HeadingRename['flavour']): readonly TextEdit[] {
  const { headings } = outlineOf(text, flavour)
  const index = headings.findIndex(({ level, text: name }) => level === 1 && name !== '')
  return index === -1 ? [] : renameAt(text, headings, { index, to, flavour })
}

function renameAt(
  text: string,
  headings: readonly OutlineHeading[],
  { index, to, flavour }: Omit<HeadingRename, 'path'> & { readonly index: number },
): readonly TextEdit[] {
  const name = requireLine('to', to)
  const { start, end } = headings[index] as OutlineHeading
  const id = BLOCK_ID.exec(text.slice(start, end))?.[0] ?? ''
  const glued = text[start - 1] === '#' ? ' ' : ''
  const edits = bodyEdits(text, [{ start, end: end - id.length, text: glued + name }])
  const after = outlineOf(editText(text, edits), flavour).headings
  const newHeadings = headings.map(({ text: each }, i) => (i === index ? name + id : each))
  if (isSame(headings, after) && newHeadings.every((each, i) => each === after[i]?.text)) return edits
  throw invalid('to', `${JSON.stringify(name)} would not be read as this heading's text.`, 'Remove any # at the start or end.')
}

function isSame(before: readonly OutlineHeading[], after: readonly OutlineHeading[]): boolean {
  return before.length === after.length && before.every(({ level }, i) => level === after[i]?.level)
}

/**
 * Sets the title where the text has one: in the property `title` (in any spelling) or, in a documentation folder, the first level-1
 * heading. Otherwise, the file name is the title and nothing is edited. Malformed frontmatter has no title.
 * @throws RouxError `INVALID_PARAMS` if the title is blank, has several lines or would not be read as that heading's text
 */
export function setTitle(text: string, title: string, flavour: Pick<Flavour, 'mode'>): readonly TextEdit[] {
  const newTitle = requireLine('title', title)
  const { properties } = readFrontmatter(text)
  const keys = Object.keys(properties).filter((each) => TITLE_KEY.test(each))
  const key = keys.find((each) => titleOf({ title: properties[each] }) !== undefined) ?? keys[0]
  if (flavour.mode === 'docs' && titleOf(properties) === undefined) return renameH1(text, newTitle, flavour)
  return key === undefined ? [] : setProperties(text, { [key]: newTitle })
}
