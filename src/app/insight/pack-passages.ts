import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { pathOf } from '../answer/node-response.ts'
import { wordsOf } from '../find/passage-text.ts'
import { toPassage } from '../find/passages.ts'
import type { NotePlace } from '../find/shared-endings.ts'
import { readableSource, shownText } from '../read/readable-source.ts'
import type { PackPassage, ShownPart } from './fit-pack.ts'

/** A part of a note that may be included in a pack, and its location. */
export interface PlacedPassage extends PackPassage, NotePlace {
  /** Words to look for. Sentences with the most of these words are shown first. Without words, the beginning is shown. */
  readonly words: SnippetQuery
}

export type Placing = Pick<PlacedPassage, 'outline' | 'via' | 'score' | 'node' | 'source' | 'place' | 'words'>

export function packPassage({ node, source, place, words, outline, via, score }: Placing): PlacedPassage {
  const { text } = readableSource(node, source)
  const at = (length: number) => {
    const { heading, start_line, end_line, text: shown } = toPassage(node, text, { place, score, words, length })
    return { heading, lines: [start_line, end_line] as const, text: shownText(node, shown) }
  }
  let whole: string | undefined
  const show = (length: number): ShownPart => {
    const part = at(length)
    const isFull = length >= place.end - place.start
    if (!isFull) whole ??= at(Number.POSITIVE_INFINITY).text
    return { ...part, hash: hashShown(source, part.text), isWhole: isFull || part.text === whole }
  }
  return {
    id: node.id,
    ...pathOf(node),
    title: node.title,
    ...(outline === undefined ? {} : { outline }),
    ...(via === undefined ? {} : { via }),
    key: `${node.id}:${source.hash}:${place.start}`,
    score,
    length: place.end - place.start,
    show,
    node,
    source,
    place,
    words,
  }
}

/** Factor for each further passage of a note, so a pack shows one passage of each note first. */
const FURTHER = 0.7

/** Lowers the scores of further passages of a note. `passages` are sorted, best first. */
export function broadly(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const shown = new Map<string, number>()
  return passages.map((passage) => {
    const before = shown.get(passage.id) ?? 0
    shown.set(passage.id, before + 1)
    return before === 0 ? passage : { ...passage, score: passage.score * FURTHER ** before }
  })
}

/** Passages that share at least this many of their words are nearly the same. */
const ALIKE = 0.9
/** Shorter passages are not compared, because so few words may match by chance. */
const MIN_WORDS = 8
/** Number of passages that are compared with one another. */
const MAX_COMPARED = 40

/** Removes passages that are nearly the same as a better one. `passages` are sorted, best first. */
export function withoutLikeness(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const kept: ReadonlySet<string>[] = []
  return passages.filter((passage, at) => {
    if (at >= MAX_COMPARED) return true
    const { node, source, place } = passage
    const text = readableSource(node, source).text.slice(place.start, place.end)
    const words = new Set(wordsOf(text).toLowerCase().match(WORD))
    if (words.size < MIN_WORDS) return true
    if (kept.some((other) => likeness(words, other) >= ALIKE)) return false
    kept.push(words)
    return true
  })
}

const WORD = /[\p{L}\p{N}]+/gu

/** Returns the share of words that two texts have in common. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (Math.min(one.size, other.size) < ALIKE * Math.max(one.size, other.size)) return 0
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  return shared / (one.size + other.size - shared)
}

export function inOrder(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const sorted = passages.toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : Number(a.key > b.key)))
  const seen = new Set<string>()
  return sorted.filter(({ key }) => !seen.has(key) && seen.add(key))
}

/**
 * Returns a partial hash if only a part of the note is shown, because the caller must not replace what it has not seen. Ignores
 * surrounding whitespace.
 */
function hashShown({ text, bodyStart, hash }: NoteText, shown: string): string {
  return shown.length <= text.length - bodyStart && shown === text.slice(bodyStart).trim() ? hash : partialHash(hash)
}
