import type { Heading, Note } from '../core/note.ts'
import { scanBlocks } from './blocks.ts'
import { addLines, indexLines, LineIndex } from './line-index.ts'
import type { Run } from './prose/runs.ts'

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
export function findSection(
  text: string,
  note: Pick<Note, 'headings'>,
  path: readonly string[],
): Section | 'missing' | 'ambiguous' {
  const [index, ...others] = findHeadings(note.headings, path)
  if (index === undefined) return 'missing'
  if (others.length > 0) return 'ambiguous'
  const { line } = note.headings[index] as Heading
  const lines = indexLines(text)
  const next = nextHeading(text, note.headings, { index, lines })
  return { start: lines.startOf(line), end: next ? lines.startOf(next.line) : text.length, line }
}

/** The indexes of the headings that a path may mean, by the rules of `findSection`: one where it is clear. */
export function findHeadings(headings: readonly Heading[], path: readonly string[]): readonly number[] {
  const wanted = path.map(foldHeading)
  const found = matchingHeadings(headings, wanted)
  const complete = found.filter(({ depth }) => depth === wanted.length)
  return (complete.length === 1 ? complete : found).map(({ index }) => index)
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

/**
 * The heading that ends a heading's section: the next of the same or a higher level. One in a quote or a list item ends
 * only sections that begin in one: what holds it belongs to the section around it.
 */
export function nextHeading<Each extends Heading>(
  text: string,
  headings: readonly Each[],
  { index, lines }: { readonly index: number; readonly lines: LineIndex },
): Each | undefined {
  const { level, line } = headings[index] as Each
  const nested = inContainer(text, lines.startOf(line))
  return headings.find((each, i) => i > index && each.level <= level && (nested || !inContainer(text, lines.startOf(each.line))))
}

const CONTAINER = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])/y

/** Whether a heading whose line begins at `lineStart` stands behind a quote's or a list item's mark. */
export function inContainer(text: string, lineStart: number): boolean {
  CONTAINER.lastIndex = lineStart
  return CONTAINER.test(text)
}

/**
 * Finds the block that carries `^id`: a list item with what is nested in it, a paragraph, a heading's line or a table row;
 * where the id stands alone, the block above it. Its last line end does not belong to it.
 */
export function findBlock(text: string, note: Pick<Note, 'bodyStart'>, id: string): Section | 'missing' {
  const lines = new LineIndex()
  addLinesAbove(lines, text, note.bodyStart)
  const mark = `^${id.toLowerCase()}`
  const run = scanBlocks(text, note.bodyStart, lines).runs.find((each) => carries(text, each, mark))
  if (!run) return 'missing'
  const first = lines.lineAt(run.start)
  if (text.slice(run.start, run.end).trim().toLowerCase() === mark) return blockAbove(text, lines, first)
  const start = lines.startOf(first)
  const item = LIST_ITEM.exec(text.slice(start, run.start))
  return { start, end: item ? itemEnd(text, run.end, item[1] as string) : lineEnd(text, run.end), line: first }
}

/** Adds the frontmatter's lines; a byte order mark alone is no line, but part of the body's first one. */
export function addLinesAbove(lines: LineIndex, text: string, bodyStart: number): void {
  if (bodyStart > 1) addLines(lines, text, 0, bodyStart)
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
