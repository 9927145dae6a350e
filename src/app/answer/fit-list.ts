import { isRecord } from '../../core/is-record.ts'
import { MARKER } from '../../core/text/partial-reading.ts'
import { Budget, type Counts, countInTurn, type Fitted, jsonBytes, SEPARATOR } from './budget.ts'
import { boundaryBefore, CONTENT_LIMITS, truncate } from './truncate.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Composed<R extends object> {
  readonly rows: readonly R[]
  /** Number of omitted or truncated items, by member. `results` counts rows. */
  readonly omitted: Counts
  /** Number of items that exceed a fixed limit, by member. */
  readonly capped: Counts
  readonly bytes: number
}

export interface ComposeOptions {
  readonly room: number
  readonly memberName?: string
  /** True if the first row is always shown, so paging makes progress. */
  readonly isFirstSure?: boolean
  readonly requested?: ReadonlySet<string>
  /** The share of the budget (0–1) for properties, links and content that the caller did not ask for. */
  readonly details?: number
}

const MAX_TITLE_LENGTH = 200
const MAX_ABOUT_LENGTH = CONTENT_LIMITS.list
export const MAX_TAGS = 10
const MIN_TEXT_LENGTH = 160
/** Maximum number of characters per value. */
const MAX_VALUE_LENGTH = 100
const MAX_VALUES = 5
/** Members that the caller did not request get a limited share of the budget, because they distract the model. */
const PASSAGES_SHARE = 0.73
const DETAILS_SHARE = 0.55

interface Room {
  readonly fair: number
  readonly maxBytes: number
}

/** Returns the part of a member that fits, or `undefined`. */
type Fill = (value: unknown, room: Room, shown: unknown) => unknown

interface Step {
  readonly member: string
  readonly fill: Fill
  /** The member's share of the whole budget. It does not limit members that the caller asked for. */
  readonly share?: number | 'details'
  readonly isShared?: boolean
  /** Number of rows at the top that may use more than their fair share. */
  readonly first?: number
}

interface SizedStep extends Omit<Step, 'share'> {
  readonly share: number | undefined
}

/** A row is omitted if one of these members does not fit. */
const MAIN: readonly Step[] = [
  { member: 'snippet', fill: whole },
  { member: 'candidates', fill: firstItems, isShared: true },
  { member: 'examples', fill: firstItems, isShared: true },
  { member: 'lines', fill: firstItems, isShared: true },
  { member: 'hops', fill: firstItems },
  { member: 'files', fill: firstItems, isShared: true },
  { member: 'sources', fill: firstItems, isShared: true },
  { member: 'places', fill: firstItems, isShared: true },
  { member: 'explain', fill: whole },
]

/** Optional members, most important first. */
const EXTRA: readonly Step[] = [
  { member: 'passages', fill: bestPassage, share: PASSAGES_SHARE, isShared: true, first: 3 },
  // Short contents leave bytes unused, which this step gives to longer ones.
  { member: 'content', fill: cutText, share: 'details', isShared: true },
  { member: 'content', fill: cutText, share: 'details' },
  { member: 'passages', fill: furtherPassages, share: PASSAGES_SHARE },
  { member: 'properties', fill: firstEntries, share: 'details' },
  { member: 'links', fill: firstItems, share: 'details' },
]

const STEPS = [...MAIN, ...EXTRA]

const FITTED_MEMBERS: ReadonlySet<string> = new Set(STEPS.map(({ member }) => member))

/** Fits as many rows as possible, and then uses the remaining bytes to extend rows and to add optional members. */
export function compose<R extends object>(rows: readonly R[], options: ComposeOptions): Composed<R> {
  const { room, memberName = 'results', isFirstSure = true, requested, details = DETAILS_SHARE } = options
  const budget = new Budget(room)
  const drafts = fittingDrafts(rows as readonly Row[], budget, isFirstSure)
  for (const step of STEPS) {
    const share = requested?.has(step.member) ? 1 : step.share
    takeStep({ ...step, share: share === 'details' ? details : share }, drafts, budget)
  }
  const omitted = new Map<string, number>(drafts.length < rows.length ? [[memberName, rows.length - drafts.length]] : [])
  for (const { row, shown } of drafts) countOmitted(row, shown, omitted)
  const tags = drafts.reduce((sum, { row }, at) => sum + sizeOf((rows[at] as Row).tags) - sizeOf(row.tags), 0)
  return {
    rows: drafts.map(({ row, shown }) => inOrder(row, shown) as R),
    omitted: Object.fromEntries(omitted),
    capped: tags === 0 ? {} : { tags },
    bytes: room - budget.remaining(),
  }
}

