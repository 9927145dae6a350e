import type { RouxError } from '../../core/errors.ts'
import { type Comparison, FEATURES, TASK_STATES } from '../../core/query.ts'
import { readNumber, readPeriod } from './compare-values.ts'
import type { Term, TextForm, TimeField } from './query.ts'
import {
  FIELD_NAMES,
  type FieldName,
  findField,
  hasWord,
  nearestOf,
  type Piece,
  queryError,
  shortened,
  type Token,
} from './read-token.ts'

const TIMES: { readonly [field in FieldName]?: TimeField } = {
  created: 'created',
  dateCreated: 'created',
  modified: 'modified',
  dateModified: 'modified',
}

const TITLE = { what: 'the text after title:', hint: 'Write it without a space: title:word or title:"two words".' }

const PATH = {
  what: 'the text after path:',
  hint: 'Write a part of the folder or file name, without a space: path:journal/2024 or path:"Daily notes".',
}

const FOLDER = {
  what: 'the folder after folder:',
  hint: 'Write its path in the vault, with no space after the colon: folder:People or folder:"Daily notes/2024".',
}

const COMMUNITY = {
  what: 'the id after community:',
  hint: 'Write an id from map: community:c4, or community:c4.2 for a part of it.',
}

const TYPE = { what: 'the text after type:', hint: 'Write a value of the property "type", without a space: type:person.' }

/**
 * As in Obsidian, a tag ends at whitespace, general punctuation, or an ASCII character other than a letter, a digit, `_`, `-` or
 * `/`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const NOT_IN_TAGS = /[\x00-,.:-@[-^`{-\x7f\s\u2000-\u206f\u2e00-\u2e7f]/

const COUNTS_BACK = /^[a-z]+-\d+$/i

const DATE_HINT =
  'Write a date such as 2024, 2024-01, 2024-01-31 or 2024-01-31T12:30, or relative to today: day, day-7, week-1, month-3, year-1. A range is two conditions: created:>=2024-01 created:<=2024-03.'

const COMPARISONS =
  'Compare properties as in #status=done, #rating>=4 or #due<2024-05-01 (-#status=done finds all other notes), and dates of notes as in modified:>2024-01-31.'

const QUOTE_IT = 'To search for the text itself, put it in quotes'

const PICTOGRAPH = /\p{Extended_Pictographic}/u

const COMPARISON_HINT =
  'Write a number or a date: #rating>=4, #due<2024-05-01, #due>=day-7. Text can only be compared with "=": #status=done, or -#status=done for all other notes.'

type TermToken = Extract<Token, { kind: 'text' | 'named' | 'field' }>

/** Reads a condition. @throws RouxError `INVALID_PARAMS` if the token is not valid */
export function readTerm(token: TermToken, reading: TermReader): Term {
  switch (token.kind) {
    case 'text':
      return { kind: 'text', ...readWords(token.piece, reading), span: token.span }
    case 'named':
      return token.sigil === '~' ? readRelation(token, reading) : readTagOrProperty(token, reading)
    default:
      return readField(token, reading)
  }
}

type NamedToken = Extract<Token, { kind: 'named' }>

function readTagOrProperty({ name, operator, value, span }: NamedToken, reading: TermReader): Term {
  if (operator === undefined || value === undefined) return { kind: 'tag', name: readTag(name, reading), span }
  if (operator !== '=') return { ...readComparison({ name, operator, value }, reading), span }
  // Quoted text is literal, even if it is empty.
  const text = value.isQuoted ? value.text : plainText(value, reading) || undefined
  return { kind: 'property', name: readName(name, reading), value: text, span }
}

function readRelation({ name, value, span }: NamedToken, reading: TermReader): Term {
  const relation = { kind: 'relation', name: readName(name, reading), span } as const
  if (value === undefined) return { ...relation, title: undefined }
  return { ...relation, title: plainText(requireText(value, reading, RELATION_TITLE), reading) }
}

const RELATION_TITLE = {
  what: 'the title after "="',
  hint: 'Write the title of the linked note, ~up="Home", or omit "=" to find every note with such a link.',
}

