import { RouxError } from '../core/errors.ts'
import type { LineIndex } from './line-index.ts'
import { nextHeading, type Outline, type OutlineHeading, requireHeading, type SectionHints } from './outline.ts'
import type { Run } from './prose/runs.ts'

/** A part of a file: `text.slice(start, end)`. */
export interface Section {
  readonly start: number
  readonly end: number
  /** 1-based line on which it begins. */
  readonly line: number
}

const READING_HINTS: SectionHints = {
  noHeadings: 'This note has no headings: read all of it.',
  twins: 'Some have the same path: read the section around them, or all of the note.',
}

/**
 * The section that `section` names: a heading by its path (`requireHeading`), with all below it down to the next heading of the same or a
 * higher level; or one `^block`.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline when nothing fits or several headings do.
 */
export function requireSection(text: string, outline: Outline, section: readonly string[]): Section {
  const [first = ''] = section
  if (section.length === 1 && first.startsWith('^')) return requireBlock(text, outline, first.slice(1))
  const index = requireHeading(outline, section, READING_HINTS)
  const { lineStart, line } = outline.headings[index] as OutlineHeading
  return { start: lineStart, end: nextHeading(outline, index)?.lineStart ?? text.length, line }
}

/** @throws RouxError `SECTION_NOT_FOUND` with the note's block ids. */
export function requireBlock(text: string, outline: Outline, id: string): Section {
  const found = findBlock(text, outline, id)
  if (found !== undefined) return found
  throw blockError(`There is no block ${JSON.stringify(`^${id}`)}.`, outline)
}

export function blockError(message: string, { blocks }: Outline): RouxError {
  return new RouxError('SECTION_NOT_FOUND', message, {
    hint: blocks.length > 0 ? 'The candidates are the blocks of this note.' : 'This note has no blocks.',
    candidates: [...new Set(blocks)].map((block) => `^${block}`),
  })
}

/**
 * Finds the block that carries `^id`: a list item with what is nested in it, a paragraph, a heading's line or a table row;
 * where the id stands alone, the block above it. Its last line end does not belong to it.
 */
export function findBlock(text: string, { runs, lines }: Outline, id: string): Section | undefined {
  const mark = `^${id.toLowerCase()}`
  const run = runs.find((each) => carries(text, each, mark))
  if (!run) return undefined
  const first = lines.lineAt(run.start)
  if (text.slice(run.start, run.end).trim().toLowerCase() === mark) return blockAbove(text, lines, first)
  const start = lines.startOf(first)
  const item = LIST_ITEM.exec(text.slice(start, run.start))
  return { start, end: item ? itemEnd(text, run.end, item[1] as string) : lineEnd(text, run.end), line: first }
}

const LIST_ITEM = /^([\s>]*)(?:[-*+]|\d{1,9}[.)])\s+/

function carries(text: string, run: Run, mark: string): boolean {
  let end = run.end
  while (end > run.start && /[\s|]/.test(text[end - 1] as string)) end--
  const start = end - mark.length
  if (start < run.start || text.slice(start, end).toLowerCase() !== mark) return false
  return start === run.start || /[\s|]/.test(text[start - 1] as string)
}

/** The lines above, back to a blank one. */
function blockAbove(text: string, lines: LineIndex, line: number): Section | undefined {
  const lineText = (at: number) => text.slice(lines.startOf(at), lineEnd(text, lines.startOf(at)))
  let last = line - 1
  while (last > 0 && lineText(last).trim() === '') last--
  let first = last
  while (first > 1 && lineText(first - 1).trim() !== '') first--
  return last > 0 ? { start: lines.startOf(first), end: lineEnd(text, lines.startOf(last)), line: first } : undefined
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  const end = newline === -1 ? text.length : newline
  return end > from && text[end - 1] === '\r' ? end - 1 : end
}

/** The end of a list item: what follows belongs to it while it is indented deeper than the item's mark. */
function itemEnd(text: string, from: number, prefix: string): number {
  const indent = columns(prefix)
  let end = lineEnd(text, from)
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) {
    const stop = lineEnd(text, at + 1)
    const line = text.slice(at + 1, stop)
    if (line.trim() === '') continue
    if (columns(/^[\s>]*/.exec(line)?.[0] ?? '') <= indent) break
    end = stop
  }
  return end
}

function columns(prefix: string): number {
  let column = 0
  for (const c of prefix) column += c === '\t' ? 4 - (column % 4) : 1
  return column
}
