import type { Heading } from '../../core/note.ts'
import type { ChunkPlace } from '../../core/search.ts'
import type { Node } from '../../core/store.ts'
import { lineNumber, startOfLineNumber } from '../../core/text/line-number.ts'
import type { NoteText } from '../../core/texts.ts'
import { matchFinder, type SnippetQuery, weightOf } from '../../search/words/matches.ts'
import { idOf, queryTerms } from '../../search/words/query-terms.ts'

/**
 * A heading or title matches the question if this share of the question's words occurs in it, and this share of its words in the
 * question.
 */
const MIN_SHARED_WORDS = 0.8
/** Shorter questions are compared with titles only. A heading of one word, such as `Tags`, is a topic, not a question. */
const MIN_WORDS = 2

/**
 * Returns the sections whose headings match the question and, if the note's title matches, the beginning of the note. Sections
 * without text are left out.
 */
export function askedPlaces({ title, headings }: Node, source: NoteText, words: SnippetQuery): readonly ChunkPlace[] {
  const asks = askingFor(words)
  const matching = words.terms.length < MIN_WORDS ? [] : headings.filter(({ text }) => asks(text))
  const opening = asks(title) ? openingOf(source, headings) : undefined
  const isOpening = (heading: Heading): boolean => opening !== undefined && heading.line <= opening.endLine
  const sections = matching.filter((heading) => !isOpening(heading)).map((heading) => sectionOf(source, headings, heading))
  return [opening, ...sections].filter((place) => place !== undefined)
}

/** Returns a function that checks whether a name consists of nearly the same words as the question. */
function askingFor(words: SnippetQuery): (name: string) => boolean {
  const find = matchFinder(words)
  const all = words.terms.reduce((sum, { weight }) => sum + weight, 0)
  return (name) => {
    const matches = find(name)
    if (matches.length === 0 || weightOf(matches) < MIN_SHARED_WORDS * all) return false
    const nameWords = new Set(queryTerms(name).map(idOf))
    return new Set(matches.map(({ term }) => term)).size >= MIN_SHARED_WORDS * nameWords.size
  }
}

function sectionOf(source: NoteText, headings: readonly Heading[], heading: Heading): ChunkPlace | undefined {
  const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level)
  return placeOf(source, { from: heading.line, to: next?.line, heading: heading.line })
}

/** Returns the text before the first heading, or the first section if the note begins with its heading. */
function openingOf(source: NoteText, headings: readonly Heading[]): ChunkPlace | undefined {
  const { text, bodyStart } = source
  const from = lineNumber(text, bodyStart + (/^\s*/.exec(text.slice(bodyStart))?.[0].length ?? 0))
  const [first, second] = headings
  return first?.line === from
    ? placeOf(source, { from, to: second?.line, heading: from })
    : placeOf(source, { from, to: first?.line })
}

interface Lines {
  readonly from: number
  /** The line after the last one. `undefined` for the end of the note. */
  readonly to: number | undefined
  /** Line of the heading, which does not count as text. */
  readonly heading?: number
}

function placeOf({ text }: NoteText, { from, to, heading }: Lines): ChunkPlace | undefined {
  const start = offsetOf(text, from)
  const whole = text.slice(start, to === undefined ? text.length : offsetOf(text, to)).trimEnd()
  const body = heading === undefined ? whole : whole.slice(whole.indexOf('\n') + 1 || whole.length)
  if (body.trim() === '') return undefined
  return { start, end: start + whole.length, startLine: from, endLine: from + whole.split('\n').length - 1 }
}

function offsetOf(text: string, line: number): number {
  return startOfLineNumber(text, line) ?? text.length
}
