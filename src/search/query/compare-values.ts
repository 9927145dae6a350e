import type { Comparison } from '../../core/query.ts'
import { foldName } from '../../core/text/fold.ts'

/** Compares numbers by value and dates by period. Text never matches. */
export function compares(value: string, { operator, number, period }: Comparison): boolean {
  const amount = readNumber(value)
  if (amount !== undefined && number !== undefined) return isTrue(operator, amount, { first: number, last: number })
  const date = period === undefined ? undefined : readDate(value)
  return date !== undefined && period !== undefined && isTrue(operator, date, { first: period.from, last: period.to - 1 })
}

/** A date counts as its first moment. */
function isTrue(
  operator: Comparison['operator'],
  value: number,
  { first, last }: { readonly first: number; readonly last: number },
) {
  switch (operator) {
    case '=':
      return value >= first && value <= last
    case '<':
      return value < first
    case '<=':
      return value <= last
    case '>':
      return value > last
    case '>=':
      return value >= first
  }
}

/** Parses a date, which may have a space before the time or be a link to a daily note. @returns milliseconds */
export function readDate(value: string): number | undefined {
  return absolutePeriod(dateText(value).replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'))?.from
}

/** If the date is a link, returns the target's name. */
export function dateText(value: string): string {
  return (/^\[\[(?:[^\]|#]*\/)?([^\]|#/]+)(?:[|#][^\]]*)?\]\]$/.exec(value)?.[1] ?? value).trim()
}

/** Returns the values, and the items of comma-separated values (`drama, comedy`). */
export function askedTexts(texts: readonly string[]): readonly string[] {
  if (!texts.some((text) => LISTED.test(text))) return texts
  return texts.flatMap((text) => [text, ...(LISTED.test(text) ? text.split(LISTED).map((item) => item.trim()) : [])])
}

export interface ValueMeaning {
  /** The folded texts to compare. For `done`, they include the link `[[done]]`. */
  readonly texts: readonly string[]
  readonly comparison: Comparison | undefined
}

export function meaningOfValue(value: string): ValueMeaning {
  const text = foldName(value.trim())
  const number = readNumber(value)
  const period = absolutePeriod(value)
  return {
    texts: text === '' || text.startsWith('[[') ? [text] : [text, `[[${text}]]`],
    comparison: number === undefined && period === undefined ? undefined : { operator: '=', number, period },
  }
}

export function includesValue(values: readonly string[], value: string): boolean {
  const { texts, comparison } = meaningOfValue(value)
  const known = askedTexts(values.map(foldName))
  return (
    texts.some((text) => known.includes(text)) || (comparison !== undefined && values.some((each) => compares(each, comparison)))
  )
}

/** A comma needs a space after it, because `1,000` is a number. */
const LISTED = /,\s|[，、；;]/u

const NUMBER = /^[+-]?\d{1,300}(?:\.\d{1,300})?$/

export function readNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined
}

/** A period in milliseconds since the Unix epoch. Its end is exclusive. */
export interface Period {
  readonly from: number
  readonly to: number
}

/**
 * Parses a date in the local time zone: a year, month, day, minute, second or millisecond (`2023`, `2023-01`, `2023-01-31`,
 * `2023-01-31T12:30`), optionally with `Z` or `+02:00`, or a unit relative to `now` (`day`, `week-2`, `month+1`, `year-1`). Weeks
 * start on Monday (ISO 8601).
 * @returns undefined for an invalid date
 */
export function readPeriod(text: string, now: Date): Period | undefined {
  return relativePeriod(text, now) ?? absolutePeriod(text)
}

const RELATIVE = /^(day|week|month|year)(?:([+-]\d{1,5}))?$/i

function relativePeriod(text: string, now: Date): Period | undefined {
  const [, unit, count = '0'] = RELATIVE.exec(text) ?? []
  if (unit === undefined) return undefined
  const n = Number(count)
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  switch (unit.toLowerCase()) {
    case 'day':
      return { from: localDay(year, month, day + n), to: localDay(year, month, day + n + 1) }
    case 'week': {
      const monday = day - ((now.getDay() + 6) % 7) + 7 * n
      return { from: localDay(year, month, monday), to: localDay(year, month, monday + 7) }
    }
    case 'month':
      return { from: localDay(year, month + n, 1), to: localDay(year, month + n + 1, 1) }
    default:
      return { from: localDay(year + n, 0, 1), to: localDay(year + n + 1, 0, 1) }
  }
}

const ABSOLUTE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(.+))?)?)?$/i

/** Works like `readPeriod`, but without relative dates. */
export function absolutePeriod(text: string): Period | undefined {
  const [, year, month, day, time] = ABSOLUTE.exec(text) ?? []
  if (year === undefined) return undefined
  const y = Number(year)
  if (month === undefined) return { from: localDay(y, 0, 1), to: localDay(y + 1, 0, 1) }
  const m = Number(month) - 1
  if (m < 0 || m > 11) return undefined
  if (day === undefined) return { from: localDay(y, m, 1), to: localDay(y, m + 1, 1) }
  const d = Number(day)
  if (d < 1 || d > utcDay(y, m + 1, 0).getUTCDate()) return undefined
  return time === undefined ? { from: localDay(y, m, d), to: localDay(y, m, d + 1) } : instant([y, m, d], time)
}

const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

function instant([year, month, day]: readonly [number, number, number], text: string): Period | undefined {
  const [, hours, minutes, seconds, ms, zone] = TIME.exec(text) ?? []
  const [h, min, s] = [Number(hours), Number(minutes), Number(seconds ?? 0)]
  const offset = zone === undefined ? undefined : zoneMinutes(zone)
  if (hours === undefined || h > 23 || min > 59 || s > 59 || Number.isNaN(offset)) return undefined
  const from =
    offset === undefined
      ? startOf(year, month, day).setHours(h, min, s, Number(ms ?? 0))
      : utcDay(year, month, day).setUTCHours(h, min - offset, s, Number(ms ?? 0))
  return { from, to: from + (ms !== undefined ? 1 : seconds !== undefined ? 1_000 : 60_000) }
}

function zoneMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))]
  if (hours > 23 || minutes > 59) return Number.NaN
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function localDay(year: number, month: number, day: number): number {
  return startOf(year, month, day).getTime()
}

/**
 * Returns the start of a day. Months and days may overflow. The constructor of `Date` is avoided, because it changes years below
 * 100.
 */
function startOf(year: number, month: number, day: number): Date {
  const date = new Date(2000, 0, 1)
  date.setFullYear(year, month, day)
  date.setHours(0, 0, 0, 0)
  return date
}

function utcDay(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date
}
