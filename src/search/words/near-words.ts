import type { NearWord } from '../../core/search.ts'
import { editDistance } from '../../core/text/nearest.ts'

/** Matches words that consist of letters and marks only. */
export const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u

/**
 * Returns the first letters that near words can have: the word's first letter, or its second one if the first is superfluous or
 * both are swapped.
 */
export function beginningsNear(word: string): readonly string[] {
  return [...new Set([...word].slice(0, 2))]
}

/** Checks whether two words differ in one letter or two swapped letters. Words with digits never count as typos. */
export function isOneSlipAway(word: string, other: string): boolean {
  return Math.abs(word.length - other.length) <= 1 && LETTERS.test(other) && editDistance(word, other, 1) === 1
}

/** Orders words by the number of notes that contain them, highest first, then by UTF-16 units. */
export function inNearOrder(notesByWord: ReadonlyMap<string, number>): readonly NearWord[] {
  const words = [...notesByWord].map(([word, notes]) => ({ word, notes })).filter(({ notes }) => notes > 0)
  return words.sort((a, b) => b.notes - a.notes || (a.word < b.word ? -1 : 1))
}
