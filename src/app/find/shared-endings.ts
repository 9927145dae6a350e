import type { NodeId } from '../../core/ids.ts'
import type { ChunkPlace } from '../../core/search.ts'
import type { Node } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import { legible } from '../../markdown/prose/legible.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { wordsOf } from './passage-text.ts'
import { wordShareFor } from './passages.ts'

export interface NotePlace {
  readonly node: Node
  readonly source: NoteText
  readonly place: ChunkPlace
}

/** A last section is a footer if at least this many of the notes found end with it. */
const MIN_NOTES = 3
/** Longer sections, in UTF-16 code units, are not footers. */
const MAX_LENGTH = 2_000
/** A section with this share of the question's words may be relevant even if many notes end with it. */
const RELEVANT_SHARE = 0.3

interface Ending {
  /** UTF-16 offset. */
  readonly start: number
  /** Visible text of the section, without link addresses and repeated white space. */
  readonly words: string
}

/**
 * Returns where the footers of the given notes start, as UTF-16 offsets. A footer is a last section that several notes share: its
 * words are the same, but link addresses may differ.
 */
export function sharedEndings(passages: readonly NotePlace[], question: SnippetQuery): ReadonlyMap<NodeId, number> {
  const endings = new Map<NodeId, Ending>()
  for (const passage of passages) {
    const ending = endings.has(passage.node.id) ? undefined : endingIn(passage)
    if (ending !== undefined) endings.set(passage.node.id, ending)
  }
  const counts = new Map<string, number>()
  for (const { words } of endings.values()) counts.set(words, (counts.get(words) ?? 0) + 1)
  const share = wordShareFor(question)
  const footers = new Set(
    [...counts].filter(([words, count]) => count >= MIN_NOTES && share(words) < RELEVANT_SHARE).map(([words]) => words),
  )
  return new Map([...endings].flatMap(([id, { start, words }]) => (footers.has(words) ? [[id, start]] : [])))
}

/** Returns the part of a passage before `end`, a UTF-16 offset in the file, or the whole passage if that part has no text. */
export function placeBefore({ text }: NoteText, place: ChunkPlace, end: number): ChunkPlace {
  if (end >= place.end) return place
  const before = text.slice(place.start, end).trimEnd()
  if (legible(before).trim() === '') return place
  const breaks = before.split('\n').length - 1
  return { ...place, end: place.start + before.length, endLine: place.startLine + breaks }
}

/** Returns the last section of the note, if the passage contains its beginning and some text before it. */
function endingIn({ node, source: { text }, place }: NotePlace): Ending | undefined {
  const line = node.headings.at(-1)?.line
  if (node.kind !== 'note' || line === undefined || line <= place.startLine || line > place.endLine) return undefined
  let start = place.start
  for (let at = place.startLine; at < line; at++) start = text.indexOf('\n', start) + 1
  if (text.length - start > MAX_LENGTH) return undefined
  return { start, words: wordsOf(text.slice(start)).replace(/\s+/g, ' ').trim() }
}
