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

const MIN_NOTES = 3
const MAX_LENGTH = 2_000
/** A section with a larger share of the question's words does not count as a footer. */
const RELEVANT_SHARE = 0.3

interface Ending {
  /** The UTF-16 offset of the passage. */
  readonly start: number
  readonly words: string
}

/** Returns the UTF-16 offsets of footers. A footer is a final section that several notes share. */
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

export function placeBefore({ text }: NoteText, place: ChunkPlace, end: number): ChunkPlace {
  if (end >= place.end) return place
  const before = text.slice(place.start, end).trimEnd()
  if (legible(before).trim() === '') return place
  const breaks = before.split('\n').length - 1
  return { ...place, end: place.start + before.length, endLine: place.startLine + breaks }
}

function endingIn({ node, source: { text }, place }: NotePlace): Ending | undefined {
  const line = node.headings.at(-1)?.line
  if (node.kind !== 'note' || line === undefined || line <= place.startLine || line > place.endLine) return undefined
  let start = place.start
  for (let at = place.startLine; at < line; at++) start = text.indexOf('\n', start) + 1
  if (text.length - start > MAX_LENGTH) return undefined
  return { start, words: wordsOf(text.slice(start)).replace(/\s+/g, ' ').trim() }
}
