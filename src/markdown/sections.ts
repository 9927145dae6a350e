import type { Heading, Note } from '../core/note.ts'
import { scanBlocks } from './blocks.ts'
import { indexLines, LineIndex } from './line-index.ts'
import type { Run } from './runs.ts'

/** A part of a file: `text.slice(start, end)`. */
export interface Section {
  readonly start: number
  readonly end: number
  /** 1-based line on which it begins. */
  readonly line: number
}

/**
 * Finds the section under a heading: from the heading's line to the next heading of the same or a higher level. `path` is
 * the end of the headings' path to it, as much as makes it unique; a complete path wins over longer ones with its end.
 */
export function findSection(text: string, note: Note, path: readonly string[]): Section | 'missing' | 'ambiguous' {
  const wanted = path.map(foldHeading)
  const found = matchingHeadings(note.headings, wanted)
  const complete = found.filter(({ depth }) => depth === wanted.length)
  const chosen = complete.length === 1 ? complete : found
  const [first] = chosen
  if (!first) return 'missing'
  return chosen.length > 1 ? 'ambiguous' : sectionOf(text, note.headings, first.index)
}

function matchingHeadings(headings: readonly Heading[], wanted: readonly string[]): readonly { index: number; depth: number }[] {
  const found: { index: number; depth: number }[] = []
  const path: { level: number; name: string }[] = []
  headings.forEach(({ level, text }, index) => {
    while (path.length > 0 && (path.at(-1)?.level ?? 0) >= level) path.pop()
    path.push({ level, name: foldHeading(text) })
    const offset = path.length - wanted.length
    if (wanted.length > 0 && offset >= 0 && wanted.every((name, i) => path[offset + i]?.name === name)) {
      found.push({ index, depth: path.length })
    }
  })
  return found
}

/** A heading as it is compared: without case, marks of links and emphasis, and surplus white space. */
function foldHeading(heading: string): string {
  return heading
    .replace(/!?\[\[([^[\]|]*)(?:\|([^[\]]*))?\]\]/g, (_, target: string, display?: string) => display ?? target)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*_~`]+|==/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .normalize('NFC')
}

function sectionOf(text: string, headings: readonly Heading[], index: number): Section {
  const { level, line } = headings[index] as Heading
  const next = headings.find((heading, i) => i > index && heading.level <= level)
  const lines = indexLines(text)
  return { start: lines.startOf(line), end: next ? lines.startOf(next.line) : text.length, line }
}

/**
 * Finds the block that carries `^id`: a list item with what is nested in it, a paragraph, a heading's line or a table row;
 * where the id stands alone, the block above it. Its last line end does not belong to it.
 */
export function findBlock(text: string, note: Note, id: string): Section | 'missing' {
  const lines = new LineIndex()
  for (let line = 0; line < note.bodyStart; line = text.indexOf('\n', line) + 1 || text.length) lines.push(line)
  const mark = `^${id.toLowerCase()}`
  const run = scanBlocks(text, note.bodyStart, lines).runs.find((each) => carries(text, each, mark))
  if (!run) return 'missing'
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
function blockAbove(text: string, lines: LineIndex, line: number): Section | 'missing' {
  const lineText = (at: number) => text.slice(lines.startOf(at), lineEnd(text, lines.startOf(at)))
  let last = line - 1
  while (last > 0 && lineText(last).trim() === '') last--
  let first = last
  while (first > 1 && lineText(first - 1).trim() !== '') first--
  return last > 0 ? { start: lines.startOf(first), end: lineEnd(text, lines.startOf(last)), line: first } : 'missing'
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
