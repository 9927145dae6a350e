import { isRecord } from '../../core/is-record.ts'
import { MARKER } from '../../core/text/partial-reading.ts'
import { countInTurn, type Fitted, jsonBytes, Purse, SEPARATOR } from './budget.ts'
import { boundaryBefore, CONTENT_LIMITS, truncate } from './truncate.ts'

/** An item of a list as shown in an answer. */
export type Row = Readonly<Record<string, unknown>>

export interface Composed<R extends object> {
  readonly rows: readonly R[]
  /** Number of items omitted or truncated, by member. `results` counts rows. */
  readonly omitted: Readonly<Record<string, number>>
  /** Size of the rows' JSON in bytes, including separators. */
  readonly bytes: number
}

export interface ComposeOptions {
  /** Maximum size of the rows' JSON in bytes. */
  readonly room: number
  /** Key under which omitted rows are counted. */
  readonly called?: string
  /** True if the first row is always shown, so paging makes progress. */
  readonly isFirstSure?: boolean
}

/** Longer titles are truncated, because the beginning is enough to recognize them. */
const TITLE_LENGTH = 200
/** Maximum length of a row's main text, the same as for note content in lists. */
const ABOUT_LENGTH = CONTENT_LIMITS.list
/** Text truncated below this length is not useful. */
const LEAST_TEXT = 160
/** Limits for property values in lists: characters per value, and values per property. */
const VALUE_LENGTH = 100
const VALUES = 5
/** Optional members may use only this share of the budget. */
const USEFUL = 0.55

/** Bytes available to one member of one row. */
interface Room {
  /** Fair share of the remaining bytes. */
  readonly fair: number
  /** All remaining bytes. Used only for the minimum that is worth showing. */
  readonly most: number
}

/** Returns as much of a member as fits, extending the part already shown. Returns `undefined` if nothing can be added. */
type Fill = (value: unknown, room: Room, shown: unknown) => unknown

/** A member that is filled in for all rows, best row first, before the next step begins. */
interface Step {
  readonly member: string
  readonly fill: Fill
  /** Share of the whole budget that the step may use. */
  readonly share: number
  /** True if each row gets an equal share of the remaining bytes. */
  readonly isShared?: boolean
  /** Number of leading rows that may each use up to half of the remaining bytes. Leading rows are read most often. */
  readonly first?: number
}

/**
 * The order in which an answer is filled after the ids, titles and scores of all rows: the tool's main members, the best passage or
 * the content, tags and properties, links, and further passages.
 */
const STEPS: readonly Step[] = [
  { member: 'snippet', fill: whole, share: 1 },
  { member: 'candidates', fill: firstItems, share: 1, isShared: true },
  { member: 'lines', fill: firstItems, share: 1, isShared: true },
  { member: 'hops', fill: firstItems, share: 1 },
  { member: 'files', fill: firstItems, share: 1, isShared: true },
  { member: 'sources', fill: firstItems, share: 1, isShared: true },
  { member: 'explain', fill: whole, share: 1 },
  { member: 'passages', fill: bestPassage, share: 1, isShared: true, first: 3 },
  { member: 'content', fill: cutText, share: 1, isShared: true },
  { member: 'tags', fill: firstItems, share: USEFUL },
  { member: 'properties', fill: firstEntries, share: USEFUL },
  { member: 'links', fill: firstItems, share: USEFUL },
  { member: 'passages', fill: furtherPassages, share: USEFUL },
]

const LAYERED: ReadonlySet<string> = new Set(STEPS.map(({ member }) => member))

/**
 * Fits rows into a budget. Each step is applied to all rows before the next one. Rows keep all of their members. Lists, objects and
 * strings are only shortened, if necessary until they are empty.
 */
export function compose<R extends object>(rows: readonly R[], options: ComposeOptions): Composed<R> {
  const { room, called = 'results', isFirstSure = true } = options
  const purse = new Purse(room)
  const drafts = fittingDrafts(rows as readonly Row[], purse, isFirstSure)
  for (const step of STEPS) takeStep(step, drafts, purse)
  const omitted = new Map<string, number>(drafts.length < rows.length ? [[called, rows.length - drafts.length]] : [])
  for (const { row, shown } of drafts) countOmitted(row, shown, omitted)
  return {
    rows: drafts.map(({ row, shown }) => inOrder(row, shown) as R),
    omitted: Object.fromEntries(omitted),
    bytes: room - purse.remaining(),
  }
}

