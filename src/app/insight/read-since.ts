import { invalid } from '../../core/errors.ts'
import { readPeriod } from '../../search/query/compare-values.ts'
import { quoted } from '../answer/truncate.ts'

const MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const
const UNITS: Readonly<Record<string, number>> = { m: MS.minute, h: MS.hour, d: MS.day, w: MS.week }
const AGO = /^(\d{1,5}) ?(m|h|d|w|minutes?|hours?|days?|weeks?)(?: ago)?$/
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Reads a time, in milliseconds since the Unix epoch. Accepts periods of the query language (`2024-01-31`, `day-7`, `week`),
 * `today`, `yesterday`, the latest `monday` (may be today), `last monday` (before today), and durations such as `7d`. A period
 * means its start.
 * @throws RouxError `INVALID_PARAMS` if the text is not a time, or if the time is in the future
 */
export function readSince(input: string, now: Date): number {
  const text = input.trim()
  const time = agoOf(text.toLowerCase(), now) ?? readPeriod(periodOf(text, now), now)?.from
  if (time === undefined) throw invalid(`since: ${quoted(input)} is not a date or time.`, HINT)
  if (time <= now.getTime()) return time
  throw invalid(`since: ${quoted(input)} is in the future; it is ${now.toISOString()} now.`, HINT)
}

const HINT = 'Write a date or time such as 2024-01-31 or 2024-01-31T12:30, or today, yesterday, monday, day-7, week-1, 7d, 12h.'

function agoOf(text: string, now: Date): number | undefined {
  const [, count, unit = ''] = AGO.exec(text) ?? []
  return count === undefined ? undefined : now.getTime() - Number(count) * (UNITS[unit.charAt(0)] ?? 0)
}

/** Translates a time expression into the query language. */
function periodOf(text: string, now: Date): string {
  const word = text.toLowerCase()
  if (word === 'today') return 'day'
  if (word === 'yesterday') return 'day-1'
  const [, last] = /^last (day|week|month|year)$/.exec(word) ?? []
  if (last !== undefined) return `${last}-1`
  const weekday = WEEKDAYS.indexOf(word.replace(/^last /, ''))
  if (weekday >= 0) {
    const daysAgo = (now.getDay() - weekday + 7) % 7
    return `day-${daysAgo === 0 && word.startsWith('last ') ? 7 : daysAgo}`
  }
  return text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
}
