import { RouxError } from '../../core/errors.ts'

/** An error at a position of a query. */
export interface Flaw {
  /** Offset in UTF-16 units. */
  readonly at: number
  /** A clause without a full stop: `"titel" is no field`. */
  readonly problem: string
  /** The correct form. */
  readonly hint: string
  readonly candidates?: readonly string[]
}

/**
 * The `INVALID_PARAMS` error of an invalid query. Its message has three lines: the error with its column (characters,
 * from 1), the query (cut around the position), and a caret.
 */
export function queryError(text: string, { at, problem, hint, candidates }: Flaw): RouxError {
  const { line, offset } = excerpt(text, at)
  const message = `The query cannot be read at column ${columnOf(text, at)}: ${problem}.\n${line}\n${' '.repeat(offset)}^`
  return new RouxError('INVALID_PARAMS', message, candidates === undefined ? { hint } : { hint, candidates })
}

/** A piece of a query for a message, in double quotes and cut to 40 characters. */
export function shown(piece: string): string {
  const { text, isCut } = firstCharacters(piece, SHOWN_PIECE)
  return `"${onOneLine(text)}${isCut ? '…' : ''}"`
}

const SHOWN_PIECE = 40
const SHOWN_BEFORE = 40
const SHOWN_AFTER = 30

function columnOf(text: string, at: number): number {
  let column = 1
  for (const _ of text.slice(0, at)) column++
  return column
}

function excerpt(text: string, at: number): { readonly line: string; readonly offset: number } {
  // Enough units for the characters wanted, also when one that is cut in two stands first.
  const head = [...text.slice(Math.max(0, at - 2 * SHOWN_BEFORE - 2), at)]
  const before = head.slice(-SHOWN_BEFORE)
  const isCut = before.length < head.length || at > 2 * SHOWN_BEFORE + 2
  const lead = `${isCut ? '…' : ''}${onOneLine(before.join(''))}`
  const after = firstCharacters(text.slice(at, at + 2 * SHOWN_AFTER + 2), SHOWN_AFTER)
  return { line: `${lead}${onOneLine(after.text)}${after.isCut ? '…' : ''}`, offset: [...lead].length }
}

function firstCharacters(text: string, count: number): { readonly text: string; readonly isCut: boolean } {
  const characters = [...text.slice(0, 2 * count + 2)]
  return { text: characters.slice(0, count).join(''), isCut: characters.length > count }
}

/** Line ends, tabs and control characters become spaces, one for one, which keeps the caret in place. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
}
