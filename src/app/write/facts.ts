import type { LinkReport, RewrittenLine, WriteResult, WrittenFile } from '../../core/operations.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { MARKER } from '../../core/text/partial-reading.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { boundaryBefore, truncate } from '../answer/truncate.ts'

const NEAR = 60

const DIFF = { lines: 60, characters: 4_000, changed: 200, context: 100 } as const

const BEFORE_CHANGE = 40

export interface WriteFacts {
  /** The id for `undo`. It is omitted for a dry run, and if nothing changed. */
  readonly change_id?: string
  /** The id for `apply_changes`, which only a dry run returns. */
  readonly plan_id?: string
  readonly diff?: string
  /** Number of files and rewritten lines. The counts are omitted for a single file. */
  readonly counts?: Counts
  readonly files?: readonly FileFacts[]
  readonly omitted?: Omitted
  readonly dangling_links?: readonly LinkReport[]
}

export type Counts = { readonly [kind in WrittenFile['kind']]?: number } & { readonly relinked_lines?: number }

export interface Omitted {
  readonly ids?: number
  readonly files?: number
  readonly lines?: number
  readonly dangling_links?: number
}

export interface FileFacts {
  readonly kind: WrittenFile['kind']
  /** The path before a move or deletion. */
  readonly path: string
  readonly to?: string
  readonly relinked?: readonly RewrittenLine[]
}

const LIMITS = { files: 20, lines: 20, line: 160, dangling: 20 } as const

const NONE = { files: Infinity, lines: Infinity, line: Infinity, dangling: Infinity } as const

export interface ShownFacts {
  readonly diff?: boolean
  readonly own?: string | undefined
}

export function writeFacts(
  result: WriteResult,
  { isUntruncated = false }: Call,
  { diff = false, own }: ShownFacts = {},
): WriteFacts {
  const limits = isUntruncated ? NONE : LIMITS
  const { changeId, planId, dangling, files: rankedFiles } = result
  let room: number = limits.lines
  const files = rankedFiles.slice(0, limits.files).map((file) => {
    const relinked = file.relinked.slice(0, room)
    room -= relinked.length
    return fileFacts(file, relinked, limits.line)
  })
  const lines = linesIn(rankedFiles) - files.reduce((sum, file) => sum + (file.relinked?.length ?? 0), 0)
  const isListed =
    isUntruncated ||
    own === undefined ||
    rankedFiles.some(({ kind, to, relinked }) => kind === 'moved' || to !== own || relinked.length > 0)
  const omitted = filled({
    files: rankedFiles.length - files.length,
    lines,
    dangling_links: dangling.length - Math.min(dangling.length, limits.dangling),
  })
  return {
    ...(changeId === undefined ? {} : { change_id: changeId }),
    ...(planId === undefined ? {} : { plan_id: planId }),
    ...(diff ? { diff: isUntruncated ? result.diff : shownDiff(isListed ? result.diff : hunksOf(result.diff)) } : {}),
    ...(rankedFiles.length < 2 ? {} : { counts: countsOf(rankedFiles) }),
    ...(isListed ? { files } : {}),
    ...(omitted === undefined ? {} : { omitted }),
    ...(dangling.length === 0 ? {} : { dangling_links: dangling.slice(0, limits.dangling) }),
  }
}

export function filled<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> | undefined {
  const entries = Object.entries(counts).filter(([, count]) => count > 0)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<T>)
}

function countsOf(files: readonly WrittenFile[]): Counts {
  const counts: Record<string, number> = {}
  for (const { kind } of files) counts[kind] = (counts[kind] ?? 0) + 1
  return { ...counts, ...filled({ relinked_lines: linesIn(files) }) }
}

function linesIn(files: readonly WrittenFile[]): number {
  return files.reduce((sum, { relinked }) => sum + relinked.length, 0)
}

