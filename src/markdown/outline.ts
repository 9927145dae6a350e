import { RouxError } from '../core/errors.ts'
import type { Flavor, Heading } from '../core/note.ts'
import type { TextRange } from '../core/text/link-slots.ts'
import { foldHeadingLink } from '../core/text/link-text.ts'
import { nearest } from '../core/text/nearest.ts'
import { scanBlocks } from './blocks.ts'
import { pairComments, rangeLookup } from './comments.ts'
import { endOfLine } from './edit/lines.ts'
import { bodyStartOf } from './frontmatter/frontmatter.ts'
import { InlineScanner } from './inline.ts'
import { addLines, LineIndex } from './line-index.ts'
import { LinkSink } from './link-sink.ts'
import { type HeadingBlock, headingText, type Run } from './prose/runs.ts'

const READING_HINTS: SectionHints = {
  noHeadings: 'This note has no headings: read the whole note.',
  twins: 'Some headings have the same path: read the section around them, or the whole note.',
}

const LIST_ITEM = /^([\s>]*)(?:[-*+]|\d{1,9}[.)])\s+/

export interface OutlineHeading extends Heading, Pick<HeadingBlock, 'isSetext' | 'isNested'> {
  /** The path of headings, outermost first, including this one. */
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
  readonly lineStart: number
  /** The end of the heading's last line, which is the underline in a setext heading. */
  readonly lineEnd: number
}

export interface Outline {
  readonly bodyStart: number
  readonly lines: LineIndex
  readonly runs: readonly Run[]
  /** The headings in order, excluding those in code and comments. */
  readonly headings: readonly OutlineHeading[]
  /** The ids of blocks without the `^`. An id that occurs twice is listed twice. */
  readonly blocks: readonly string[]
}

/** Finds the same headings and block ids as `parseNote`. */
export function outlineOf(text: string, { mode }: Pick<Flavor, 'mode'>): Outline {
  const bodyStart = bodyStartOf(text)
  const lines = new LineIndex()
  // A byte order mark is part of the first line.
  if (bodyStart > 1) addLines(lines, text, 0, bodyStart)
  const { runs, definitions } = scanBlocks(text, bodyStart, lines, { isOutline: mode === 'logseq' })
  const flavor: Flavor = { profile: 'lenient', mode, comments: true }
  const scanner = new InlineScanner(flavor, definitions, new LinkSink(lines, false))
  for (const run of runs) scanner.scan(text, run)
  const headings = headingRuns(runs, pairComments(scanner.commentMarks))
  return { bodyStart, lines, runs, headings: withPlaces(text, headings, lines), blocks: scanner.blocks }
}

export function endsInOpenBlock(text: string, flavor: Pick<Flavor, 'mode'>): boolean {
  const probe = `${text}\n\nx`
  return outlineOf(probe, flavor).runs.at(-1)?.end !== probe.length
}

export interface HeadingRun extends Run {
  readonly heading: HeadingBlock
}

/** Returns the headings, except those inside a comment. A heading that consists of a comment counts. */
export function headingRuns(runs: readonly Run[], comments: readonly TextRange[]): readonly HeadingRun[] {
  const commentAt = rangeLookup(comments)
  return runs.filter((run): run is HeadingRun => {
    if (run.heading === undefined) return false
    const comment = commentAt(run.start)
    return comment === undefined || (comment.start === run.start && comment.end <= run.end)
  })
}

export function headingOf(text: string, run: HeadingRun, lines: LineIndex): Heading {
  return { level: run.heading.level, text: headingText(text, run), line: lines.lineAt(run.start) }
}

function withPlaces(text: string, runs: readonly HeadingRun[], lines: LineIndex): readonly OutlineHeading[] {
  const above: Heading[] = []
  return runs.map((run) => {
    const { start, end } = run
    const { level, lineEnd, isSetext, isNested } = run.heading
    const heading = headingOf(text, run, lines)
    while (above.length > 0 && (above.at(-1)?.level ?? 0) >= level) above.pop()
    above.push(heading)
    const path = above.map((each) => each.text)
    return { ...heading, path, start, end, lineStart: lines.startOf(heading.line), lineEnd, isSetext, isNested }
  })
}

/**
 * Returns the next heading of the same or a higher level. A nested heading does not end a section outside its quote or list item.
 */
export function nextHeading({ headings }: Outline, index: number): OutlineHeading | undefined {
  const { level, isNested } = headings[index] as OutlineHeading
  return headings.find((each, i) => i > index && each.level <= level && (isNested || !each.isNested))
}

