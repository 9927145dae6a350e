import { RouxError } from '../core/errors.ts'
import type { Flavour, Mode, Note } from '../core/note.ts'
import { parseNote } from '../markdown/parse-note.ts'
import { findBlock, findSection } from '../markdown/sections.ts'
import type { Span } from './truncate.ts'

/**
 * Where a section stands in a note's text: headings from the outside in, or one `^block`.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline when nothing fits or several headings do.
 */
export function requireSection(text: string, section: readonly string[], mode: string | undefined): Span {
  const note = parseNote(text, flavourOf(mode))
  const [first = ''] = section
  if (section.length === 1 && first.startsWith('^')) return requireBlock(text, note, first.slice(1))
  const found = findSection(text, note, section)
  if (typeof found !== 'string') return found
  const path = section.map((heading) => JSON.stringify(heading)).join(' > ')
  const message = found === 'missing' ? `There is no section ${path}.` : `Several sections are called ${path}.`
  throw new RouxError('SECTION_NOT_FOUND', message, {
    hint: 'Name the headings from the outside in, exactly as the candidates show them.',
    candidates: note.headings,
  })
}

function requireBlock(text: string, note: Note, id: string): Span {
  const found = findBlock(text, note, id)
  if (found !== 'missing') return found
  throw new RouxError('SECTION_NOT_FOUND', `There is no block "^${id}".`, {
    hint: 'The candidates are the blocks of this note.',
    candidates: note.blocks.map((block) => `^${block}`),
  })
}

/** Sections are found alike in every profile. */
function flavourOf(mode: string | undefined): Flavour {
  return { profile: 'lenient', mode: (mode ?? 'obsidian') as Mode, comments: true }
}
