import { hash as digest } from 'node:crypto'
import type { Heading } from '../core/note.ts'
import { blankData } from '../core/text/inline-data.ts'
import { cutsOf } from './chunks/cuts.ts'
import { plainText } from './chunks/plain-text.ts'
import { type Unit, unitsOf } from './chunks/units.ts'

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