function readField(token: FieldToken, reading: TermReader): Term {
  const { value, span } = token
  const field = findField(token.name)
  if (field === undefined) throw unknownField(token, reading)
  const time = TIMES[field]
  if (time !== undefined) return readTime(token, time, reading)
  refuseOperator(token, reading)
  switch (field) {
    case 'title':
      requireText(value, reading, TITLE)
      return { kind: 'title', ...readWords(value, reading), span }
    case 'path':
      return { kind: 'path', text: plainText(requireText(value, reading, PATH), reading), span }
    case 'folder':
      return { kind: 'folder', text: readFolder(token, reading), span }
    case 'type':
      return { kind: 'type', value: plainText(requireText(value, reading, TYPE), reading), span }
    case 'tag':
      return { kind: 'tag', name: readTag(value, reading), span }
    case 'links':
    case 'linkedfrom':
      return { kind: field, title: plainText(requireText(value, reading, noteOf(field)), reading), span }
    case 'community':
      return { kind: 'community', id: plainText(requireText(value, reading, COMMUNITY), reading), span }
    case 'task':
      return { kind: 'task', state: readWord(token, reading, { field, words: TASK_STATES }), span }
    default:
      return { kind: 'has', feature: readWord(token, reading, { field: 'has', words: FEATURES }), span }
  }
}

function noteOf(field: string) {
  return {
    what: `the note after ${field}:`,
    hint: `Write its title or its path, without a space: ${field}:Home or ${field}:"folder/My note"; or a query in parentheses: ${field}:(#index).`,
  }
}

function readFolder({ value }: FieldToken, reading: TermReader): string {
  const text = plainText(requireText(value, reading, FOLDER), reading).trim()
  const isSlash = (at: number) => text[at] === '/' || text[at] === '\\'
  let [start, end] = [0, text.length]
  while (isSlash(start)) start++
  while (end > start && isSlash(end - 1)) end--
  if (start < end) return text.slice(start, end)
  throw queryError(reading.text, { at: value.span.start, problem: 'every note is in the folder "/"', hint: FOLDER.hint })
}

function refuseOperator({ operator, value }: FieldToken, reading: TermReader): void {
  if (operator === '') return
  const hint = 'Remove it. Only created:, modified: and properties can be compared, as in modified:>2024-01-31 or #rating>=4.'
  throw queryError(reading.text, {
    at: value.span.start - operator.length,
    problem: `only dates can be compared with ${shortened(operator)}`,
    hint,
  })
}

