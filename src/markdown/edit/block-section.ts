import type { TextEdit } from '../../core/changes.ts'
import type { Flavor } from '../../core/note.ts'
import type { SectionMode } from '../../core/operations.ts'
import { editText } from '../../core/text/edit-text.ts'
import { blockError, findBlock, type Outline, outlineOf, requireBlock, type Section } from '../outline.ts'
import { invalid } from './given-text.ts'
import { endOfLine, insertedText, lineEndingOf, nextLine, startOfLine, withLineEnding, withoutOuterBlankLines } from './lines.ts'

export interface BlockEdit {
  readonly id: string
  readonly mode: SectionMode
  readonly content: string
  readonly flavor: Pick<Flavor, 'mode'>
}

/** Edits a block, which must keep its id. */
export function editBlock(text: string, outline: Outline, { id, mode, content, flavor }: BlockEdit): TextEdit {
  const block = requireOneBlock(text, outline, id)
  const mark = markIn(text, block, id)
  const edits =
    mode === 'replace' ? replacements(text, { block, mark, content }) : insertions(text, outline, { block, mark, mode, content })
  let accepted: TextEdit | undefined
  for (const edit of edits) {
    const newText = editText(text, [edit])
    const after = outlineOf(newText, flavor)
    if (!keepsBlocks(newText, after, { outline, block, id, mode, edit })) continue
    if (mode === 'replace' || !joinsNested(after, edit, block)) return edit
    accepted ??= edit
  }
  if (accepted) return accepted
  throw invalid('content', `it would separate ^${id} from its block.`, `Include ^${id} in the content, at the end of its block.`)
}

function requireOneBlock(text: string, outline: Outline, id: string): Section {
  const sameIds = outline.blocks.filter((block) => block.toLowerCase() === id.toLowerCase())
  if (sameIds.length > 1) throw blockError(`Several blocks have the id ^${id}.`, outline)
  return requireBlock(text, outline, id)
}

interface Mark {
  readonly start: number
  readonly text: string
}

/** @returns `undefined` if the marker is on a separate line */
function markIn(text: string, { start, end }: Section, id: string): Mark | undefined {
  const mark = new RegExp(`\\s\\^${id.replace(/[^\w-]/g, '\\$&')}(?=[\\s|]|$)`, 'i').exec(text.slice(start, end))
  return mark ? { start: start + mark.index, text: mark[0].trim() } : undefined
}

interface Replaced {
  readonly block: Section
  readonly mark: Mark | undefined
  readonly content: string
}

/** Returns candidate replacements, best first. They differ in the position of the marker. */
function replacements(text: string, { block: { start, end }, mark, content }: Replaced): readonly TextEdit[] {
  const ending = lineEndingOf(text)
  const inner = withLineEnding(withoutOuterBlankLines(content), ending)
  const first = endOfLine(inner, 0)
  const candidates =
    mark === undefined
      ? []
      : [
          `${inner} ${mark.text}`,
          `${inner.slice(0, first)} ${mark.text}${inner.slice(first)}`,
          `${inner}${ending}${ending}${mark.text}`,
        ]
  return [inner, ...candidates].map((each) => ({ start, end, text: each }))
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

function afterLoneMark(text: string, after: number): number {
  let at = after
  while (at < text.length && text.slice(at, endOfLine(text, at)).trim() === '') at = nextLine(text, at)
  return nextLine(text, at)
}

/** Copies the quote marks and indentation of the marker's line. */
function beforeMark(text: string, { start }: Mark, content: string): TextEdit {
  const ending = lineEndingOf(text)
  const line = startOfLine(text, start)
  const [prefix = ''] = CONTAINERS.exec(text.slice(line, start)) ?? []
  const indent = prefix.replace(/[^\s>]/g, ' ')
  const lines = withoutOuterBlankLines(content).split('\n')
  const added = lines.map((each) => ending + (each.startsWith(indent) ? '' : indent) + each)
  return { start, end: start, text: added.join('') }
}

const CONTAINERS = /^(?:[\s>]|(?:[-*+]|\d{1,9}[.)])(?=\s))*/

interface BlockEditCheck extends Pick<BlockEdit, 'id' | 'mode'> {
  readonly outline: Outline
  readonly block: Section
  readonly edit: TextEdit
}

/** Checks that the edit keeps the block's id and, if it adds text, all other blocks. */
function keepsBlocks(newText: string, after: Outline, { outline, block, id, mode, edit }: BlockEditCheck): boolean {
  const newBlock = findBlock(newText, after, id)
  if (newBlock === undefined) return false
  if (mode !== 'replace' && outline.blocks.some((each) => !after.blocks.includes(each))) return false
  const newEnd = block.start + edit.text.length
  if (mode === 'insert_before') return newBlock.start === newEnd
  return newBlock.start === block.start || (mode === 'prepend' && newBlock.start === newEnd)
}

/** Returns true if added text has become part of a nested list item. */
function joinsNested({ runs }: Outline, { start }: TextEdit, block: Section): boolean {
  const firstRun = runs.find((run) => run.start >= block.start)
  return runs.some((run) => firstRun !== undefined && run.start > firstRun.start && run.start < start && run.end > start)
}
