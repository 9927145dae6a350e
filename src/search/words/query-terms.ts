import type { Phrase, WordTerm } from '../../core/query.ts'
import { languageOf } from '../languages/language-of.ts'
import { classAt, UNSPACED } from './fold-word.ts'
import { analyze, type Token } from './scan.ts'

/**
 * Returns the distinct words of a query in order. Omits stop words unless there are no others.
 * @param languages the languages that the query may be in; defaults to all
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

/** Returns a text's words as a phrase. With `isPrefix`, the last word may be incomplete. */
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

/** Returns an id that is equal for words with the same lookup. */
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

/**
 * Checks whether a form is a single character of a script without spaces. It must be looked up as a prefix, because it is indexed
 * as the first of a pair or the last of a run.
 */
function isLoneCharacter({ form }: Pick<Token, 'form'>): boolean {
  return form.length <= 2 && [...form].length === 1 && classAt(form, 0) === UNSPACED
}
