import { RouxError } from '../../core/errors.ts'
import type { Mode, Note } from '../../core/note.ts'
import { parseNote } from '../../markdown/parse-note.ts'
import { findBlock, findSection } from '../../markdown/sections.ts'
import { quoted, type Span } from '../answer/truncate.ts'

/**
 * Where a section stands in a note's text: headings from the outside in, or one `^block`.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline when nothing fits or several headings do.
 */
export function requireSection(text: string, section: readonly string[], mode: string | undefined): Span {
  const note = parseText(text, mode)
  const [first = ''] = section
  if (section.length === 1 && first.startsWith('^')) return requireBlock(text, note, first.slice(1))
  const found = findSection(text, note, section)
  if (typeof found !== 'string') return found
  const path = quoted(section.join(' > '))
  const message = found === 'missing' ? `There is no section ${path}.` : `Several sections are called ${path}.`
  throw new RouxError('SECTION_NOT_FOUND', message, {
    hint:
      note.headings.length > 0
        ? 'Name the headings from the outside in, as the candidates show them.'
        : 'This note has no headings: read all of it.',
    candidates: note.headings,
  })
}

function requireBlock(text: string, note: Note, id: string): Span {
  const found = findBlock(text, note, id)
  if (found !== 'missing') return found
  throw new RouxError('SECTION_NOT_FOUND', `There is no block ${quoted(`^${id}`)}.`, {
    hint: note.blocks.length > 0 ? 'The candidates are the blocks of this note.' : 'This note has no blocks.',
    candidates: note.blocks.map((block) => `^${block}`),
  })
}

/** Reads a text for its headings and blocks, which are found alike in every profile. */
function parseText(text: string, mode: string | undefined): Note {
  return parseNote(text, { profile: 'lenient', mode: (mode ?? 'obsidian') as Mode, comments: true })
}
