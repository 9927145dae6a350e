import { hash as digest } from 'node:crypto'
import type { Heading } from '../core/note.ts'
import { blankData } from '../core/text/inline-data.ts'
import { lineNumber } from '../core/text/line-number.ts'

/** The widest a chunk may be, in radii. */
const WIDEST = 4

const PARAGRAPH = 6

const LINE = 7

const PIECE = 8

/** A note has not many more units than that; those of longer ones have more characters each. */
const MAX_UNITS = 100_000

/** Asked of the prototype: see `scanWords`. */
const { charCodeAt: codeAt } = String.prototype

/** Lines up to this many characters are one unit; longer ones are cut after sentences, and a sentence as long as this at a space. */
const LONG_LINE = 500

const SENTENCE_END = /[.!?]["')\]]*\s+|[。！？]/g

/** A fence of code: its marks and language say nothing about the note. */
const FENCE = /^[\s>]*(?:`{3,}|~{3,})/

const LIST_MARK = /^[\s>]*(?:[-+*]|\d{1,9}[.)])\s+(?:\[.\]\s+)?/

const WIKILINK = /!?\[\[([^[\]|]*)(?:\|([^[\]]*))?\]\]/g

/** A link or picture with its destination, which may hold one level of parentheses. */
const LINK = /!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g

const URL = /\b(?:https?|ftp|file|data|mailto):\S+/gi

const TAG = /<[a-z/!][^<>]*>/gi

const BLOCK_ID = /\s\^[\w-]+\s*$/

/** Marks of emphasis, code, quotes, tables, headings, comments and properties; rules and what underlines a heading. */
const MARKS = /[*_`~|=#>\\%[\]{}]+|-{3,}|:{2,}/g

/** White space that is not one space: most is, and replacing each by itself would be most of the work. */
const WIDE_SPACE = /\s{2,}|[^\S ]/g

/** Such as the line under a table's head. */
const PUNCTUATION = /^[\s!-/:-@[-`{-~]*$/

/** Characters without a space that count as one word, so a long text never has few words. */
const LONGEST_WORD = 16

const FIRST_IDEOGRAPH = 0x2e80

/** The needed facts of a note; `headings` as in `Note`, in order. */
export interface ChunkSource {
  readonly title: string
  /** The whole file. */
  readonly text: string
  /** UTF-16 offset of the first character after the frontmatter. */
  readonly bodyStart: number
  readonly headings: readonly Heading[]
}

/** A passage of a note with a vector of its own. */
export interface Chunk {
  /** The headings it stands under at its first line, that line's own included, outermost first, as written. */
  readonly heading: readonly string[]
  /** 1-based lines in the file, both included. */
  readonly startLine: number
  readonly endLine: number
  /** UTF-16 offsets: `text.slice(start, end)` is the passage without white space around it. */
  readonly start: number
  readonly end: number
  /** The text to embed: title, headings and the passage as plain text, one line each; at most some 450 words. */
  readonly text: string
}

/** A chunk has at least so many words, some 220 on average, and four times as many at most. */
const RADIUS = 100

/** A note up to this many words is one chunk. */
const WHOLE_NOTE = 250

/** A longer note than its chunks would be that many has longer chunks. */
export const MAX_CHUNKS = 400

/** Words of a chunk that are embedded; only those of very long notes have more. */
const MAX_EMBEDDED = 4 * RADIUS

/** Characters of a title or heading that are embedded. */
const MAX_NAME = 200

/**
 * Cuts a note into passages at its headings and paragraphs: together they hold every word of it, in order. A note without words
 * is one chunk, its title. At most `MAX_CHUNKS`; time and memory linear in the text. An edit changes only the chunks near it (and
 * the embedded text of those under a heading that was edited).
 */
export function chunkNote({ title, text: whole, bodyStart, headings }: ChunkSource): readonly Chunk[] {
  const text = blankData(whole)
  const parts = unitsOf(text, bodyStart, headings)
  const { units, words } = parts
  const cuts = words <= WHOLE_NOTE ? [0] : cutsOf(parts, radiusFor(words))
  const path = new HeadingPath(headings)
  return cuts.map((cut, i) => {
    const next = cuts[i + 1] ?? units.length
    const first = units[cut] ?? { start: bodyStart, line: 1, level: 0, plain: '' }
    const heading = path.at(first.line)
    const end = lastCharacter(text, first.start, units[next] ?? { start: text.length, line: parts.lastLine })
    return {
      heading,
      startLine: first.line,
      endLine: end.line,
      start: first.start,
      end: end.offset,
      text: embedTextOf(title, heading, units.slice(cut, next)),
    }
  })
}

/** Doubled until a note of so many words has at most `MAX_CHUNKS` chunks, each at least that long. */
function radiusFor(words: number): number {
  let radius = RADIUS
  while (words > radius * MAX_CHUNKS) radius *= 2
  return radius
}

/** The headings above a line and on it, outermost first, as written. */
export function headingPathAt(headings: readonly Heading[], line: number): readonly string[] {
  return new HeadingPath(headings).at(line)
}

/** The headings above a line, asked in ascending order. */
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

/** The end of a passage and its line, looked for backwards from where the next one begins. */
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
    // The heading that a passage begins with is already among the names.
    if (position < limit && !(at === 0 && heading.length > 0 && level < 6)) lines.push(plain)
  }
  return lines.join('\n')
}

function addName(names: string[], written: string): void {
  const name = plainText(written.slice(0, MAX_NAME))
  if (name !== '' && !names.some((other) => other.toLowerCase() === name.toLowerCase())) names.push(name)
}

/** The identity of an embedded text: the first 16 bytes of its SHA-256, as 32 hexadecimal digits. Equal texts share a vector. */
export function chunkHash(text: string): string {
  return digest('sha256', text, 'hex').slice(0, 32)
}

/**
 * The starts of chunks: indexes of units, ascending, the first one 0. Chunks have at least `radius` words and, apart
 * from the size of one unit, at most four times as many; on average a little over twice.
 * A cut is a unit that ranks before all others within `radius` words on both sides: headings by level, then paragraphs,
 * lines and sentences; a hash of the text decides ties (local maximum method of Bjørner, Blass and Gurevich, 2010). A
 * cut depends only on the text near it, so an edit moves no distant chunk.
 */
function cutsOf({ units, words }: Units, radius: number): readonly number[] {
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
  /** Units with ascending ranks: each is the nearest one before the next that does not rank after it. */
  const stack: number[] = []
  const near = (left: number, right: number) => positionOf(units, right) - positionOf(units, left) < radius
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
  /** Words of the note before its end. */
  readonly until: number
  readonly radius: number
}

/** Cuts what lies between two anchors, where it is too wide, at the best unit nearest to twice the radius. */
function fill(cuts: number[], units: readonly Unit[], { anchor, until, radius }: Gap): void {
  let last = anchor
  while (until - positionOf(units, last) > WIDEST * radius) {
    const from = positionOf(units, last)
    const best = bestBetween(units, {
      after: last,
      from,
      low: from + radius,
      high: Math.min(from + WIDEST * radius, until - radius),
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
  let least = Number.POSITIVE_INFINITY
  for (let i = after + 1; i < units.length && positionOf(units, i) <= high; i++) {
    if (positionOf(units, i) < low) continue
    const cost = (units[i]?.level ?? 0) * WIDEST * radius + Math.abs(positionOf(units, i) - from - 2 * radius)
    if (cost >= least) continue
    best = i
    least = cost
  }
  return best
}

/** FNV-1a of the beginning of a text, 26 bits. */
function hash26(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length && i < 64; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 6
}

/** The smallest part of a note that chunks are made of: a line, or a piece of a long one. */
export interface Unit {
  /** UTF-16 offset in the file. */
  readonly start: number
  /** 1-based line in the file. */
  readonly line: number
  /** Words of the note before it. */
  readonly position: number
  /** 0–5 a heading of level 1–6; then the first line of a paragraph, another line, a later piece of a line. */
  readonly level: number
  readonly plain: string
}

export interface Units {
  readonly units: readonly Unit[]
  /** Words of all units. */
  readonly words: number
  /** 1-based last line of the file. */
  readonly lastLine: number
}

/** The units of a note's body, without those that say nothing: blank lines, fences, rules, bare addresses. */
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

  /** Adds a piece, to the unit before it where that is tiny; whether it says anything. */
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
  const last = head.charCodeAt(LONG_LINE - 1)
  return from + LONG_LINE - (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
}

/**
 * A piece of Markdown (at most a line) as plain text for a model: links by display text, without addresses, HTML tags
 * and marks. For pieces of some hundred characters.
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

/** How many words a text has for a model: runs without white space, long ones as several, ideographs one each. */
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
    } else if (run++ % LONGEST_WORD === 0) words++
  }
  return words
}

/** Characters of scripts that put no spaces between words; models read each as a word of its own. */
function isIdeograph(code: number): boolean {
  return (code >= FIRST_IDEOGRAPH && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff)
}
