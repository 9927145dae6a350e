import type { TextEdit } from '../../core/changes.ts'
import { outlineOf } from '../outline.ts'
import { editBlock } from './block-section.ts'
import { bodyEdits } from './body.ts'
import { requireText } from './given-text.ts'
import { editBelow } from './heading-section.ts'
import type { SectionEdit } from './section-edit.ts'

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