/**
 * Returns the indexes of headings that match a path, outermost first. Outer headings and, if nothing else matches, punctuation
 * may be omitted. A complete path takes precedence. `A#B` means B anywhere below A.
 */
export function findHeadings(headings: readonly OutlineHeading[], path: readonly string[]): readonly number[] {
  const foldedPath = path.map(foldHeading)
  const indexes = headings.flatMap((heading, index) => (foldedPath.length > 0 && endsIn(heading.path, foldedPath) ? [index] : []))
  if (indexes.length === 0) {
    const linked = path.length === 1 ? findLinked(headings, path[0] ?? '') : []
    return linked.length > 0 ? linked : findUnpunctuated(headings, path)
  }
  const complete = indexes.filter((index) => headings[index]?.path.length === foldedPath.length)
  return complete.length === 1 ? complete : indexes
}

function endsIn(path: readonly string[], foldedPath: readonly string[]): boolean {
  const offset = path.length - foldedPath.length
  return offset >= 0 && foldedPath.every((name, i) => foldHeading(path[offset + i] ?? '') === name)
}

/** Finds headings without regard to punctuation, but keeps `C`, `C++` and `C#` distinct. */
function findUnpunctuated(headings: readonly OutlineHeading[], path: readonly string[]): readonly number[] {
  const parts = (path.length === 1 ? (path[0] ?? '').replace(/^#/, '').split('#') : path).map(foldWidth)
  const names = parts.map(withoutPunctuation)
  if (names.length === 0 || names.includes('')) return []
  const isName = (heading: string, at: number): boolean => {
    const [part = '', folded] = [parts[at], foldWidth(heading)]
    if (withoutPunctuation(folded) !== names[at]) return false
    return (
      [...part].every((char) => char === ' ' || folded.includes(char)) &&
      (folded.match(/[#+]/g) ?? []).every((char) => part.includes(char))
    )
  }
  return headings.flatMap((heading, index) => {
    const end = heading.path.slice(-names.length)
    return end.length === names.length && end.every(isName) ? [index] : []
  })
}

/** Folds a heading, and normalizes full-width and half-width characters. */
function foldWidth(heading: string): string {
  return foldHeading(heading).normalize('NFKC')
}

function withoutPunctuation(folded: string): string {
  return foldHeadingLink(folded.replace(/\p{P}+/gu, ' '))
}

function findLinked(headings: readonly OutlineHeading[], subpath: string): readonly number[] {
  const foldedSubpath = foldParts(subpath.replace(/^#/, ''))
  // The `#` of `C#` is part of the heading's text.
  if (foldedSubpath.split('#').includes('')) return []
  return headings.flatMap(({ path }, index) => (leadsTo(path, foldedSubpath) ? [index] : []))
}

/** Checks whether a folded subpath ends in this heading. Headings may contain `#`. */
function leadsTo(path: readonly string[], foldedSubpath: string): boolean {
  const last = foldParts(path.at(-1) ?? '')
  if (last === foldedSubpath) return true
  if (last === '' || !foldedSubpath.endsWith(`#${last}`)) return false
  const above = foldedSubpath.slice(0, -last.length - 1)
  return path.slice(0, -1).some((_, at) => leadsTo(path.slice(0, at + 1), above))
}

/** Replaces characters that cannot occur in a link with a space. */
function foldParts(text: string): string {
  const fold = (part: string): string => foldHeading(foldHeading(part).replace(/[|:^[\]\\]+/g, ' '))
  return text.split('#').map(fold).join('#')
}

/** Folds a heading, ignoring case, white space, and link and emphasis marks. */
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

export interface SectionHints {
  readonly noHeadings: string
  readonly twins: string
}

const MAX_LISTED = 100

const MAX_NAMED = 20

/** The maximum number of headings to compare. Comparing two headings takes quadratic time. */
const MAX_COMPARED = 200

/**
 * Returns the index of the only heading that `path` refers to (see `findHeadings`).
 * @throws RouxError `SECTION_NOT_FOUND` with the outline as candidates (`path`, `line`), the nearest headings first
 */
export function requireHeading({ headings }: Outline, path: readonly string[], hints: SectionHints): number {
  const indexes = findHeadings(headings, path)
  const [index] = indexes
  if (index !== undefined && indexes.length === 1) return index
  const name = JSON.stringify(path.join(' > ').slice(0, MAX_COMPARED))
  if (index === undefined) {
    const hint = headings.length > 0 ? PATHS : hints.noHeadings
    throw notFound(`There is no section ${name}.`, [...nearestTo(path.at(-1) ?? '', headings), ...headings], hint)
  }
  const several = indexes.map((each) => headings[each] as OutlineHeading)
  const areTwins = new Set(several.map((each) => each.path.join('\n'))).size < several.length
  const message = `Several sections match ${name}, on lines ${linesOf(several)}.`
  throw notFound(message, several, areTwins ? hints.twins : PATHS)
}

const PATHS = 'Specify the full path of headings, outermost first, as in the candidates.'

function linesOf(headings: readonly OutlineHeading[]): string {
  const lines = headings.slice(0, MAX_NAMED).map(({ line }) => line)
  return lines.join(', ') + (headings.length > MAX_NAMED ? '…' : '')
}

function nearestTo(name: string, headings: readonly OutlineHeading[]): readonly OutlineHeading[] {
  const near = nearest(name, new Set(headings.map(({ text }) => text.slice(0, MAX_COMPARED))), 3)
  return headings.filter(({ text }) => near.includes(text.slice(0, MAX_COMPARED)))
}

function notFound(message: string, headings: readonly OutlineHeading[], hint: string): RouxError {
  const listedHeadings = [...new Set(headings)].slice(0, MAX_LISTED)
  return new RouxError('SECTION_NOT_FOUND', message, {
    hint,
    candidates: listedHeadings.map(({ path, line }) => ({ path, line })),
  })
}

export interface Section {
  readonly start: number
  readonly end: number
  readonly line: number
}

/**
 * Finds a section: a heading given by its path, down to the next heading of the same or a higher level, or a single `^block`.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline, unless exactly one section matches
 */
export function requireSection(text: string, outline: Outline, section: readonly string[]): Section {
  const [first = ''] = section
  if (section.length === 1 && first.startsWith('^')) return requireBlock(text, outline, first.slice(1))
  const index = requireHeading(outline, section, READING_HINTS)
  const { lineStart, line } = outline.headings[index] as OutlineHeading
  return { start: lineStart, end: nextHeading(outline, index)?.lineStart ?? text.length, line }
}

/** Finds a block. @throws RouxError `SECTION_NOT_FOUND` with the note's block ids */
export function requireBlock(text: string, outline: Outline, id: string): Section {
  const block = findBlock(text, outline, id)
  if (block !== undefined) return block
  throw blockError(`There is no block ${JSON.stringify(`^${id}`)}.`, outline)
}

export function blockError(message: string, { blocks }: Outline): RouxError {
  return new RouxError('SECTION_NOT_FOUND', message, {
    hint: blocks.length > 0 ? 'The candidates are the blocks of this note.' : 'This note has no blocks.',
    candidates: [...new Set(blocks)].map((block) => `^${block}`),
  })
}

/**
 * Finds the block with `^id`: a list item with everything nested in it, a paragraph, a heading's line or a table row. An id on a
 * separate line refers to the block above it. The last line ending is not part of the block.
 */
export function findBlock(text: string, { runs, lines, bodyStart }: Outline, id: string): Section | undefined {
  const mark = `^${id.toLowerCase()}`
  const run = runs.find((each) => hasBlockId(text, each, mark))
  if (!run) return undefined
  const first = lines.lineAt(run.start)
  if (run.heading?.isSetext !== false && text.slice(run.start, run.end).trim().toLowerCase() === mark)
    return blockAbove(text, lines, { line: first, top: lines.lineAt(bodyStart) })
  const start = lines.startOf(first)
  const item = LIST_ITEM.exec(text.slice(start, run.start))
  return { start, end: item ? itemEnd(text, run.end, item[1] as string) : endOfLine(text, run.end), line: first }
}

function hasBlockId(text: string, run: Run, mark: string): boolean {
  let end = run.end
  while (end > run.start && /[\s|]/.test(text[end - 1] as string)) end--
  const start = end - mark.length
  if (start < run.start || text.slice(start, end).toLowerCase() !== mark) return false
  return start === run.start || /[\s|]/.test(text[start - 1] as string)
}

function blockAbove(text: string, lines: LineIndex, { line, top }: { line: number; top: number }): Section | undefined {
  const lineText = (at: number) => text.slice(lines.startOf(at), endOfLine(text, lines.startOf(at)))
  let last = line - 1
  while (last >= top && lineText(last).trim() === '') last--
  let first = last
  while (first > top && lineText(first - 1).trim() !== '') first--
  return last >= top ? { start: lines.startOf(first), end: endOfLine(text, lines.startOf(last)), line: first } : undefined
}

function itemEnd(text: string, from: number, prefix: string): number {
  const indent = columns(prefix)
  let end = endOfLine(text, from)
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) {
    const stop = endOfLine(text, at + 1)
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
