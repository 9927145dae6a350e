import { RouxError } from '../../core/errors.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { SimilarNames } from '../similar-names.ts'

const SHOWN_PIECE = 40

const SHOWN_BEFORE = 40

const SHOWN_AFTER = 30

/** The fields in the order in which they are listed. */
export const FIELD_NAMES = [
  'title',
  'path',
  'folder',
  'type',
  'tag',
  'links',
  'linkedfrom',
  'community',
  'task',
  'created',
  'modified',
  'dateCreated',
  'dateModified',
  'has',
] as const

const BY_FOLDED: ReadonlyMap<string, FieldName> = new Map(FIELD_NAMES.map((name) => [name.toLowerCase(), name]))

/** Minimum similarity of suggestions: `titel` and `title` have 0.5, and `pth` and `path` 0.4. */
const MIN_SIMILARITY = 0.35

export interface Piece {
  readonly text: string
  readonly isQuoted: boolean
  readonly span: TextRange
}

export type Token =
  | { readonly kind: 'open' | 'close' | 'minus' | 'or' | 'and' | 'not' | 'end'; readonly span: TextRange }
  | { readonly kind: 'text'; readonly piece: Piece; readonly span: TextRange }
  /** A token `#name` or `~name`, optionally with an operator and a value. */
  | {
      readonly kind: 'named'
      readonly sigil: '#' | '~'
      readonly name: Piece
      /** The operator. Properties also allow `<`, `<=`, `>` and `>=`. */
      readonly operator: NamedOperator | undefined
      readonly value: Piece | undefined
      readonly span: TextRange
    }
  /** A token `name:value`, whose value may start with an operator such as `>=`. */
  | {
      readonly kind: 'field'
      readonly name: string
      readonly operator: string
      readonly value: Piece
      readonly span: TextRange
    }

export type NamedOperator = '=' | '<' | '<=' | '>' | '>='

/** @throws RouxError `INVALID_PARAMS` for an unclosed quote or a `|` */
export function readToken(text: string, from: number): Token {
  const start = nextStart(text, from)
  const first = text[start]
  if (first === undefined) return { kind: 'end', span: { start, end: start } }
  if (first === '(' || first === ')' || first === '-') return { kind: MARKS[first], span: { start, end: start + 1 } }
  if (first === '#' || first === '~') return readNamed(text, start, first)
  return isQuote(first) ? wholePiece(readQuoted(text, start)) : readBare(text, start)
}

/** Returns true if the text contains a word. Punctuation and emoji are not indexed. */
export function hasWord(text: string): boolean {
  // The first test is several times faster and usually succeeds.
  return /[a-z0-9]/i.test(text) || /[\p{L}\p{N}]/u.test(text)
}

const MARKS = { '(': 'open', ')': 'close', '-': 'minus' } as const

const KEYWORDS: ReadonlyMap<string, 'or' | 'and' | 'not'> = new Map([
  ['OR', 'or'],
  ['AND', 'and'],
  ['NOT', 'not'],
])

const BLANKS = /\s*/y

