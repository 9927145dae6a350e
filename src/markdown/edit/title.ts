import type { TextEdit } from '../../core/changes.ts'
import type { Flavour } from '../../core/note.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import { titleOf } from '../frontmatter/properties.ts'
import { LineIndex } from '../line-index.ts'
import { requireLine } from './given-text.ts'
import { renameH1 } from './heading.ts'
import { READING } from './reading.ts'
import { setProperties } from './set-properties.ts'

const TITLE_KEY = /^title$/i

/**
 * Sets the title where the text itself has one: the property `title` that is there, in any spelling; in a docs folder,
 * without one, the first level-1 heading. Elsewhere the title is the file's name, and nothing is edited; nor is malformed
 * frontmatter, which gives no title.
 * @throws RouxError `INVALID_PARAMS` where the title is blank, not on one line or cannot be that heading's text.
 */
export function setTitle(text: string, title: string, flavour: Pick<Flavour, 'mode'>): readonly TextEdit[] {
  const wanted = requireLine('title', title)
  const { properties } = readFrontmatter(text, READING, new LineIndex())
  const keys = Object.keys(properties).filter((each) => TITLE_KEY.test(each))
  const key = keys.find((each) => titleOf({ title: properties[each] }) !== undefined) ?? keys[0]
  if (flavour.mode === 'docs' && titleOf(properties) === undefined) return renameH1(text, wanted, flavour)
  return key === undefined ? [] : setProperties(text, { [key]: wanted })
}
