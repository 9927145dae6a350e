import type { TextForm } from './query.ts'
import { queryError } from './query-error.ts'
import { hasWord, type Piece } from './read-token.ts'

/** The context for reading a query. */
export interface Reading {
  readonly text: string
  /** From which days, weeks, months and years are counted. */
  readonly now: Date
}

export const COMPARISONS =
  'Properties are compared as in #status=done, #rating>=4 or #due<2024-05-01, and -#status=done finds notes where it is not so; dates of notes as in modified:>2024-01-31.'
export const QUOTE_IT = 'To search for the text itself, put it in quotes'

/** A word, a prefix or, if quoted, a phrase. */
export function readWords(piece: Piece, reading: Reading): { readonly form: TextForm; readonly text: string } {
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
  const hint = `Write the beginning of a word and then the star: neur*. ${QUOTE_IT}.`
  throw queryError(reading.text, { at: span.start + star, problem: '"*" can only end a word', hint })
}

/** The piece itself, unless it is empty. */
export function requireText(
  piece: Piece,
  reading: Reading,
  { what, hint }: { readonly what: string; readonly hint: string },
): Piece {
  if (piece.text.trim() !== '') return piece
  throw queryError(reading.text, { at: piece.span.start, problem: `${what} is missing`, hint })
}

/** The text of a value that cannot be cut short with a star. */
export function plainText(piece: Piece, reading: Reading): string {
  const star = piece.isQuoted ? -1 : piece.text.indexOf('*')
  if (star === -1) return piece.text
  const hint =
    'Leave the star out (path: finds every path that contains the text, a tag also what is nested in it), or put the text in quotes.'
  throw queryError(reading.text, {
    at: piece.span.start + star,
    problem: '"*" means nothing here',
    hint,
  })
}

/** The name of a property or typed link: anything with a letter, digit or emoji in it. */
export function readName(piece: Piece, reading: Reading): string {
  const { text, isQuoted, span } = piece
  const sigil = reading.text.charAt(span.start - 1)
  if (!hasWord(text) && !PICTOGRAPH.test(text)) {
    const hint = `Write it without a blank: #status=done, ~up="Home". ${QUOTE_IT}.`
    throw queryError(reading.text, { at: span.start, problem: `a name is missing after "${sigil}"`, hint })
  }
  if (!isQuoted && /[<>!]$/.test(text)) {
    throw queryError(reading.text, { at: span.end - 1, problem: 'only properties and dates can be compared', hint: COMPARISONS })
  }
  return plainText(piece, reading)
}

const PICTOGRAPH = /\p{Extended_Pictographic}/u
