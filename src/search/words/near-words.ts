import type { NearWord } from '../../core/search.ts'
import { editDistance } from '../../core/text/nearest.ts'

/** A word without digits and other signs. */
export const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u

/** Returns how the words near a word can begin: with its first letter, or with its second if the first is extra or swapped. */
export function beginningsNear(word: string): readonly string[] {
  return [...new Set([...word].slice(0, 2))]
}

/** Checks whether a word differs by one letter, or by two swapped neighbors. Other numbers are never typos. */
export function isOneSlipAway(word: string, other: string): boolean {
  return Math.abs(word.length - other.length) <= 1 && LETTERS.test(other) && editDistance(word, other, 1) === 1
}

/** Orders near words: those in most notes first, then in code-point order. */
export function inNearOrder(notesByWord: ReadonlyMap<string, number>): readonly NearWord[] {
  const words = [...notesByWord].map(([word, notes]) => ({ word, notes })).filter(({ notes }) => notes > 0)
  return words.sort((a, b) => b.notes - a.notes || (a.word < b.word ? -1 : 1))
}