export function leastBytes(rows: readonly object[]): number {
  return rows.reduce((sum: number, row) => sum + jsonBytes(minimalRow(shortened(row as Row))) + SEPARATOR, 0)
}

interface RequestedMembers {
  readonly links?: unknown
  readonly include_content?: unknown
}

export function rowsFitter(details: number) {
  return <R extends object>(
    rows: readonly R[],
    room: number,
    { links, include_content }: RequestedMembers = {},
  ): Fitted<readonly R[]> => {
    const requested = new Set([...(links === undefined ? [] : ['links']), ...(include_content === true ? ['content'] : [])])
    const { rows: value, omitted, capped } = compose(rows, { room: room - BRACKETS, requested, details })
    return { value, omitted, capped }
  }
}

export const fitRows = rowsFitter(DETAILS_SHARE)

const BRACKETS = 1

interface Draft {
  readonly row: Row
  readonly shown: Record<string, unknown>
}

function fittingDrafts(rows: readonly Row[], budget: Budget, isFirstSure: boolean): readonly Draft[] {
  const drafts: Draft[] = []
  for (const full of rows) {
    const row = shortened(full)
    const minimal = { row, shown: minimalRow(row) }
    const isTooLarge = jsonBytes(minimal.shown) + SEPARATOR > budget.available()
    if (isTooLarge && !(isFirstSure && drafts.length === 0)) break
    const draft = isTooLarge ? withLessText({ row, shown: minimalRow(row, []) }, budget.available()) : minimal
    budget.spend(jsonBytes(draft.shown) + SEPARATOR)
    drafts.push(draft)
  }
  return drafts
}

function withLessText({ row, shown }: Draft, room: number): Draft {
  const missing = jsonBytes(shown) + SEPARATOR - room
  if (missing <= 0 || typeof row.text !== 'string') return { row, shown }
  const text = truncate(row.text, Math.max(MARKER.length + 1, row.text.length - missing)).text
  return { row: { ...row, text }, shown: { ...shown, text } }
}

function takeStep(
  { member, fill, share, isShared = false, first = 0 }: SizedStep,
  drafts: readonly Draft[],
  budget: Budget,
): void {
  // In an answer of `gaps`, the member `links` is a number.
  const concerned = drafts.filter(({ row }) => row[member] !== undefined && typeof row[member] !== 'number')
  for (const [at, { row, shown }] of concerned.entries()) {
    const isNew = shown[member] === undefined
    const bytesBefore = isNew ? 0 : jsonBytes(shown[member])
    const name = isNew ? jsonBytes(member) + ':,'.length : 0
    const available = budget.available(share) - name
    const equal = Math.floor(available / (concerned.length - at))
    const fair = isShared ? Math.max(equal, at < first ? Math.floor(available / 2) : 0) : available
    const filled = fill(row[member], { fair: fair + bytesBefore, maxBytes: available + bytesBefore }, shown[member])
    if (filled === undefined || isEmpty(filled) !== isEmpty(row[member])) continue
    shown[member] = filled
    budget.spend(jsonBytes(filled) - bytesBefore + name)
  }
}

function inOrder(row: Row, filled: Row): Row {
  if (!isRecord(row)) return row
  return Object.fromEntries(Object.entries(row).flatMap(([key]) => (key in filled ? [[key, filled[key]]] : [])))
}

function minimalRow(row: Row, main: readonly Step[] = MAIN): Record<string, unknown> {
  if (!isRecord(row)) return row
  const room = { fair: 0, maxBytes: Number.POSITIVE_INFINITY }
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) => {
      if (!FITTED_MEMBERS.has(key) || isEmpty(value) || typeof value === 'number') return [[key, value]]
      const minimal = main.find(({ member }) => member === key)?.fill(value, room, undefined)
      return minimal === undefined ? [] : [[key, minimal]]
    }),
  )
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0
}

