import type { Heading } from '../../core/note.ts'
import { lineNumber } from '../../core/text/line-number.ts'
import { countWords, plainText } from './plain-text.ts'

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

const PARAGRAPH = 6
const LINE = 7
const PIECE = 8

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

/** A note has not many more units than that; those of longer ones have more characters each. */
const MAX_UNITS = 100_000

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

/** Asked of the prototype: see `scanWords`. */
const { charCodeAt } = String.prototype

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (charCodeAt.call(text, i) > 32) return false
  return true
}

/** Lines up to this many characters are one unit; longer ones are cut after sentences, and a sentence as long as this at a space. */
const LONG_LINE = 500
const SENTENCE_END = /[.!?]["')\]]*\s+|[。！？]/g

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
