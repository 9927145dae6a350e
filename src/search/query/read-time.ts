import { readPeriod } from './period.ts'
import type { Term, TimeField } from './query.ts'
import { queryError, shown } from './query-error.ts'
import type { Token } from './read-token.ts'
import type { Reading } from './read-value.ts'

export type FieldToken = Extract<Token, { kind: 'field' }>

/** The time that a date and its operator stand for: `>` is after the whole period, `<` before all of it, nothing within. */
export function readTime({ operator, value, span }: FieldToken, field: TimeField, reading: Reading): Term {
  const period = readPeriod(value.text, reading.now)
  if (period === undefined) {
    const problem = value.text.trim() === '' ? 'a date is missing' : `${shown(value.text)} is no date`
    throw queryError(reading.text, { at: value.span.start, problem, hint: DATE_HINT })
  }
  const isPlain = operator === '=' && !COUNTS_BACK.test(value.text)
  const time = { kind: 'time', field, written: (isPlain ? '' : operator) + value.text, span } as const
  switch (operator) {
    case '':
      // A count back from today is a start: `day-7` means the last seven days, as in other note programs.
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
        problem: `dates cannot be compared by ${shown(operator)}`,
        hint: 'Write one of >, >=, <, <=, =, or nothing for "in this period".',
      })
  }
}

const COUNTS_BACK = /^[a-z]+-\d+$/i

const DATE_HINT =
  'Write a date such as 2024, 2024-01, 2024-01-31 or 2024-01-31T12:30, or count from today: day, day-7, week-1, month-3, year-1. A span of time is two conditions: created:>=2024-01 created:<=2024-03.'