const BARE = /[^\s()"“”„]*/y

const BARE_NAMES = { '#': /[^\s()"“”„=<>]*/y, '~': /[^\s()"“”„=]*/y }

const NAMED_OPERATORS = { '#': /=|[<>]=?/y, '~': /=/y }

/** A single letter may be a drive (`C:\x`), and no field has a name longer than 40 letters. */
const FIELD = /(\p{L}{2,40}):([<>=]*)/uy

/** These characters follow the colon in a URL (`http://`) or code (`std::vector`, `key:: value`). */
const NO_VALUE = /:|\/\//y

/** Returns the start of the next token, after whitespace, and punctuation and emoji between spaces. */
function nextStart(text: string, from: number): number {
  let at = from
  for (;;) {
    at = endOf(BLANKS, text, at)
    const first = text[at]
    if (first === undefined || '()-#~'.includes(first) || isQuote(first)) return at
    const end = endOf(BARE, text, at)
    const run = text.slice(at, end)
    if (/^\|\|?$/.test(run))
      throw queryError(text, {
        at,
        problem: `${shortened(run)} is not an operator`,
        hint: 'To match either, write OR: cat OR dog.',
      })
    if (run.includes('*') || hasWord(run)) return at
    at = end
  }
}

function readNamed(text: string, start: number, sigil: '#' | '~'): Token {
  const name = readPiece(text, start + 1, BARE_NAMES[sigil])
  const valueStart = endOf(NAMED_OPERATORS[sigil], text, name.span.end)
  const operator = (text.slice(name.span.end, valueStart) || undefined) as NamedOperator | undefined
  const value =
    operator === undefined ? undefined : sigil === '~' ? readNote(text, valueStart) : readPiece(text, valueStart, BARE)
  return { kind: 'named', sigil, name, operator, value, span: { start, end: (value ?? name).span.end } }
}

function readBare(text: string, start: number): Token {
  const piece = readCall(text, start) ?? readPiece(text, start, BARE)
  const keyword = KEYWORDS.get(piece.text)
  if (keyword !== undefined) return { kind: keyword, span: piece.span }
  if (!piece.text.includes(':')) return wholePiece(piece)
  FIELD.lastIndex = start
  const [head = '', name = '', operator = ''] = FIELD.exec(text) ?? []
  if (head === '') return wholePiece(piece)
  const value = NOTE_FIELD.test(name) ? readNote(text, start + head.length) : readPiece(text, start + head.length, BARE)
  const isField = findField(name) !== undefined || value.span.end > value.span.start || operator !== ''
  if (!isField || endOf(NO_VALUE, text, start + name.length + 1) > start + name.length + 1) return wholePiece(piece)
  return { kind: 'field', name, operator, value, span: { start, end: value.span.end } }
}

/** Reads a function call in code, whose parentheses are not a group. */
function readCall(text: string, start: number): Piece | undefined {
  const end = endOf(CALL, text, start)
  return end === start ? undefined : { text: text.slice(start, end), isQuoted: false, span: { start, end } }
}

const CALL = /[\p{L}_$][\p{L}\p{N}_$.]*\((?:\)|(?=\s*$))/uy

/** Reads a title, a link or quoted text: `[[My Home]]`, `[[Home#Door|door]]`. */
function readNote(text: string, start: number): Piece {
  const link = readLink(text, start)
  if (link !== undefined) return link
  const piece = readPiece(text, start, BARE)
  const quoted = piece.isQuoted ? readLink(piece.text, 0) : undefined
  return quoted?.span.end === piece.text.length ? { ...piece, text: quoted.text } : piece
}

function readLink(text: string, start: number): Piece | undefined {
  NOTE_LINK.lastIndex = start
  const [link = '', name = ''] = NOTE_LINK.exec(text) ?? []
  return name.trim() === '' ? undefined : { text: name.trim(), isQuoted: true, span: { start, end: start + link.length } }
}

const NOTE_FIELD = /^(?:links|linkedfrom)$/i

const NOTE_LINK = /\[\[([^[\]|#\n]+)(?:[|#][^[\]\n]*)?\]\]/y

function wholePiece(piece: Piece): Token {
  return { kind: 'text', piece, span: piece.span }
}

function readPiece(text: string, start: number, bare: RegExp): Piece {
  if (isQuote(text[start] ?? '')) return readQuoted(text, start)
  const end = endOf(bare, text, start)
  return { text: text.slice(start, end), isQuoted: false, span: { start, end } }
}

/**
 * A straight quote must be closed by a straight one. Any other quote can be closed by any quote, because „a“, “a” and “a" are all
 * common.
 */
function readQuoted(text: string, start: number): Piece {
  const isStraight = text[start] === '"'
  for (let at = start + 1; at < text.length; at++) {
    const c = text.charAt(at)
    if (c === '\\' && isEscapable(text.charAt(at + 1))) at++
    else if (c === '"' || (!isStraight && isQuote(c))) {
      const inner = text.slice(start + 1, at).replace(/\\(["“”„\\])/g, '$1')
      return { text: inner, isQuoted: true, span: { start, end: at + 1 } }
    }
  }
  throw queryError(text, {
    at: start,
    problem: 'a quote is not closed',
    hint: 'Close the quote: "two words". Inside quotes write \\" for a quote and \\\\ for a backslash.',
  })
}

function isQuote(c: string): boolean {
  return c === '"' || c === '“' || c === '”' || c === '„'
}

function isEscapable(c: string): boolean {
  return c === '\\' || isQuote(c)
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

export interface SyntaxProblem {
  /** The UTF-16 offset of the problem. */
  readonly at: number
  /** A description without a full stop, such as `a date is missing`. */
  readonly problem: string
  readonly hint: string
  readonly candidates?: readonly string[]
}

/**
 * Creates an `INVALID_PARAMS` error with three lines: the problem and its column (one-based, in characters), the query around it,
 * and a caret.
 */
export function queryError(text: string, { at, problem, hint, candidates }: SyntaxProblem): RouxError {
  const { line, offset } = excerpt(text, at)
  const message = `The query cannot be read at column ${columnOf(text, at)}: ${problem}.\n${line}\n${' '.repeat(offset)}^`
  return new RouxError('INVALID_PARAMS', message, candidates === undefined ? { hint } : { hint, candidates })
}

/** Quotes a piece of a query on one line, with at most 40 characters. */
export function shortened(piece: string): string {
  const { text, isCut } = firstCharacters(piece, SHOWN_PIECE)
  return `"${onOneLine(text)}${isCut ? '…' : ''}"`
}

function columnOf(text: string, at: number): number {
  let column = 1
  for (const _ of text.slice(0, at)) column++
  return column
}

function excerpt(text: string, at: number): { readonly line: string; readonly offset: number } {
  const head = [...text.slice(Math.max(0, at - 2 * SHOWN_BEFORE - 2), at)]
  const before = head.slice(-SHOWN_BEFORE)
  const isCut = before.length < head.length || at > 2 * SHOWN_BEFORE + 2
  const context = `${isCut ? '…' : ''}${onOneLine(before.join(''))}`
  const after = firstCharacters(text.slice(at, at + 2 * SHOWN_AFTER + 2), SHOWN_AFTER)
  return { line: `${context}${onOneLine(after.text)}${after.isCut ? '…' : ''}`, offset: [...context].length }
}

function firstCharacters(text: string, count: number): { readonly text: string; readonly isCut: boolean } {
  const characters = [...text.slice(0, 2 * count + 2)]
  return { text: characters.slice(0, count).join(''), isCut: characters.length > count }
}

/** Replaces line breaks, tabs and control characters with spaces, to align the caret. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
}

export type FieldName = (typeof FIELD_NAMES)[number]

export function findField(name: string): FieldName | undefined {
  return BY_FOLDED.get(name.toLowerCase())
}

export function nearestOf(word: string, names: readonly string[]): string | undefined {
  const index = new SimilarNames()
  for (const [key, name] of names.entries()) index.set(key, [name])
  const files = { accept: () => true, id: (key: number) => String(key).padStart(3, '0') }
  return index.find(word, files, { limit: 1, minimum: MIN_SIMILARITY })[0]?.name
}
