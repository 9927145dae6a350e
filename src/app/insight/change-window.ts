import { createHash } from 'node:crypto'
import { invalid } from '../../core/errors.ts'
import type { GraphChanges, GraphLog, LoggedCommit } from '../../core/insight/graph-changes.ts'
import { readPeriod } from '../../search/query/compare-values.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore } from '../graph-core.ts'

export type WindowStart = { readonly generation: number } | { readonly time: number }

export interface ChangeWindow {
  /** The changes in chronological order, without gaps. */
  readonly changes: readonly GraphChanges[]
  readonly isWhole: boolean
  /** Start of the known changes, in milliseconds since the Unix epoch. */
  readonly begins?: number
  /** True if the log does not contain the current generation yet. */
  readonly isBehind: boolean
}

/** Reads the log backwards, up to the requested start or a gap in the log. */
export async function readWindow(
  log: GraphLog,
  { lineage, generation }: GenerationOf,
  start: WindowStart,
): Promise<ChangeWindow> {
  const changes: GraphChanges[] = []
  let reached = generation
  let begins: number | undefined
  let isWhole = false
  let isBehind = true
  const isAtStart = (): boolean => 'generation' in start && reached === start.generation
  const isEnd = (commit: LoggedCommit): boolean => {
    if (isAtStart() || commit.generation !== reached) return true
    isBehind = false
    isWhole = 'time' in start && commit.time < start.time
    if (isWhole) return true
    if (commit.base !== commit.generation) {
      if (commit.changes === undefined) return true
      changes.push(commit.changes)
      reached = commit.base
    }
    begins = commit.time
    return false
  }
  for await (const part of log.commits(lineage, generation)) if (part.some(isEnd)) break
  isWhole ||= isAtStart()
  return {
    changes: changes.reverse(),
    isWhole,
    ...(begins === undefined ? {} : { begins }),
    isBehind: !isWhole && isBehind,
  }
}

export interface GenerationOf {
  readonly lineage: string
  readonly generation: number
}

const CURSOR = /^([0-9a-f]{4,32})-([0-9a-z]{1,9})-([0-9a-f]{4})$/

export function changeCursor({ name }: Pick<GraphCore, 'name'>, { lineage, generation }: GenerationOf): string {
  const place = `${lineage}-${generation.toString(36)}`
  return `${name === undefined ? '' : `${name}:`}${place}-${checkOf(place)}`
}

export function readCursor(text: string): GenerationOf | undefined {
  const [, lineage = '', number = '', check] = CURSOR.exec(text.trim()) ?? []
  if (check === undefined || check !== checkOf(`${lineage}-${number}`)) return undefined
  return { lineage, generation: Number.parseInt(number, 36) }
}

function checkOf(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, 4)
}

const MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const
const UNITS: Readonly<Record<string, number>> = { m: MS.minute, h: MS.hour, d: MS.day, w: MS.week }
const AGO = /^(\d{1,5}) ?(m|h|d|w|minutes?|hours?|days?|weeks?)(?: ago)?$/
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Converts a time expression to milliseconds since the Unix epoch. Besides periods of the query language (`2024-01-31`, `day-7`,
 * `week`), it can be `today`, `yesterday`, `monday` (may be today), `last monday` (before today), or a duration (`7d`). A period
 * means its start.
 * @throws RouxError `INVALID_PARAMS` for other text and for future times
 */
export function readSince(input: string, now: Date): number {
  const text = input.trim()
  const time = agoOf(text.toLowerCase(), now) ?? readPeriod(periodOf(text, now), now)?.from
  if (time === undefined) throw invalid(`since: ${quoted(input)} is not a date or time.`, isCursor(text) ? CURSOR_HINT : HINT)
  if (time <= now.getTime()) return time
  throw invalid(`since: ${quoted(input)} is in the future; it is ${now.toISOString()} now.`, HINT)
}

const HINT = 'Write a date or time such as 2024-01-31 or 2024-01-31T12:30, or today, yesterday, monday, day-7, week-1, 7d, 12h.'

const CURSOR_HINT = 'It is a cursor from an earlier answer. Pass it as cursor.'

/** With several vaults, a cursor starts with the name of its vault. */
function isCursor(text: string): boolean {
  return readCursor(text.slice(text.lastIndexOf(':') + 1)) !== undefined
}

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
