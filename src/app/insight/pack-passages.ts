import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { pathOf } from '../answer/node-response.ts'
import { wordsOf } from '../find/passage-text.ts'
import { toPassage } from '../find/passages.ts'
import type { NotePlace } from '../find/shared-endings.ts'
import { readableSource, shownText } from '../read/texts.ts'
import type { PackPassage, ShownPart } from './fit-pack.ts'

export interface PlacedPassage extends PackPassage, NotePlace {
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

/** This factor lowers the scores of a note's further passages, so a pack contains more notes. */
const FURTHER_FACTOR = 0.7

/** Lowers the scores of further passages of the same note. `passages` must be sorted, best first. */
export function lowerRepeatedNotes(passages: readonly PlacedPassage[]): readonly PlacedPassage[] {
  const shownCounts = new Map<string, number>()
  return passages.map((passage) => {
    const before = shownCounts.get(passage.id) ?? 0
    shownCounts.set(passage.id, before + 1)
    return before === 0 ? passage : { ...passage, score: passage.score * FURTHER_FACTOR ** before }
  })
}

const MIN_SHARED_WORDS = 0.9
/** A shorter passage may contain the same words by chance. */
const MIN_WORDS = 8
const MAX_COMPARED = 40

/** Drops passages that nearly repeat a better one. `passages` must be sorted, best first. */
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
 * Returns the note's hash, marked as partial if text other than surrounding white space is hidden. Otherwise, a caller could
 * overwrite text that it has not seen.
 */
function hashShown({ text, bodyStart, hash }: NoteText, shownText: string): string {
  return shownText.length <= text.length - bodyStart && shownText === text.slice(bodyStart).trim() ? hash : partialHash(hash)
}
