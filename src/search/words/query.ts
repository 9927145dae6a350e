import { analyze, type Token } from './analyze.ts'
import { classAt, UNSPACED } from './chars.ts'

/** A word that is looked for. */
export interface QueryTerm {
  readonly form: string
  readonly stem: string
  /** Found by every word of its stem, by its form alone, or by what begins with its form. */
  readonly match: 'stem' | 'form' | 'prefix'
  /** How often the query says it. */
  readonly count: number
  /** What is looked for where the word itself occurs nowhere: `node` and `js` for `node.js`. */
  readonly parts: readonly QueryTerm[]
}

/** Words that must stand one after the other. */
export interface Phrase {
  readonly words: readonly PhraseWord[]
}

export interface PhraseWord {
  readonly form: string
  readonly stem: string
  /** Words after the first one of the phrase, ascending; a gap means that anything may stand there. */
  readonly offset: number
  readonly isPrefix: boolean
}

/** The distinct words of a query in order of appearance, without stop words unless there is nothing else. */
export function queryTerms(text: string): readonly QueryTerm[] {
  const tokens = analyze(text)
  const content = tokens.filter((token) => !token.isStopWord)
  const counts = new Map<string, { term: QueryTerm; count: number }>()
  for (const term of toTerms(content.some(({ kind }) => kind !== 'part') ? content : tokens)) {
    const id = idOf(term)
    const known = counts.get(id)
    if (known === undefined) counts.set(id, { term, count: 1 })
    else known.count++
  }
  return [...counts.values()].map(({ term, count }) => ({ ...term, count }))
}

/** The text's words as a phrase; the last one may be a beginning only. */
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

/** Equal for words that are looked up alike. */
export function idOf({ match, stem, form }: Pick<QueryTerm, 'match' | 'stem' | 'form'>): string {
  return `${match}\0${match === 'stem' ? stem : form}`
}

/** The word as something to be looked up in a given way. */
export function toTerm(
  token: Pick<Token, 'form' | 'stem'>,
  match: QueryTerm['match'],
  parts: readonly QueryTerm[] = [],
): QueryTerm {
  return { form: token.form, stem: token.stem, match, count: 1, parts }
}

function toTerms(tokens: readonly Token[]): QueryTerm[] {
  const terms: QueryTerm[] = []
  const parts = new Map<number, QueryTerm[]>()
  for (const token of tokens) {
    if (token.kind === 'part') parts.get(token.position)?.push(toTerm(token, 'stem'))
    if (token.kind !== 'word') continue
    const own: QueryTerm[] = []
    parts.set(token.position, own)
    terms.push(toTerm(token, isLoneCharacter(token) ? 'prefix' : 'stem', own))
  }
  return terms
}

/** One character of a script without spaces: indexed as the first of a pair or the last of a run, so a beginning. */
function isLoneCharacter({ form }: Pick<Token, 'form'>): boolean {
  return form.length <= 2 && [...form].length === 1 && classAt(form, 0) === UNSPACED
}