function fileFacts({ kind, from, to }: WrittenFile, relinked: WrittenFile['relinked'], limit: number): FileFacts {
  const lines = relinked.map(({ line, before, after }) => ({
    line,
    before: truncate(before, limit).text,
    after: truncate(after, limit).text,
  }))
  return {
    kind,
    path: from ?? to ?? '',
    ...(kind === 'moved' && to !== undefined ? { to } : {}),
    ...(lines.length === 0 ? {} : { relinked: lines }),
  }
}

/** Returns the text around a change. A long change is truncated at its end. */
export function textAround(text: string, limit: number, { start, end }: TextRange): string {
  const room = limit - MARKER.length
  if (text.length <= limit || end <= room) return truncate(text, limit).text
  const before = Math.max(0, Math.floor((room - MARKER.length - (end - start)) / 2))
  const from = Math.min(start - before, text.length - room)
  // A marker would be at least as long as the text that it replaces.
  if (from <= MARKER.length) return truncate(text, limit).text
  return MARKER + truncate(text, room, { start: startOfWord(text, from, start), end: text.length }).text
}

/** Returns the start of a line if there is one, or else the start of a word, or else a character boundary. */
function startOfWord(text: string, from: number, to: number): number {
  const near = text.slice(from, Math.min(to, from + NEAR))
  const line = near.indexOf('\n')
  if (line >= 0) return from + line
  const space = near.indexOf(' ')
  if (space >= 0) return from + space
  for (let at = from; at < Math.min(to, from + NEAR); at++) if (boundaryBefore(text, 0, at) === at) return at
  return to
}

export function hunksOf(diff: string): string {
  return diff.replace(/^--- [^\n]*\n\+\+\+ [^\n]*\n/, '')
}

/** Truncates long lines around their changes. */
export function shownDiff(diff: string): string {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const shownLines: string[] = []
  let room: number = DIFF.characters
  for (const line of shortLines(lines.slice(0, DIFF.lines))) {
    room -= line.length + 1
    if (room < 0 && shownLines.length > 0) break
    shownLines.push(line)
  }
  const omittedLines = lines.length - shownLines.length
  const more = omittedLines === 0 ? [] : [`… ${omittedLines} more ${omittedLines === 1 ? 'line' : 'lines'}`]
  return [...shownLines, ...more].map((line) => `${line}\n`).join('')
}

function shortLines(lines: readonly string[]): readonly string[] {
  const others = counterparts(lines)
  return lines.map((line, at) => shortLine(line, others.get(at) ?? ''))
}

function counterparts(lines: readonly string[]): ReadonlyMap<number, string> {
  const others = new Map<number, string>()
  for (let at = 0; at < lines.length; ) {
    const removedEnd = endOfRun(lines, at, '-')
    const addedEnd = endOfRun(lines, removedEnd, '+')
    for (let pair = 0; pair < Math.min(removedEnd - at, addedEnd - removedEnd); pair++) {
      others.set(at + pair, lines[removedEnd + pair] ?? '')
      others.set(removedEnd + pair, lines[at + pair] ?? '')
    }
    at = Math.max(addedEnd, at + 1)
  }
  return others
}

function endOfRun(lines: readonly string[], from: number, prefix: string): number {
  let end = from
  while (lines[end]?.startsWith(prefix) === true) end++
  return end
}

function shortLine(line: string, other: string): string {
  const limit = line.startsWith(' ') ? DIFF.context : DIFF.changed
  if (line.length <= limit) return line
  const start = boundaryBefore(line, 1, sharedLength(line, other) - BEFORE_CHANGE)
  if (start <= 1 + MARKER.length) return truncate(line, limit).text
  const rest = { start, end: line.length }
  return line.charAt(0) + MARKER + truncate(line, limit - MARKER.length, rest).text
}

/** Returns the length of the common prefix, after the `+` and `-` signs. */
function sharedLength(line: string, other: string): number {
  let at = 1
  while (at < line.length && line.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}
