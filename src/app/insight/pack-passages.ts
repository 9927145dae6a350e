import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { pathOf } from '../answer/node-response.ts'
import { wordsOf } from '../find/passage-text.ts'
import { toPassage } from '../find/passages.ts'
import type { NotePlace } from '../find/shared-endings.ts'
import { readableSource, shownText } from '../read/texts.ts'
import type { PackPassage, ShownPart } from './fit-pack.ts'

/** A part of a note that a pack may contain, and where it is. */
export interface PlacedPassage extends PackPassage, NotePlace {
  /** Words to search for. The sentences with most of them are shown, or the beginning if there are no words. */
  readonly words: SnippetQuery
}

export type PassagePlacing = Pick<PlacedPassage, 'outline' | 'via' | 'score' | 'node' | 'source' | 'place' | 'words'>

export function packPassage({ node, source, place, words, outline, via, score }: PassagePlacing): PlacedPassage {
  const { text } = readableSource(node, source)
  const at = (length: number) => {
    const { heading, start_line, end_line, text: passageText } = toPassage(node, text, { place, score, words, length })
    return { heading, lines: [start_line, end_line] as const, text: shownText(node, passageText) }
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

/** Factor for the score of each further passage of a note, because a pack should contain a passage of every note first. */
const FURTHER_FACTOR = 0.7

/** Lowers the scores of further passages of a note. `passages` are sorted, best first. */
export function lowerRepeatedNotes(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const shownCounts = new Map<string, number>()
  return passages.map((passage) => {
    const before = shownCounts.get(passage.id) ?? 0
    shownCounts.set(passage.id, before + 1)
    return before === 0 ? passage : { ...passage, score: passage.score * FURTHER_FACTOR ** before }
  })
}

/** Passages are nearly the same if they share at least this much of their words. */
const MIN_SHARED_WORDS = 0.9
/** Shorter passages are not compared, because a few words may match by chance. */
const MIN_WORDS = 8
/** Number of passages to compare with one another. */
const MAX_COMPARED = 40

/** Removes passages that nearly repeat a better one. `passages` are sorted, best first. */
export function withoutLikeness(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const keptWords: ReadonlySet<string>[] = []
  return passages.filter((passage, at) => {
    if (at >= MAX_COMPARED) return true
    const { node, source, place } = passage
    const text = readableSource(node, source).text.slice(place.start, place.end)
    const words = new Set(wordsOf(text).toLowerCase().match(WORD))
    if (words.size < MIN_WORDS) return true
    if (keptWords.some((other) => likeness(words, other) >= MIN_SHARED_WORDS)) return false
    keptWords.push(words)
    return true
  })
}

const WORD = /[\p{L}\p{N}]+/gu

/** Returns the share of their words that two texts have in common. */
function likeness(words: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (Math.min(words.size, other.size) < MIN_SHARED_WORDS * Math.max(words.size, other.size)) return 0
  let shared = 0
  for (const word of words) if (other.has(word)) shared++
  return shared / (words.size + other.size - shared)
}

export function inOrder(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const sorted = passages.toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : Number(a.key > b.key)))
  const hashes = new Set<string>()
  return sorted.filter(({ key }) => !hashes.has(key) && hashes.add(key))
}

/**
 * Returns the note's hash. If only part of the note is shown, the hash is marked as partial, because a caller must not replace
 * text that it has not seen. White space around the shown text does not count.
 */
function hashShown({ text, bodyStart, hash }: NoteText, shownText: string): string {
  return shownText.length <= text.length - bodyStart && shownText === text.slice(bodyStart).trim() ? hash : partialHash(hash)
}