/** Returns the size in bytes of the rows in their minimal form. */
export function leastBytes(rows: readonly object[]): number {
  return rows.reduce((sum: number, row) => sum + jsonBytes(emptied(shortened(row as Row))) + SEPARATOR, 0)
}

/** Fits a list into a budget. */
export function fitRows<R extends object>(rows: readonly R[], room: number): Fitted<readonly R[]> {
  const { rows: value, omitted } = compose(rows, { room: room - BRACKETS })
  return { value, omitted }
}

/** Size of two brackets, minus the separator that the last row does not need. */
const BRACKETS = 1

interface Draft {
  readonly row: Row
  /** The part of the row that is shown so far. */
  readonly shown: Record<string, unknown>
}

function fittingDrafts(rows: readonly Row[], purse: Purse, isFirstSure: boolean): readonly Draft[] {
  const drafts: Draft[] = []
  for (const full of rows) {
    const row = shortened(full)
    const shown = emptied(row)
    const bytes = jsonBytes(shown) + SEPARATOR
    const missing = bytes - purse.left()
    if (missing > 0 && !(isFirstSure && drafts.length === 0)) break
    const draft = missing > 0 ? withLessText({ row, shown }, missing) : { row, shown }
    purse.spend(jsonBytes(draft.shown) + SEPARATOR)
    drafts.push(draft)
  }
  return drafts
}

/** Shortens the text of an oversized row by the given number of bytes. Returns a row without text unchanged. */
function withLessText({ row, shown }: Draft, bytes: number): Draft {
  if (typeof row.text !== 'string') return { row, shown }
  const text = truncate(row.text, Math.max(MARKER.length + 1, row.text.length - bytes)).text
  return { row: { ...row, text }, shown: { ...shown, text } }
}

function takeStep({ member, fill, share, isShared = false, first = 0 }: Step, drafts: readonly Draft[], purse: Purse): void {
  const concerned = drafts.filter(({ row }) => row[member] !== undefined)
  for (const [at, { row, shown }] of concerned.entries()) {
    const own = jsonBytes(shown[member])
    const left = purse.left(share)
    const equal = Math.floor(left / (concerned.length - at))
    const fair = isShared ? Math.max(equal, at < first ? Math.floor(left / 2) : 0) : left
    const filled = fill(row[member], { fair: fair + own, most: left + own }, shown[member])
    if (filled === undefined) continue
    shown[member] = filled
    purse.spend(jsonBytes(filled) - own)
  }
}

function inOrder(row: Row, shown: Row): Row {
  if (!isRecord(row)) return row
  return Object.fromEntries(Object.keys(row).map((key) => [key, shown[key]]))
}

/** Reduces the layered members of a row to their minimal form. */
function emptied(row: Row): Record<string, unknown> {
  if (!isRecord(row)) return row
  const entries = Object.entries(row).map(([key, value]) => [key, LAYERED.has(key) ? leastOf(key, value) : value] as const)
  return Object.fromEntries(entries)
}

/**
 * Returns the minimal form of a layered member. For `candidates`, this is the first item (in lists of similar notes, the other note).
 * Other members become empty.
 */
function leastOf(key: string, value: unknown): unknown {
  return key === 'candidates' && Array.isArray(value) ? value.slice(0, 1) : emptiedValue(value)
}

function emptiedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= MARKER.length ? value : MARKER
  if (Array.isArray(value)) return []
  return isRecord(value) ? {} : value
}

/** Shortens members that lists never show in full: long titles, sentences and property values. */
function shortened(row: Row): Row {
  if (!isRecord(row)) return row
  const { title, text, properties } = row
  return {
    ...row,
    ...(typeof title === 'string' && title.length > TITLE_LENGTH ? { title: truncate(title, TITLE_LENGTH).text } : {}),
    ...(typeof text === 'string' && text.length > ABOUT_LENGTH ? { text: truncate(text, ABOUT_LENGTH).text } : {}),
    ...(isRecord(properties) ? { properties: shortValues(properties) } : {}),
  }
}

