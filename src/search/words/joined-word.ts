import type { WordSink } from '../../core/search-writer.ts'
import { classAt, foldWord, MARK, MAX_FORM, ownCopy, SPACED, widthAt } from './fold-word.ts'

export const WORD = 0

/** The kind of a part of the previous word, at the same position: `effect` in `useEffect`, `node` in `node.js`. */
export const PART = 1

/**
 * The kind of the last character of a run without spaces. No pair starts with it, but a search for the single character must find
 * it.
 */
export const TAIL = 2

/** A longer word is usually a key or hash. */
const MAX_LENGTH = 48

const MAX_PARTS = 6

const HUMP = /[A-Z]+(?![a-z]{2})|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+/g

const SMALL_THEN_CAPITAL = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/

/** The methods are cached for speed; see `scan.ts`. */
const { charCodeAt, slice } = String.prototype

/** The maximum number of pieces joined by `.`, `_` or `@`. A longer sequence is a list. */
const MAX_PIECES = 8

interface Piece {
  readonly raw: string
  readonly start: number
  readonly end: number
}

interface NextPosition {
  readonly at: number
  readonly position: number
}

interface WordReading {
  readonly words: readonly FoundWord[]
  readonly next: NextPosition
}

interface FoundWord {
  readonly form: string
  readonly kind: number
  readonly position: number
  readonly start: number
  readonly end: number
}

/** The size of the cache. A few names make up most joined words of a vault. */
const MEMO = 500

const memo = new Map<string, WordReading>()

export function forgetJoinedWords(): void {
  memo.clear()
}

/** Passes the word at `start`, including all joined pieces, and its parts to the sink. */
export function readJoinedWord(text: string, start: number, position: number, sink: WordSink): NextPosition {
  const end = ownEnd(text, start)
  if (end < 0) return readAgain(text, start, position, sink)
  const run = slice.call(text, start, end)
  const { words, next } = memo.get(run) ?? readOwn(ownCopy(run))
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as FoundWord
    sink(word.form, word.kind, position + word.position, start + word.start, start + word.end)
  }
  return { at: start + next.at, position: position + next.position }
}

function readOwn(run: string): WordReading {
  const words: FoundWord[] = []
  const next = readAgain(run, 0, 0, (form, kind, position, start, end) => words.push({ form, kind, position, start, end }))
  const reading = { words, next }
  if (memo.size >= MEMO) memo.clear()
  memo.set(run, reading)
  return reading
}

/** Returns -1 if the run is too long, or if its meaning depends on other characters. */
function ownEnd(text: string, start: number): number {
  if (charCodeAt.call(text, start - 1) === 46) return -1
  for (let at = start; at <= start + MAX_FORM; at++) {
    const unit = charCodeAt.call(text, at)
    // At the end of the text, `unit` is NaN.
    if (!(unit < 128)) return unit >= 128 ? -1 : at
    if (isAlphanumeric(unit) || isJoiner(unit) || unit === 39) continue
    if (unit === 43 || unit === 35) return -1
    // A comma after a digit may separate thousands, and a hyphen may belong to a date.
    const isAfterDigit = (unit === 44 || unit === 45) && charCodeAt.call(text, at - 1) < 58
    return isAfterDigit ? -1 : at
  }
  return -1
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 48 && unit < 58) || (unit >= 65 && unit < 91) || (unit >= 97 && unit < 123)
}

function readAgain(text: string, start: number, position: number, sink: WordSink): NextPosition {
  const date = dateAt(text, start)
  if (date !== undefined) return putDate(date.split('-').map(piecesOf(start)), date, { start, position, sink })
  const pieces = [readPiece(text, start)]
  let last = pieces[0] as Piece
  while (isJoiner(charCodeAt.call(text, last.end)) && begins(text, last.end + 1)) {
    last = readPiece(text, last.end + 1)
    pieces.push(last)
  }
  if (pieces.length > MAX_PIECES || last.end - start > MAX_FORM) return putSeparately(pieces, position, sink)
  const folded = pieces.map(({ raw }) => foldWord(raw))
  const name = pieces.length > 1 ? joinedName(text, pieces, folded) : (folded[0] as string)
  const suffix = symbolAfter(text, pieces)
  const dotted = isDotName(text, start)
  const whole = `${dotted ? '.' : ''}${name}${suffix}`
  const from = dotted ? start - 1 : start
  const end = last.end + suffix.length
  sink(whole, WORD, position, from, end)
  putParts(pieces, { folded, name, whole, sink, position, from, end })
  return { at: end, position: position + 1 }
}

interface WholeWord {
  readonly folded: readonly string[]
  /** The name without a leading dot and trailing symbols. */
  readonly name: string
  readonly whole: string
  readonly sink: WordSink
  readonly position: number
  readonly from: number
  readonly end: number
}

function putParts(pieces: readonly Piece[], { folded, name, whole, sink, position, from, end }: WholeWord): void {
  if (whole !== name && name.length > 1) sink(name, PART, position, from, end)
  if (VERSION.test(name)) sink(name.slice(1), PART, position, from + 1, end)
  else if (!NUMBER.test(name)) {
    for (const [index, { raw, start, end: pieceEnd }] of pieces.entries()) {
      const part = folded[index] as string
      if (pieces.length > 1 && part.length > 1 && name !== part) sink(part, PART, position, start, pieceEnd)
      for (const camel of camelParts(raw)) sink(camel.toLowerCase(), PART, position, start, pieceEnd)
    }
  }
}

const VERSION = /^v\d+(\.\d+)+$/

