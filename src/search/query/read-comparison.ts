import type { Comparison } from '../../core/query.ts'
import { readPeriod } from './period.ts'
import { queryError, shown } from './query-error.ts'
import type { Piece } from './read-token.ts'
import { type Reading, readName, requireText } from './read-value.ts'

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

/**
 * The operand of a property comparison: `2024` is a number and a year. @throws `INVALID_PARAMS` when it is neither a
 * number nor a date
 */
export function readComparison({ name, operator, value }: ComparedPieces, reading: Reading): ComparisonTerm {
  const property = readName(name, reading)
  const what = `the number or date after ${shown(operator)}`
  const written = requireText(value, reading, { what, hint: HINT }).text.trim()
  const number = readNumber(written)
  const period = readPeriod(written, reading.now)
  if (number === undefined && period === undefined)
    throw queryError(reading.text, {
      at: value.span.start,
      problem: `${shown(written)} is neither a number nor a date`,
      hint: HINT,
    })
  return { kind: 'comparison', name: property, operator, written, number, period }
}

const HINT =
  'Write a number or a date: #rating>=4, #due<2024-05-01, #due>=day-7. Texts are compared by "=" only: #status=done, or -#status=done for notes where it is not so.'

const NUMBER = /^[+-]?\d{1,300}(?:\.\d{1,300})?$/

/** The number that a text is, in decimal digits. */
export function readNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined
}
