import type { WordTerm } from '../../core/query.ts'
import { queryTerms } from '../words/query.ts'
import { formatTerm } from './format-query.ts'
import type { Query, QueryPart, TextForm } from './query.ts'

/** A word, phrase or prefix that notes are wanted to have. */
export interface QueryWord {
  readonly form: TextForm
  readonly text: string
}

/** What to rank and highlight by: what is not negated, in the order of the query, each once. */
export function positiveWords(query: Query): readonly QueryWord[] {
  const words = new Map<string, QueryWord>()
  const collect = (part: Query, isNegated: boolean): void => {
    if (part.kind === 'and' || part.kind === 'or') for (const inner of part.parts) collect(inner, isNegated)
    else if (part.kind === 'not') collect(part.part, !isNegated)
    else if (!isNegated && (part.kind === 'text' || part.kind === 'title')) {
      const name = formatTerm(part)
      if (!words.has(name)) words.set(name, { form: part.form, text: part.text })
    }
  }
  collect(query, false)
  return [...words.values()]
}

/** The words as an engine ranks by them. */
export function termsOf(words: readonly QueryWord[]): readonly WordTerm[] {
  return words.flatMap(({ form, text }) =>
    form === 'prefix' ? queryTerms(text).map((term) => ({ ...term, match: 'prefix' as const, parts: [] })) : queryTerms(text),
  )
}

/**
 * The query with alternatives where bare words and prefixes stand side by side (`a b` is `a OR b`); phrases, `title:` and all filters hold.
 * `undefined` where that asks for nothing else.
 */
export function relaxed(query: Query): QueryPart | undefined {
  const part = query.kind === 'all' ? undefined : relax(query)
  return part === query ? undefined : part
}

function relax(query: QueryPart): QueryPart {
  if (query.kind !== 'and' && query.kind !== 'or') return query
  const inner = query.parts.map(relax)
  const isSame = inner.every((part, at) => part === query.parts[at])
  const parts = isSame ? query.parts : inner
  const bare = query.kind === 'and' ? parts.filter(isBareWord) : []
  if (bare.length < 2) return isSame ? query : { ...query, parts }
  const others = parts.filter((part) => !isBareWord(part))
  const any: QueryPart = { kind: 'or', parts: bare, span: query.span }
  return others.length === 0 ? any : { kind: 'and', parts: [...others, any], span: query.span }
}

function isBareWord(part: QueryPart): boolean {
  return part.kind === 'text' && part.form !== 'phrase'
}
