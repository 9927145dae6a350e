import { hash as digest } from 'node:crypto'
import { graphemes, wholeCharacterEnd } from '../../core/text/graphemes.ts'
import type { NoteText } from '../../core/texts.ts'
import { bodyStartOf } from '../frontmatter/frontmatter.ts'
import { afterBlankLines } from '../line-index.ts'
import { legible, withoutGaps } from './legible.ts'

export interface Excerpt {
  readonly excerpt: string
  readonly cut: boolean
}

/** The distance, in UTF-16 code units, to search backwards for a grapheme boundary. */
const REACH = 200

/** Returns up to `max` UTF-16 code units of visible text, cut between graphemes. */
export function excerptOf(text: string, bodyStart: number, max: number): Excerpt {
  const from = afterBlankLines(text, bodyStart)
  const head = text.slice(from, headEnd(text, from, max * EXCERPTS_READ))
  const visible = legible(head)
  // Images and comments stay if there is no other text.
  if (visible === head || visible.trim() === '') return firstOf(text, from, max)
  const { excerpt, cut } = firstOf(withoutGaps(visible), 0, max)
  return { excerpt, cut: cut || text.slice(from + head.length).trim() !== '' }
}

/** The input is longer than the excerpt, because comments and badges are removed from it. */
const EXCERPTS_READ = 8

/** Cuts at a line end, so no badge is cut in two. */
function headEnd(text: string, from: number, length: number): number {
  if (text.length - from <= length) return text.length
  const lineEnd = text.lastIndexOf('\n', from + length)
  return lineEnd > from ? lineEnd : from + length
}

function firstOf(text: string, from: number, max: number): Excerpt {
  if (text.length - from <= max) return { excerpt: text.slice(from).trimEnd(), cut: false }
  const end = graphemeEnd(text, from, from + max)
  return { excerpt: text.slice(from, end).trimEnd(), cut: text.slice(end).trim() !== '' }
}

function graphemeEnd(text: string, from: number, limit: number): number {
  // Plain letters are their own graphemes. The segmenter would take twenty times as long.
  if (isPlain(text.charCodeAt(limit)) && isPlain(text.charCodeAt(limit - 1))) return limit
  const safe = safeStart(text, from, limit)
  let end = safe
  for (const { index, segment } of graphemes().segment(text.slice(safe, limit + REACH))) {
    if (safe + index + segment.length > limit) break
    end = safe + index + segment.length
  }
  // A grapheme of this length is not real text, so only surrogate pairs are kept together.
  return end > from ? end : wholeCharacterEnd(text, limit)
}

function safeStart(text: string, from: number, limit: number): number {
  const stop = Math.max(from, limit - REACH)
  for (let i = limit; i > stop; i--) if (isPlain(text.charCodeAt(i)) && isPlain(text.charCodeAt(i - 1))) return i
  return stop > from ? wholeCharacterEnd(text, stop) : stop
}

function isPlain(c: number): boolean {
  return c >= 32 && c < 127
}

/** Returns a note's text. Text and metadata come from the same bytes. */
export function noteTextOf(bytes: Uint8Array): NoteText {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return { text, bodyStart: bodyStartOf(text), hash: digest('sha256', bytes, 'hex') }
}