function unknownField({ name, span }: FieldToken, reading: TermReader): RouxError {
  const near = nearestOf(name, FIELD_NAMES)
  const quotedText = shortened(reading.text.slice(span.start, span.end).replace(/["“”„]/g, ''))
  return queryError(reading.text, {
    at: span.start,
    problem: `there is no field ${shortened(name)}${near === undefined ? '' : `, did you mean ${near}`}`,
    hint: `The fields are ${FIELD_NAMES.join(', ')}. ${QUOTE_IT}: ${quotedText}.`,
    ...(near === undefined ? {} : { candidates: [near] }),
  })
}

function readWord<Word extends string>(
  { value }: FieldToken,
  reading: TermReader,
  { field, words }: { readonly field: string; readonly words: readonly Word[] },
): Word {
  const lowerCase = value.text.toLowerCase()
  const word = words.find((name) => name === lowerCase)
  if (word !== undefined) return word
  const near = nearestOf(lowerCase, words)
  const problem =
    lowerCase === ''
      ? `the word after ${field}: is missing`
      : `${field}: has no value ${shortened(value.text)}${near === undefined ? '' : `, did you mean ${near}`}`
  const hint = `Write one of ${words.map((name) => `${field}:${name}`).join(', ')}.`
  throw queryError(reading.text, { at: value.span.start, problem, hint, ...(near === undefined ? {} : { candidates: [near] }) })
}

function readTag(piece: Piece, reading: TermReader): string {
  const markLength = piece.text.startsWith('#') && reading.text[piece.span.start - 1] !== '#' ? 1 : 0
  const name = piece.text.slice(markLength).replace(/(?<!\/)\/+$/, '')
  const first = piece.span.start + (piece.isQuoted ? 1 : 0) + markLength
  if (name === '')
    throw queryError(reading.text, {
      at: first,
      problem: 'the name of a tag is missing',
      hint: `Write it without a space: #project. ${QUOTE_IT}.`,
    })
  const wrong = NOT_IN_TAGS.exec(name)
  if (wrong !== null) {
    // Other applications write `#status:done` for a property.
    const hint = '<>!:'.includes(wrong[0]) ? COMPARISONS : `A tag may contain letters, digits, "_", "-" and "/". ${QUOTE_IT}.`
    throw queryError(reading.text, { at: first + wrong.index, problem: `${shortened(wrong[0])} cannot be in a tag`, hint })
  }
  if (/^[\d/]*$/.test(name)) {
    throw queryError(reading.text, {
      at: first,
      problem: `${shortened(name)} is not a tag, because a tag cannot consist only of digits`,
      hint: 'To search for the number, write it without "#".',
    })
  }
  return name
}

export type FieldToken = Extract<Token, { kind: 'field' }>

/** Returns the time after the period for `>`, before it for `<`, and the period itself without an operator. */
function readTime({ operator, value, span }: FieldToken, field: TimeField, reading: TermReader): Term {
  const period = readPeriod(value.text, reading.now)
  if (period === undefined) {
    const problem = value.text.trim() === '' ? 'a date is missing' : `${shortened(value.text)} is not a date`
    throw queryError(reading.text, { at: value.span.start, problem, hint: DATE_HINT })
  }
  const isPlain = operator === '=' && !COUNTS_BACK.test(value.text)
  const time = { kind: 'time', field, written: (isPlain ? '' : operator) + value.text, span } as const
  switch (operator) {
    case '':
      // `day-7` means the last seven days, as in other note-taking applications.
      return COUNTS_BACK.test(value.text) ? { ...time, from: period.from, to: Number.POSITIVE_INFINITY } : { ...time, ...period }
    case '=':
      return { ...time, ...period }
    case '<':
      return { ...time, from: Number.NEGATIVE_INFINITY, to: period.from }
    case '<=':
      return { ...time, from: Number.NEGATIVE_INFINITY, to: period.to }
    case '>':
      return { ...time, from: period.to, to: Number.POSITIVE_INFINITY }
    case '>=':
      return { ...time, from: period.from, to: Number.POSITIVE_INFINITY }
    default:
      throw queryError(reading.text, {
        at: value.span.start - operator.length,
        problem: `dates cannot be compared with ${shortened(operator)}`,
        hint: 'Write one of >, >=, <, <=, =, or nothing for "in this period".',
      })
  }
}

export interface TermReader {
  readonly text: string
  readonly now: Date
}

function readWords(piece: Piece, reading: TermReader): { readonly form: TextForm; readonly text: string } {
  const { text, isQuoted, span } = piece
  if (isQuoted) {
    if (hasWord(text)) return { form: 'phrase', text }
    throw queryError(reading.text, {
      at: span.start,
      problem: 'there is no word between the quotes',
      hint: 'Write at least one word: "exact phrase".',
    })
  }
  const star = text.indexOf('*')
  if (star === -1) return { form: 'word', text }
  if (star === text.length - 1 && hasWord(text)) return { form: 'prefix', text: text.slice(0, -1) }
  const hint = `Write the start of a word, then the star: neur*. ${QUOTE_IT}.`
  throw queryError(reading.text, { at: span.start + star, problem: '"*" can only end a word', hint })
}

function requireText(piece: Piece, reading: TermReader, { what, hint }: { readonly what: string; readonly hint: string }): Piece {
  if (piece.text.trim() !== '') return piece
  throw queryError(reading.text, { at: piece.span.start, problem: `${what} is missing`, hint })
}

function plainText(piece: Piece, reading: TermReader): string {
  const star = piece.isQuoted ? -1 : piece.text.indexOf('*')
  if (star === -1) return piece.text
  const hint =
    'Remove the star (path: matches any part of a path, and a tag includes its nested tags), or put the text in quotes.'
  throw queryError(reading.text, {
    at: piece.span.start + star,
    problem: '"*" is not supported here',
    hint,
  })
}

function readName(piece: Piece, reading: TermReader): string {
  const { text, isQuoted, span } = piece
  const sigil = reading.text.charAt(span.start - 1)
  if (!hasWord(text) && !PICTOGRAPH.test(text)) {
    const hint = `Write it without a space: #status=done, ~up="Home". ${QUOTE_IT}.`
    throw queryError(reading.text, { at: span.start, problem: `a name is missing after "${sigil}"`, hint })
  }
  if (!isQuoted && /[<>!]$/.test(text)) {
    throw queryError(reading.text, { at: span.end - 1, problem: 'only properties and dates can be compared', hint: COMPARISONS })
  }
  return plainText(piece, reading)
}

interface ComparedPieces {
  readonly name: Piece
  readonly operator: Comparison['operator']
  readonly value: Piece
}

interface ComparisonTerm extends Comparison {
  readonly kind: 'comparison'
  readonly name: string
  readonly written: string
}

/** Reads a comparison. A value such as `2024` is both a number and a year. */
function readComparison({ name, operator, value }: ComparedPieces, reading: TermReader): ComparisonTerm {
  const property = readName(name, reading)
  const description = `the number or date after ${shortened(operator)}`
  const valueText = requireText(value, reading, { what: description, hint: COMPARISON_HINT }).text.trim()
  const number = readNumber(valueText)
  const period = readPeriod(valueText, reading.now)
  if (number === undefined && period === undefined)
    throw queryError(reading.text, {
      at: value.span.start,
      problem: `${shortened(valueText)} is neither a number nor a date`,
      hint: COMPARISON_HINT,
    })
  return { kind: 'comparison', name: property, operator, written: valueText, number, period }
}