const NUMBER = /^\d+(\.\d+)+$/

function putSeparately(pieces: readonly Piece[], position: number, sink: WordSink): NextPosition {
  let next = position
  for (const { raw, start, end } of pieces) sink(foldWord(raw), WORD, next++, start, end)
  return { at: (pieces.at(-1) as Piece).end, position: next }
}

/** Joins the pieces of a name. Abbreviations such as `U.S.A.` and `e.g.` lose their dots. */
function joinedName(text: string, pieces: readonly Piece[], folded: readonly string[]): string {
  if (pieces.every(({ raw, end }, at) => /^\p{L}$/u.test(raw) && (at === pieces.length - 1 || text[end] === '.'))) {
    return folded.join('')
  }
  let name = folded[0] as string
  for (let at = 1; at < folded.length; at++) name += `${text[(pieces[at - 1] as Piece).end]}${folded[at]}`
  return name
}

/** Returns `++` (`c++`), `#` after a single letter (`c#`), or an empty string. */
function symbolAfter(text: string, pieces: readonly Piece[]): string {
  const { raw, start, end } = pieces.at(-1) as Piece
  const next = charCodeAt.call(text, end)
  if (next === 43 && text[end + 1] === '+' && /^[a-z]{1,12}$/i.test(raw) && !/[\p{L}\p{N}+]/u.test(text[end + 2] ?? '')) {
    return '++'
  }
  if (next !== 35 || end - start !== 1 || pieces.length > 1) return ''
  return /^[a-z]$/i.test(raw) && !/[\p{L}\p{N}#^]/u.test(text[end + 1] ?? '') ? '#' : ''
}

/** Recognizes names such as `.net` and `.gitignore`, which follow a space, bracket or quote. */
function isDotName(text: string, start: number): boolean {
  return (
    charCodeAt.call(text, start - 1) === 46 &&
    /[a-z]/i.test(text[start] ?? '') &&
    (start === 1 || /[\s([{"'`*/]/.test(text[start - 2] ?? ''))
  )
}

const DATE = /\d{4}-\d\d(?:-\d\d)?(?![\p{L}\p{N}_-])/uy

function dateAt(text: string, start: number): string | undefined {
  if (charCodeAt.call(text, start + 4) !== 45) return undefined
  DATE.lastIndex = start
  return DATE.exec(text)?.[0]
}

function piecesOf(start: number): (raw: string) => Piece {
  let at = start
  return (raw) => {
    const piece = { raw, start: at, end: at + raw.length }
    at = piece.end + 1
    return piece
  }
}

function putDate(pieces: readonly Piece[], whole: string, to: { start: number; position: number; sink: WordSink }): NextPosition {
  const end = to.start + whole.length
  to.sink(whole, WORD, to.position, to.start, end)
  for (const piece of pieces) to.sink(piece.raw, PART, to.position, piece.start, piece.end)
  return { at: end, position: to.position + 1 }
}

/** Matches endings that are dropped after an apostrophe. `n't` is kept. */
const SUFFIX = /^(?:s|d|m|ll|re|ve)$/i

const ELISION = /^(?:\p{L}|qu)$/iu

const DIGITS = /^\d+$/

function readPiece(text: string, start: number): Piece {
  let end = runEnd(text, start)
  // Collected in an array, because repeated concatenation would copy a long word again and again.
  const runs = [slice.call(text, start, end)]
  for (;;) {
    const unit = charCodeAt.call(text, end)
    const last = runs.at(-1) as string
    if ((unit === 39 || unit === 0x2019) && begins(text, end + 1)) {
      const from = end + 1
      const to = runEnd(text, from)
      const run = slice.call(text, from, to)
      if (SUFFIX.test(run)) return { raw: runs.join(''), start, end: to }
      if (runs.length === 1 && ELISION.test(last)) break
      runs.push(run)
      end = to
    } else if (unit === 44 && DIGITS.test(last) && (runs.length > 1 ? last.length === 3 : last.length <= 3)) {
      const to = thousandsEnd(text, end + 1)
      if (to === undefined) break
      runs.push(text.slice(end + 1, to))
      end = to
    } else break
  }
  return { raw: runs.join(''), start, end }
}

/** Returns the offset after exactly three digits. */
function thousandsEnd(text: string, start: number): number | undefined {
  return /^\d{3}$/.test(text.slice(start, start + 3)) && !isSpaced(text, start + 3) ? start + 3 : undefined
}

function runEnd(text: string, start: number): number {
  const { length } = text
  let at = start
  while (at < length && continues(classAt(text, at))) at += charCodeAt.call(text, at) < 128 ? 1 : widthAt(text, at)
  return at
}

function isSpaced(text: string, at: number): boolean {
  return at < text.length && continues(classAt(text, at))
}

function continues(wordClass: number): boolean {
  return wordClass === SPACED || wordClass === MARK
}

/** Returns true if a piece can begin here. Combining marks cannot start one. */
function begins(text: string, at: number): boolean {
  return at < text.length && classAt(text, at) === SPACED
}

function isJoiner(unit: number): boolean {
  return unit === 46 || unit === 95 || unit === 64
}

/** Splits camel case (`useEffect` → `use`, `Effect`), without parts of one character. Other words give an empty list. */
function camelParts(word: string): readonly string[] {
  if (word.length > MAX_LENGTH || !SMALL_THEN_CAPITAL.test(word)) return []
  const parts = word.match(HUMP) ?? []
  return parts.length < 2 || parts.length > MAX_PARTS ? [] : parts.filter((part) => part.length > 1)
}