function shortValues(properties: Row): Row {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, shortValue(value)]))
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return truncate(value, VALUE_LENGTH).text
  if (Array.isArray(value)) {
    const first = value.slice(0, VALUES).map(shortValue)
    return value.length > VALUES ? [...first, MARKER.trim()] : first
  }
  return isRecord(value) && jsonBytes(value) > VALUE_LENGTH ? MARKER.trim() : value
}

/** Returns the whole value, or `undefined` if it does not fit. */
function whole(value: unknown, { most }: Room): unknown {
  return jsonBytes(value) <= most ? value : undefined
}

/** Truncates text to fit, and appends the truncation marker. */
function cutText(value: unknown, room: Room): unknown {
  if (typeof value !== 'string') return whole(value, room)
  return fittingText(value, room, (text, length) => truncate(text, length).text)
}

/** Returns the first items that fit into the fair share, or a single item if it fits only into the total room. */
export function firstItems(value: unknown, room: Room): unknown {
  if (!Array.isArray(value)) return whole(value, room)
  const count = Math.max(countOf(value, room.fair), Math.min(1, countOf(value.slice(0, 1), room.most)))
  return count === value.length ? value : value.slice(0, count)
}

function countOf(items: readonly unknown[], room: number): number {
  const [count = 0] = countInTurn([items], new Purse(room - '[]'.length + SEPARATOR))
  return count
}

export function firstEntries(value: unknown, room: Room): unknown {
  if (!isRecord(value)) return whole(value, room)
  let left = room.fair - '{}'.length + SEPARATOR
  const fitting = Object.entries(value).filter(([key, member]) => {
    const bytes = jsonBytes(key) + ':'.length + jsonBytes(member) + SEPARATOR
    if (bytes > left) return false
    left -= bytes
    return true
  })
  return Object.fromEntries(fitting)
}

/** Returns only the first passage, with its text truncated to fit. */
function bestPassage(value: unknown, { fair, most }: Room): unknown {
  const [best] = Array.isArray(value) ? value : []
  if (!isRecord(best) || typeof best.text !== 'string') return undefined
  const around = jsonBytes([{ ...best, text: '' }]) - '""'.length
  const text = fittingText(best.text, { fair: fair - around, most: most - around }, cutPassage)
  return text === undefined ? undefined : [{ ...best, text }]
}

function cutPassage(text: string, length: number): string {
  return `${text.slice(0, boundaryBefore(text, 0, length - 1)).trimEnd()}…`
}

/** Adds as many passages after the first one as fit. */
function furtherPassages(value: unknown, room: Room, shown: unknown): unknown {
  if (!Array.isArray(value) || !Array.isArray(shown) || shown.length === 0) return undefined
  const all = [...shown, ...value.slice(shown.length)]
  return all.slice(0, Math.max(shown.length, countOf(all, room.fair)))
}

/** Truncates text until its JSON fits. Returns `undefined` if too little fits to be worth reading. */
function fittingText(text: string, { fair, most }: Room, cut: (text: string, length: number) => string): string | undefined {
  const bytes = jsonBytes(text)
  if (bytes <= fair) return text
  // Assumes that escapes and multi-byte characters are evenly distributed. Shortens the text further if it is still too long.
  for (let length = Math.floor((text.length * fair) / bytes); length > LEAST_TEXT; length = Math.floor(length * 0.9)) {
    const shorter = cut(text, length)
    if (jsonBytes(shorter) <= fair) return shorter
  }
  const least = text.length <= LEAST_TEXT ? text : cut(text, LEAST_TEXT)
  return jsonBytes(least) <= most ? least : undefined
}

function countOmitted(row: Row, shown: Row, omitted: Map<string, number>): void {
  for (const name of LAYERED) {
    const count = missing(row[name], shown[name])
    if (count > 0) omitted.set(name, (omitted.get(name) ?? 0) + count)
  }
}

function missing(full: unknown, shown: unknown): number {
  if (Array.isArray(full) && Array.isArray(shown)) return full.length - shown.length
  if (isRecord(full) && isRecord(shown)) return Object.keys(full).length - Object.keys(shown).length
  return full === shown ? 0 : 1
}
