import { hash as digest } from 'node:crypto'
import type { Heading } from '../core/note.ts'
import type { ChunkPlace } from '../core/search.ts'
import { wholeCharacterEnd } from '../core/text/graphemes.ts'
import { blankData } from '../core/text/inline-data.ts'
import { lineNumber } from '../core/text/line-number.ts'

/** The maximum size of a chunk, in multiples of `RADIUS`. */
const MAX_RADII = 4

const PARAGRAPH = 6

const LINE = 7

const PIECE = 8

/** The approximate maximum number of units. In longer notes, short lines are merged. */
const MAX_UNITS = 100_000

/** The method is cached for speed; see `scan.ts`. */
const { charCodeAt: codeAt } = String.prototype

/** Lines with more characters are split after a sentence or at a space. */
const LONG_LINE = 500

const SENTENCE_END = /[.!?]["')\]]*\s+|[。！？]/g

const FENCE = /^[\s>]*(?:`{3,}|~{3,})/

const LIST_MARK = /^[\s>]*(?:[-+*]|\d{1,9}[.)])\s+(?:\[.\]\s+)?/

const WIKILINK = /!?\[\[([^[\]|]*)(?:\|([^[\]]*))?\]\]/g

/** Matches a link or image, whose URL may contain one level of parentheses. */
const LINK = /!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g

const URL = /\b(?:https?|ftp|file|data|mailto):\S+/gi

const TAG = /<[a-z/!][^<>]*>/gi

const BLOCK_ID = /\s\^[\w-]+\s*$/

/** Matches Markdown syntax without meaning for a model. */
const MARKS = /[*_`~|=#>\\%[\]{}]+|-{3,}|:{2,}/g

/** Single spaces are excluded, because replacing them would take most of the time. */
const WIDE_SPACE = /\s{2,}|[^\S ]/g

const PUNCTUATION = /^[\s!-/:-@[-`{-~]*$/

/** A run without spaces counts as several words if it has more characters. */
const CHARACTERS_PER_WORD = 16

const FIRST_IDEOGRAPH = 0x2e80

export interface ChunkSource {
  readonly title: string
  readonly text: string
  /** UTF-16 offset of the body, after the frontmatter. */
  readonly bodyStart: number
  readonly headings: readonly Heading[]
}

/** A chunk. Its offsets leave out surrounding whitespace. */
export interface Chunk extends ChunkPlace {
  /** The headings of the first line, outermost first. */
  readonly heading: readonly string[]
  /** The text to embed: title, headings and passage, one per line. It has at most about 450 words. */
  readonly text: string
}

/** The minimum number of words per chunk. The average is about 220. */
const RADIUS = 100

const WHOLE_NOTE = 250

export const MAX_CHUNKS = 400

/** The maximum number of words to embed per chunk. Longer chunks are truncated. */
const MAX_EMBEDDED = 4 * RADIUS

/** The maximum length of a title or heading, in characters. */
const MAX_NAME = 200

/**
 * Splits a note at headings and paragraphs, in linear time. The chunks contain all words of the note, in order. An edit changes
 * only nearby chunks and, if it changes a heading, the chunks below it.
 */
export function chunkNote({ title, text: whole, bodyStart, headings }: ChunkSource): readonly Chunk[] {
  const text = blankData(whole)
  const parts = unitsOf(text, bodyStart, headings)
  const { units, words } = parts
  const cuts = words <= WHOLE_NOTE ? [0] : chunkEndsOf(parts, radiusFor(words))
  const path = new HeadingPath(headings)
  return cuts.map((chunkEnd, i) => {
    const next = cuts[i + 1] ?? units.length
    const first = units[chunkEnd] ?? { start: bodyStart, line: 1, level: 0, plain: '' }
    const heading = path.at(first.line)
    const end = lastCharacter(text, first.start, units[next] ?? { start: text.length, line: parts.lastLine })
    return {
      heading,
      startLine: first.line,
      endLine: end.line,
      start: first.start,
      end: end.offset,
      text: embedTextOf(title, heading, units.slice(chunkEnd, next)),
    }
  })
}

function radiusFor(words: number): number {
  let radius = RADIUS
  while (words > radius * MAX_CHUNKS) radius *= 2
  return radius
}

export function headingPathAt(headings: readonly Heading[], line: number): readonly string[] {
  return new HeadingPath(headings).at(line)
}

/** The path of headings. Lines must be passed in ascending order. */
class HeadingPath {
  readonly #headings: readonly Heading[]
  #path: Heading[] = []
  #next = 0

  constructor(headings: readonly Heading[]) {
    this.#headings = headings
  }

  at(line: number): readonly string[] {
    for (let heading = this.#headings[this.#next]; heading && heading.line <= line; heading = this.#headings[++this.#next]) {
      const { level } = heading
      this.#path = [...this.#path.filter((above) => above.level < level), heading]
    }
    return this.#path.map((heading) => heading.text)
  }
}

function lastCharacter(text: string, start: number, next: { readonly start: number; readonly line: number }) {
  let { start: offset, line } = next
  while (offset > start && text.charCodeAt(offset - 1) <= 32) if (text.charCodeAt(--offset) === 10) line--
  return { offset, line }
}

function embedTextOf(title: string, heading: readonly string[], units: readonly Unit[]): string {
  const lines: string[] = []
  addName(lines, title)
  for (let at = 0; at < heading.length; at++) addName(lines, heading[at] as string)
  const limit = (units[0]?.position ?? 0) + MAX_EMBEDDED
  for (let at = 0; at < units.length; at++) {
    const { position, level, plain } = units[at] as Unit
    // The passage omits its own heading, which is already part of the heading path.
    if (position < limit && !(at === 0 && heading.length > 0 && level < 6)) lines.push(plain)
  }
  return lines.join('\n')
}

function addName(names: string[], rawName: string): void {
  const name = plainText(rawName.slice(0, MAX_NAME))
  if (name !== '' && !names.some((other) => other.toLowerCase() === name.toLowerCase())) names.push(name)
}

/** Returns the first 16 bytes of the SHA-256 in hex, so identical texts share a vector. */
export function chunkHash(text: string): string {
  return digest('sha256', text, 'hex').slice(0, 32)
}

/**
 * Splits units by the local maximum method (Bjørner, Blass, Gurevich 2010): a chunk starts at a unit with a higher rank than all
 * others within `radius` words. Headings rank highest, then paragraphs, lines and sentences; a hash of the text breaks ties. A
 * boundary depends only on nearby text, so an edit never moves distant chunks. A chunk has at least `radius` words, and at most
 * four times as many plus one unit.
 */
function chunkEndsOf({ units, words }: Units, radius: number): readonly number[] {
  if (units.length === 0) return []
  const cuts: number[] = []
  const anchors = anchorsOf(units, words, radius)
  anchors.forEach((anchor, i) => {
    const end = anchors[i + 1]
    cuts.push(anchor)
    fill(cuts, units, { anchor, until: end === undefined ? words : (units[end]?.position ?? words), radius })
  })
  return cuts
}

function anchorsOf(units: readonly Unit[], words: number, radius: number): readonly number[] {
  const ranks = units.map((unit, i) => (i === 0 ? -1 : unit.level * 2 ** 26 + hash26(unit.plain)))
  const beaten = new Uint8Array(units.length)
  const stack: number[] = []
  const near = (from: number, right: number) => positionOf(units, right) - positionOf(units, from) < radius
  for (let i = 0; i < units.length; i++) {
    const rank = ranks[i] ?? 0
    for (let top = stack.at(-1); top !== undefined && (ranks[top] ?? 0) > rank; top = stack.at(-1)) {
      if (near(top, i)) beaten[top] = 1
      stack.pop()
    }
    const before = stack.at(-1)
    if (before !== undefined && (near(before, i) || words - positionOf(units, i) < radius)) beaten[i] = 1
    stack.push(i)
  }
  return [...units.keys()].filter((i) => beaten[i] === 0)
}

function positionOf(units: readonly Unit[], index: number): number {
  return units[index]?.position ?? 0
}

interface Gap {
  readonly anchor: number
  readonly until: number
  readonly radius: number
}

/** Splits long ranges at the best units, about every two radii. */
function fill(cuts: number[], units: readonly Unit[], { anchor, until, radius }: Gap): void {
  let last = anchor
  while (until - positionOf(units, last) > MAX_RADII * radius) {
    const from = positionOf(units, last)
    const best = bestBetween(units, {
      after: last,
      from,
      low: from + radius,
      high: Math.min(from + MAX_RADII * radius, until - radius),
      radius,
    })
    if (best === undefined) return
    cuts.push(best)
    last = best
  }
}

interface Window {
  readonly after: number
  readonly from: number
  readonly low: number
  readonly high: number
  readonly radius: number
}

function bestBetween(units: readonly Unit[], { after, from, low, high, radius }: Window): number | undefined {
  let best: number | undefined
  let minCost = Number.POSITIVE_INFINITY
  for (let i = after + 1; i < units.length && positionOf(units, i) <= high; i++) {
    if (positionOf(units, i) < low) continue
    const cost = (units[i]?.level ?? 0) * MAX_RADII * radius + Math.abs(positionOf(units, i) - from - 2 * radius)
    if (cost >= minCost) continue
    best = i
    minCost = cost
  }
  return best
}

/** Returns the FNV-1a hash of the start of the text, reduced to 26 bits. */
function hash26(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length && i < 64; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 6
}

export interface Unit {
  readonly start: number
  /** The one-based number of the first line. */
  readonly line: number
  readonly position: number
  /** The level: 0–5 for headings, then `PARAGRAPH`, `LINE` and `PIECE`. */
  readonly level: number
  readonly plain: string
}

export interface Units {
  readonly units: readonly Unit[]
  readonly words: number
  /** The one-based number of the last line. */
  readonly lastLine: number
}

/** Splits a note into units, without blank lines, code fences, rules and bare URLs. */
export function unitsOf(text: string, bodyStart: number, headings: readonly Heading[]): Units {
  const list = new UnitList(text.length - bodyStart)
  let line = lineNumber(text, bodyStart)
  let next = 0
  let level = PARAGRAPH
  for (let start = bodyStart; start < text.length; line++) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    while ((headings[next]?.line ?? line) < line) next++
    const heading = headings[next]
    if (heading?.line === line) level = heading.level - 1
    if (isBlank(text, start, end)) {
      level = PARAGRAPH
    } else {
      for (let from = start; from < end; ) {
        const to = pieceEnd(text, from, end)
        if (list.add({ start: from, line, level, plain: plainText(text.slice(from, to)) })) level = PIECE
        from = to
      }
      level = LINE
    }
    if (newline === -1) break
    start = newline + 1
  }
  return { units: list.units, words: list.words, lastLine: line }
}

class UnitList {
  readonly units: { -readonly [Field in keyof Unit]: Unit[Field] }[] = []
  words = 0
  readonly #grain: number

  constructor(length: number) {
    this.#grain = Math.floor(length / MAX_UNITS)
  }

  /** Adds a piece. Tiny ones are appended to the last unit. @returns false if the piece has no content */
  add(piece: Omit<Unit, 'position'>): boolean {
    if (piece.plain === '') return false
    const { start, line, level, plain } = piece
    const last = this.#grain > 0 && level >= PARAGRAPH ? this.units.at(-1) : undefined
    if (last && start - last.start < this.#grain) last.plain += `\n${plain}`
    else this.units.push({ start, line, level, plain, position: this.words })
    this.words += countWords(plain)
    return true
  }
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (codeAt.call(text, i) > 32) return false
  return true
}

function pieceEnd(text: string, from: number, end: number): number {
  if (end - from <= LONG_LINE) return end
  const head = text.slice(from, from + LONG_LINE)
  SENTENCE_END.lastIndex = 0
  if (SENTENCE_END.test(head)) return from + SENTENCE_END.lastIndex
  const space = head.lastIndexOf(' ')
  if (space > 0) return from + space + 1
  return wholeCharacterEnd(text, from + LONG_LINE)
}

/**
 * Returns the text of a line without URLs, HTML tags and Markdown syntax. The text of links stays.
 * @param piece at most one line
 */
export function plainText(piece: string): string {
  if (FENCE.test(piece)) return ''
  let plain = piece.replace(LIST_MARK, '')
  if (plain.includes('[[')) plain = plain.replace(WIKILINK, (_, target: string, display?: string) => display ?? target)
  if (plain.includes('](')) plain = plain.replace(LINK, '$1')
  if (plain.includes(':')) plain = plain.replace(URL, ' ')
  if (plain.includes('<')) plain = plain.replace(TAG, ' ')
  if (plain.includes('^')) plain = plain.replace(BLOCK_ID, '')
  plain = plain.replace(MARKS, ' ').replace(WIDE_SPACE, ' ').trim()
  return PUNCTUATION.test(plain) ? '' : plain
}

function countWords(text: string): number {
  let words = 0
  let run = 0
  const { length } = text
  for (let i = 0; i < length; i++) {
    const code = codeAt.call(text, i)
    if (code <= 32) {
      run = 0
    } else if (code >= FIRST_IDEOGRAPH && isIdeograph(code)) {
      words++
      run = 0
    } else if (run++ % CHARACTERS_PER_WORD === 0) words++
  }
  return words
}

/** Returns true for characters of scripts in which models treat each character as a word. */
function isIdeograph(code: number): boolean {
  return (code >= FIRST_IDEOGRAPH && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff)
}
