import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import type { TextReplacement } from '../../core/operations.ts'
import { lineNumber, startOfLineNumber } from '../../core/text/line-number.ts'
import { bodyStartOf } from '../frontmatter/frontmatter.ts'
import { bodyEdits } from './body.ts'
import { invalid, requireText } from './given-text.ts'
import { lineEndingOf, withLineEnding } from './lines.ts'

export interface Replacement extends Omit<TextReplacement, 'count'> {
  /** The expected number of matches. The default is 1. All matches are replaced. */
  readonly count?: number
}

const MAX_LISTED = 50

/**
 * Replaces matches, which do not overlap.
 * @throws RouxError `EDIT_MISMATCH` with the lines of all matches unless there are exactly `count`
 */
export function replaceText(text: string, { find, replace, count = 1, line }: Replacement): readonly TextEdit[] {
  if (find === '') throw invalid('find', 'expected the text to replace, but it is empty.')
  if (!Number.isInteger(count) || count < 1) throw invalid('count', `expected a positive whole number, but got ${count}.`)
  if (line !== undefined && (!Number.isInteger(line) || line < 1))
    throw invalid('line', `expected a positive whole number, but got ${line}.`)
  requireText('find', find)
  const inserted = withLineEnding(requireText('replace', replace), lineEndingOf(text))
  const start = bodyStartOf(text)
  const matches = line === undefined ? findMatches(text, start, find) : matchesOnLine(text, start, { find, line })
  if (matches.length !== count) throw mismatch(text, start, { find, count, line, total: matches.length })
  return bodyEdits(
    text,
    matches.map(([from, end]) => ({ start: from, end, text: inserted })),
  )
}

type Match = readonly [start: number, end: number]

function matchesOnLine(
  text: string,
  bodyStart: number,
  { find, line }: { readonly find: string; readonly line: number },
): readonly Match[] {
  const start = startOfLineNumber(text, line)
  if (start === undefined) return []
  const end = startOfLineNumber(text, 2, start) ?? text.length + 1
  return findMatches(text, Math.max(start, bodyStart), find).filter(([from]) => from < end)
}

interface ReplaceRequest {
  readonly find: string
  readonly count: number
  readonly line: number | undefined
  readonly total: number
}

function mismatch(text: string, start: number, { find, count, line, total }: ReplaceRequest): RouxError {
  const matches = findMatches(text, start, find)
  const lines = linesAt(text, matches.slice(0, MAX_LISTED))
  const message =
    matches.length === 0
      ? 'The text to find is not in the body.'
      : `The text to find is in the body ${times(matches.length)}, on ${linesText(lines, matches.length > MAX_LISTED)}; expected ${
          line === undefined ? count : `it ${times(count)} on line ${line}, where it is ${total === 0 ? 'not' : times(total)}`
        }.`
  return new RouxError('EDIT_MISMATCH', message, {
    hint: hintFor(matches.length, text.slice(0, start).includes(find)),
    ...(lines.length === 0 ? {} : { candidates: lines.map((each) => ({ line: each })) }),
  })
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function linesText(lines: readonly number[], more: boolean): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more ? '…' : ''}`
}

function hintFor(count: number, inFrontmatter: boolean): string {
  if (count > 0)
    return 'Make `find` longer until it is unique, use `line` to choose one, or set `count` to the number of matches.'
  if (inFrontmatter) return 'The text is in the frontmatter; change it with `properties`, `tags` and `title`.'
  return 'Read the note again and copy the text exactly, including case and white space.'
}

function linesAt(text: string, matches: readonly Match[]): readonly number[] {
  const lines = new Set<number>()
  let line = 1
  let at = 0
  for (const [start] of matches) {
    line += lineNumber(text.slice(at, start + 1), start - at) - 1
    at = start
    lines.add(line)
  }
  return [...lines]
}

function findMatches(text: string, start: number, find: string): readonly Match[] {
  const body = text.slice(start)
  const needle = withLineEnding(find, '\n')
  if (!body.includes('\r\n')) return findAll(body, needle).map((at) => [start + at, start + at + needle.length])
  const starts = findAll(withLineEnding(body, '\n'), needle)
  const places = originalPlaces(
    body,
    starts.flatMap((at) => [at, at + needle.length]),
  )
  return starts.map((_, i) => [start + (places[2 * i] ?? 0), start + (places[2 * i + 1] ?? 0)])
}

/** Maps offsets in text with `\n` to text with `\r\n`. `places` must be ascending. */
function originalPlaces(text: string, places: readonly number[]): readonly number[] {
  let breaksBefore = 0
  let next = text.indexOf('\r\n')
  return places.map((place) => {
    while (next !== -1 && next - breaksBefore < place) {
      breaksBefore++
      next = text.indexOf('\r\n', next + 2)
    }
    return place + breaksBefore
  })
}

/** Finds matches that do not overlap. The algorithm (Knuth–Morris–Pratt) is linear even for repetitive strings. */
function findAll(text: string, needle: string): readonly number[] {
  if (!text.includes(needle.slice(0, 1))) return []
  const borders = bordersOf(needle)
  const positions: number[] = []
  let matched = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    while (matched > 0 && needle.charCodeAt(matched) !== c) matched = borders[matched - 1] as number
    if (needle.charCodeAt(matched) === c) matched++
    if (matched === needle.length) {
      positions.push(i + 1 - matched)
      matched = 0
    }
  }
  return positions
}

/** Returns, for each prefix, the length of its longest proper prefix that is also a suffix. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length)
  let length = 0
  for (let i = 1; i < needle.length; i++) {
    const c = needle.charCodeAt(i)
    while (length > 0 && needle.charCodeAt(length) !== c) length = borders[length - 1] as number
    if (needle.charCodeAt(length) === c) length++
    borders[i] = length
  }
  return borders
}
