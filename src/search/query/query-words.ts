import type { TaskState, WordTerm } from '../../core/query.ts'
import { queryTerms } from '../words/query-terms.ts'
import { formatTerm } from './format-query.ts'
import type { Query, QueryPart, Term, TextForm } from './query.ts'

/** A word, phrase or prefix that notes are wanted to have. */
export interface QueryWord {
  readonly form: TextForm
  readonly text: string
}

/** What to rank and highlight by: what is not negated, in the order of the query, each once. */
export function positiveWords(query: Query): readonly QueryWord[] {
  const words = new Map<string, QueryWord>()
  for (const part of wantedTerms(query)) {
    if (part.kind !== 'text' && part.kind !== 'title') continue
    const name = formatTerm(part)
    if (!words.has(name)) words.set(name, { form: part.form, text: part.text })
  }
  return [...words.values()]
}

/** The conditions that are not negated, in the order of the query. */
function wantedTerms(query: Query): readonly Term[] {
  const terms: Term[] = []
  const collect = (part: QueryPart, isNegated: boolean): void => {
    if (part.kind === 'and' || part.kind === 'or') for (const inner of part.parts) collect(inner, isNegated)
    else if (part.kind === 'not') collect(part.part, !isNegated)
    else if (!isNegated) terms.push(part as Term)
  }
  if (query.kind !== 'all') collect(query, false)
  return terms
}

/** The states of tasks that notes are wanted to have. */
export function positiveTasks(query: Query): ReadonlySet<TaskState> {
  return new Set(wantedTerms(query).flatMap((part) => (part.kind === 'task' ? part.state : [])))
}

/** The names of the properties that a query asks about, each with whether it is compared as a number or a date. */
export function propertiesIn(query: Query): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>()
  const collect = (part: Query): void => {
    if (part.kind === 'and' || part.kind === 'or') part.parts.forEach(collect)
    else if (part.kind === 'not') collect(part.part)
    else if (part.kind === 'property' || part.kind === 'comparison')
      names.set(part.name, part.kind === 'comparison' || names.get(part.name) === true)
    else if (part.kind === 'type') names.set('type', names.get('type') === true)
  }
  collect(query)
  return names
}

/** The values of properties that a query asks about. */
export function valuesIn(query: Query): readonly { readonly name: string; readonly value: string }[] {
  if (query.kind === 'and' || query.kind === 'or') return query.parts.flatMap(valuesIn)
  if (query.kind === 'not') return valuesIn(query.part)
  if (query.kind === 'type') return [{ name: 'type', value: query.value }]
  return query.kind === 'property' && query.value ? [{ name: query.name, value: query.value }] : []
}

/** The tags that a query asks about. */
export function tagsIn(query: Query): readonly string[] {
  const collect = (part: Query): readonly string[] => {
    if (part.kind === 'and' || part.kind === 'or') return part.parts.flatMap(collect)
    if (part.kind === 'not') return collect(part.part)
    return part.kind === 'tag' ? [part.name] : []
  }
  return collect(query)
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

/** A shorter word begins too many others. */
const SHORTEST_BEGINNING = 4

/** The query with its bare words as beginnings of words (`conf` is `conf*`). `undefined` where that asks for nothing else. */
export function begun(query: Query): QueryPart | undefined {
  const part = query.kind === 'all' ? undefined : begin(query)
  return part === query ? undefined : part
}

function begin(query: QueryPart): QueryPart {
  if (query.kind === 'and' || query.kind === 'or') {
    const parts = query.parts.map(begin)
    return parts.every((part, at) => part === query.parts[at]) ? query : { ...query, parts }
  }
  const isWord = query.kind === 'text' && query.form === 'word' && query.text.length >= SHORTEST_BEGINNING
  return isWord ? { ...query, form: 'prefix' } : query
}

function isBareWord(part: QueryPart): boolean {
  return part.kind === 'text' && part.form !== 'phrase'
}
