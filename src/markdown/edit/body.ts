import type { TextEdit } from '../../core/changes.ts'
import { editText } from '../../core/text/edit-text.ts'
import { bodyStartOf, readFrontmatter } from '../frontmatter/frontmatter.ts'
import { invalid, requireText } from './given-text.ts'
import { insertedText, isUnended, lineEndingOf, withLineEnding } from './lines.ts'
import { withoutNoOps } from './text-edits.ts'

/**
 * Replaces the body. Unchanged lines keep their line ending.
 * @throws RouxError `INVALID_PARAMS` if the content starts with frontmatter or would be read as frontmatter
 */
export function replaceBody(text: string, content: string): readonly TextEdit[] {
  const start = bodyStartOf(text)
  const body = requireText('content', start === 0 ? withoutMark(content) : content)
  refuseFrontmatter(text, start, body)
  return bodyEdits(text, [replaceLines(text, [start, text.length], body)])
}

/** Replaces whole lines. Unchanged lines at the start and end keep their line ending. */
export function replaceLines(text: string, [start, end]: readonly [number, number], content: string): TextEdit {
  const old = linesOf(text.slice(start, end))
  const newLines = linesOf(content)
  const head = commonLines(old, newLines)
  const tail = commonLines(old.slice(head).reverse(), newLines.slice(head).reverse())
  const from = start + lengthOf(old.slice(0, head))
  const middle = newLines.slice(head, newLines.length - tail).join('')
  const ending = lineEndingOf(text)
  const inserted = withLineEnding(middle, ending)
  const glued = inserted !== '' && from === start && isUnended(text, start)
  return { start: from, end: end - lengthOf(old.slice(old.length - tail)), text: glued ? ending + inserted : inserted }
}

/**
 * Appends lines to the body. A blank line precedes them unless a list, quote or table continues. The final line ending stays as
 * it is.
 */
export function appendToBody(text: string, content: string): readonly TextEdit[] {
  const from = bodyStartOf(text)
  const at = text.length
  return bodyEdits(text, [{ start: at, end: at, text: insertedText(text, requireText('append', content), { at, from }) }])
}

/** Prepends lines to the body. Blank lines follow the rules of `appendToBody`. */
export function prependToBody(text: string, content: string): readonly TextEdit[] {
  const at = bodyStartOf(text)
  const addition = requireText('prepend', at === 0 ? withoutMark(content) : content)
  return bodyEdits(text, [{ start: at, end: at, text: insertedText(text, addition, { at, from: at }) }])
}

/** Checks edits to the body. @throws RouxError `INVALID_PARAMS` if the edits would change where frontmatter ends */
export function bodyEdits(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  const effectiveEdits = withoutNoOps(text, edits)
  if (effectiveEdits.length === 0) return effectiveEdits
  const before = bodyStartOf(text)
  const newText = editText(text, effectiveEdits)
  // If the closing fence is at the end of the file, a line ending must precede the content.
  const after = bodyStartOf(newText)
  if (after === before || (newText.slice(before, after).trim() === '' && before === text.length)) return effectiveEdits
  throw invalid('content', 'it would turn part of the body into frontmatter.', FRONTMATTER_HINT)
}

const FRONTMATTER_HINT = 'Send only the body, and send frontmatter as `properties` and `tags`.'

function refuseFrontmatter(text: string, start: number, content: string): void {
  const end = bodyStartOf(content)
  if (end <= 1 || text.startsWith(content.slice(0, end), start)) return
  const { properties } = readFrontmatter(content)
  // If frontmatter already exists, a second pair of `---` lines is two thematic breaks.
  if (start > 1 && Object.keys(properties).length === 0) return
  throw invalid('content', 'it starts with frontmatter.', FRONTMATTER_HINT)
}

function withoutMark(content: string): string {
  return content.charCodeAt(0) === 0xfeff ? content.slice(1) : content
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}

function commonLines(before: readonly string[], other: readonly string[]): number {
  let count = 0
  while (count < before.length && count < other.length && sameLine(before[count] as string, other[count] as string)) count++
  return count
}

function sameLine(before: string, other: string): boolean {
  return before === other || before.replace(/\r\n$/, '\n') === other.replace(/\r\n$/, '\n')
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}
