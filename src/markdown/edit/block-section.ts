import type { TextEdit } from '../../core/changes.ts'
import type { Flavour } from '../../core/note.ts'
import type { SectionMode } from '../../core/operations.ts'
import { editText } from '../../core/text/edit-text.ts'
import { blockError, findBlock, type Outline, outlineOf, requireBlock, type Section } from '../outline.ts'
import { invalid } from './given-text.ts'
import { endOfLine, insertedText, lineEndingOf, nextLine, withLineEnding, withoutOuterBlankLines } from './lines.ts'

export interface BlockEdit {
  /** Block id without `^`. */
  readonly id: string
  readonly mode: SectionMode
  readonly content: string
  readonly flavour: Pick<Flavour, 'mode'>
}

/** Edits a block by the rules of `editSection`. The block must keep its id. */
export function editBlock(text: string, outline: Outline, { id, mode, content, flavour }: BlockEdit): TextEdit {
  const block = requireOneBlock(text, outline, id)
  const mark = markIn(text, block, id)
  const edits =
    mode === 'replace' ? replacements(text, { block, mark, content }) : insertions(text, outline, { block, mark, mode, content })
  const kept = edits.find((edit) => keepsBlock(text, edit, { block, id, mode, flavour }))
  if (kept) return kept
  throw invalid(
    'content',
    `with it, ^${id} would no longer name its block.`,
    `Write ^${id} into the content, at the end of the block that it names.`,
  )
}

function requireOneBlock(text: string, outline: Outline, id: string): Section {
  const same = outline.blocks.filter((block) => block.toLowerCase() === id.toLowerCase())
  if (same.length > 1) throw blockError(`Several blocks are called ^${id}.`, outline)
  return requireBlock(text, outline, id)
}

interface Mark {
  /** The start of the whitespace before the marker. */
  readonly start: number
  readonly text: string
}

/** Returns the marker ` ^id` inside the block, or `undefined` if it is on a separate line below. */
function markIn(text: string, { start, end }: Section, id: string): Mark | undefined {
  const found = new RegExp(`\\s\\^${id.replace(/[^\w-]/g, '\\$&')}(?=[\\s|]|$)`, 'i').exec(text.slice(start, end))
  return found ? { start: start + found.index, text: found[0].trim() } : undefined
}

interface Replaced {
  readonly block: Section
  readonly mark: Mark | undefined
  readonly content: string
}

/**
 * Returns replacements to try, with the marker in each possible position: at the end, at the end of the first line, and on a separate
 * line below.
 */
function replacements(text: string, { block: { start, end }, mark, content }: Replaced): readonly TextEdit[] {
  const ending = lineEndingOf(text)
  const inner = withLineEnding(withoutOuterBlankLines(content), ending)
  const first = endOfLine(inner, 0)
  const marked =
    mark === undefined
      ? []
      : [
          `${inner} ${mark.text}`,
          `${inner.slice(0, first)} ${mark.text}${inner.slice(first)}`,
          `${inner}${ending}${ending}${mark.text}`,
        ]
  return [inner, ...marked].map((each) => ({ start, end, text: each }))
}

function insertions(
  text: string,
  { bodyStart }: Outline,
  { block, mark, mode, content }: Replaced & { readonly mode: SectionMode },
): readonly TextEdit[] {
  const after = nextLine(text, block.end)
  const insert = (at: number, from: number, tight = false): TextEdit => ({
    start: at,
    end: at,
    text: insertedText(text, content, { at, from, tight }),
  })
  switch (mode) {
    case 'prepend':
      return [insert(block.start, block.start, true)]
    case 'insert_before':
      return [insert(block.start, bodyStart)]
    case 'insert_after':
      return [insert(mark ? after : afterLoneMark(text, after), block.start)]
    default:
      return [insert(after, block.start, true), ...(mark ? [beforeMark(text, mark, content)] : [])]
  }
}

/** Returns the offset below a marker that is on a separate line. */
function afterLoneMark(text: string, after: number): number {
  let at = after
  while (at < text.length && text.slice(at, endOfLine(text, at)).trim() === '') at = nextLine(text, at)
  return nextLine(text, at)
}

/** Inserts the content into a paragraph before its marker. */
function beforeMark(text: string, { start }: Mark, content: string): TextEdit {
  const ending = lineEndingOf(text)
  return { start, end: start, text: ending + withLineEnding(content.trimEnd(), ending) }
}

function keepsBlock(
  text: string,
  edit: TextEdit,
  { block, id, mode, flavour }: Pick<BlockEdit, 'id' | 'mode' | 'flavour'> & { readonly block: Section },
): boolean {
  const edited = editText(text, [edit])
  const found = findBlock(edited, outlineOf(edited, flavour), id)
  if (found === undefined) return false
  const moved = block.start + edit.text.length
  if (mode === 'insert_before') return found.start === moved
  return found.start === block.start || (mode === 'prepend' && found.start === moved)
}