function shortened(row: Row): Row {
  if (!isRecord(row)) return row
  const { title, text, tags, properties } = row
  return {
    ...row,
    ...(typeof title === 'string' && title.length > MAX_TITLE_LENGTH ? { title: truncate(title, MAX_TITLE_LENGTH).text } : {}),
    ...(typeof text === 'string' && text.length > MAX_ABOUT_LENGTH ? { text: truncate(text, MAX_ABOUT_LENGTH).text } : {}),
    ...(Array.isArray(tags) && tags.length > MAX_TAGS ? { tags: tags.slice(0, MAX_TAGS) } : {}),
    ...(isRecord(properties) ? { properties: shortValues(properties) } : {}),
  }
}

function shortValues(properties: Row): Row {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, shortValue(value)]))
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return truncate(value, MAX_VALUE_LENGTH).text
  if (Array.isArray(value)) {
    const first = value.slice(0, MAX_VALUES).map(shortValue)
    return value.length > MAX_VALUES ? [...first, MARKER.trim()] : first
  }
  return isRecord(value) && jsonBytes(value) > MAX_VALUE_LENGTH ? MARKER.trim() : value
}

function whole(value: unknown, { maxBytes }: Room): unknown {
  return jsonBytes(value) <= maxBytes ? value : undefined
}

function cutText(value: unknown, room: Room): unknown {
  if (typeof value !== 'string') return whole(value, room)
  return fittingText(value, room, (text, length) => truncate(text, length).text)
}

export function firstItems(value: unknown, room: Room): unknown {
  if (!Array.isArray(value)) return whole(value, room)
  const count = Math.max(countOf(value, room.fair), Math.min(1, countOf(value.slice(0, 1), room.maxBytes)))
  return count === value.length ? value : value.slice(0, count)
}

function countOf(items: readonly unknown[], room: number): number {
  const [count = 0] = countInTurn([items], new Budget(room - '[]'.length + SEPARATOR))
  return count
}

export function firstEntries(value: unknown, room: Room): unknown {
  if (!isRecord(value)) return whole(value, room)
  let remaining = room.fair - '{}'.length + SEPARATOR
  const entries = Object.entries(value).filter(([key, member]) => {
    const bytes = jsonBytes(key) + ':'.length + jsonBytes(member) + SEPARATOR
    if (bytes > remaining) return false
    remaining -= bytes
    return true
  })
  return Object.fromEntries(entries)
}

function bestPassage(value: unknown, { fair, maxBytes }: Room): unknown {
  const [best] = Array.isArray(value) ? value : []
  if (!isRecord(best) || typeof best.text !== 'string') return undefined
  const frameBytes = jsonBytes([{ ...best, text: '' }]) - '""'.length
  const text = fittingText(best.text, { fair: fair - frameBytes, maxBytes: maxBytes - frameBytes }, cutPassage)
  return text === undefined ? undefined : [{ ...best, text }]
}

function cutPassage(text: string, length: number): string {
  return `${text.slice(0, boundaryBefore(text, 0, length - 1)).trimEnd()}…`
}

function furtherPassages(value: unknown, room: Room, shown: unknown): unknown {
  if (!Array.isArray(value) || !Array.isArray(shown) || shown.length === 0) return undefined
  const all = [...shown, ...value.slice(shown.length)]
  return all.slice(0, Math.max(shown.length, countOf(all, room.fair)))
}

/** @returns the text truncated until its JSON fits, or `undefined` if the result is too short to be useful */
function fittingText(
  text: string,
  { fair, maxBytes }: Room,
  cutTo: (text: string, length: number) => string,
): string | undefined {
  const bytes = jsonBytes(text)
  if (bytes <= fair) return text
  // The length is estimated, assuming that escapes and multi-byte characters are evenly distributed.
  for (let length = Math.floor((text.length * fair) / bytes); length > MIN_TEXT_LENGTH; length = Math.floor(length * 0.9)) {
    const shorter = cutTo(text, length)
    if (jsonBytes(shorter) <= fair) return shorter
  }
  const shortest = text.length <= MIN_TEXT_LENGTH ? text : cutTo(text, MIN_TEXT_LENGTH)
  return jsonBytes(shortest) <= maxBytes ? shortest : undefined
}

function countOmitted(row: Row, shown: Row, omitted: Map<string, number>): void {
  for (const name of FITTED_MEMBERS) {
    const count = sizeOf(row[name]) - sizeOf(shown[name])
    const isCut = count === 0 && typeof row[name] === 'string' && row[name] !== shown[name]
    if (count > 0 || isCut) omitted.set(name, (omitted.get(name) ?? 0) + Math.max(1, count))
  }
}

export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return isRecord(value) ? Object.keys(value).length : Number(value !== undefined)
}
