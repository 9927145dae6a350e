import type { Phrase, WordTerm } from '../../core/query.ts'
import type { NearWord } from '../../core/search.ts'
import { editDistance } from '../../core/text/nearest.ts'
import { languageOf } from '../languages/language-of.ts'
import { classAt, UNSPACED } from './fold-word.ts'
import { analyze, type Token } from './scan.ts'

/**
 * Returns distinct words in order. Stop words are left out unless there are no other words.
 * @param languages possible languages of the query; all by default
 */
export function queryTerms(text: string, languages?: readonly string[]): readonly WordTerm[] {
  const tokens = analyze(text, languages)
  const content = tokens.filter((token) => !token.isStopWord)
  const counts = new Map<string, { term: WordTerm; count: number }>()
  for (const term of toTerms(content.some(({ kind }) => kind !== 'part') ? content : tokens)) {
    const id = idOf(term)
    const counted = counts.get(id)
    if (counted === undefined) counts.set(id, { term, count: 1 })
    else counted.count++
  }
  const language = languageOf(text, languages)?.code
  return [...counts.values()].map(({ term, count }) => ({ ...term, count, ...(language === undefined ? {} : { language }) }))
}

/** Returns the words of a phrase. With `isPrefix`, the last word may be incomplete. */
export function phraseOf(text: string, options: { readonly isPrefix?: boolean } = {}): Phrase {
  const tokens = analyze(text)
  const words = tokens.filter(({ kind }) => kind === 'word')
  const first = words[0]?.position ?? 0
  return {
    words: words.map((token, at) => ({
      form: token.form,
      stem: token.stem,
      offset: token.position - first,
      isPrefix: isLoneCharacter(token) || (options.isPrefix === true && at === words.length - 1),
    })),
  }
}

export function idOf({ match, stem, form }: Pick<WordTerm, 'match' | 'stem' | 'form'>): string {
  return `${match}\0${match === 'stem' ? stem : form}`
}

export function toTerm(token: Pick<Token, 'form' | 'stem'>, match: WordTerm['match'], parts: readonly WordTerm[] = []): WordTerm {
  return { form: token.form, stem: token.stem, match, count: 1, parts }
}

function toTerms(tokens: readonly Token[]): WordTerm[] {
  const terms: WordTerm[] = []
  const parts = new Map<number, WordTerm[]>()
  for (const token of tokens) {
    if (token.kind === 'part') parts.get(token.position)?.push(toTerm(token, 'stem'))
    if (token.kind !== 'word') continue
    const own: WordTerm[] = []
    parts.set(token.position, own)
    terms.push(toTerm(token, isLoneCharacter(token) ? 'prefix' : 'stem', own))
  }
  return terms
}

/** A single character must be looked up as a prefix, because the index contains pairs of characters. */
function isLoneCharacter({ form }: Pick<Token, 'form'>): boolean {
  return form.length <= 2 && [...form].length === 1 && classAt(form, 0) === UNSPACED
}

export const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u

/**
 * Returns the first letters of possible words with a typo: the first letter, or the second one if the first is superfluous or
 * both are swapped.
 */
export function beginningsNear(word: string): readonly string[] {
  return [...new Set([...word].slice(0, 2))]
}

/** Returns true if the words differ by one letter, or by two swapped letters. Words with digits never count as typos. */
export function isOneSlipAway(word: string, other: string): boolean {
  return Math.abs(word.length - other.length) <= 1 && LETTERS.test(other) && editDistance(word, other, 1) === 1
}

/** Sorts by number of notes, highest first, then by UTF-16 units. */
export function inNearOrder(notesByWord: ReadonlyMap<string, number>): readonly NearWord[] {
  const words = [...notesByWord].map(([word, notes]) => ({ word, notes })).filter(({ notes }) => notes > 0)
  return words.sort((a, b) => b.notes - a.notes || (a.word < b.word ? -1 : 1))
}
