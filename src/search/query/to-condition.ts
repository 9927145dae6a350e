import { foldName } from '../../core/fold.ts'
import { foldId, type NodeId } from '../../core/ids.ts'
import type { Condition, Lookup, WordField } from '../../core/query.ts'
import { analyze } from '../words/analyze.ts'
import { phraseOf, queryTerms } from '../words/query.ts'
import type { Query, QueryPart, Term, TextForm } from './query.ts'

/** Ids of the notes that a title in `~relation=title`, `links:title` or `linkedfrom:title` means. */
export type TitleIds = ReadonlyMap<string, readonly NodeId[]>

/** The titles of notes that a query names, each once. */
export function titlesIn(query: Query): readonly string[] {
  const titles = new Set<string>()
  const collect = (part: Query): void => {
    if (part.kind === 'and' || part.kind === 'or') part.parts.forEach(collect)
    else if (part.kind === 'not') collect(part.part)
    else if (part.kind === 'links' || part.kind === 'linkedfrom') titles.add(part.title)
    else if (part.kind === 'relation' && part.title !== undefined) titles.add(part.title)
  }
  collect(query)
  return [...titles]
}

/** A query as engines take it: texts folded and analysed, titles looked up. `undefined` asks for all. */
export function toCondition(query: Query, titles: TitleIds = new Map()): Condition | undefined {
  return query.kind === 'all' ? undefined : partOf(query, titles)
}

function partOf(part: QueryPart, titles: TitleIds): Condition {
  switch (part.kind) {
    case 'and':
    case 'or':
      return { kind: part.kind, parts: part.parts.map((inner) => partOf(inner, titles)) }
    case 'not':
      return { kind: 'not', part: partOf(part.part, titles) }
    default:
      return lookupOf(part, titles)
  }
}

function lookupOf(term: Term, titles: TitleIds): Lookup {
  switch (term.kind) {
    case 'text':
      return textOf(term, 'any')
    case 'title':
      return textOf(term, 'title')
    case 'tag':
      return { kind: 'tag', name: foldName(term.name) }
    case 'property':
      return propertyOf(term.name, term.value)
    case 'type':
      return propertyOf('type', term.value)
    case 'relation':
      return {
        kind: 'relation',
        name: foldName(term.name),
        targets: term.title === undefined ? undefined : (titles.get(term.title) ?? []),
      }
    case 'comparison': {
      const { name, operator, number, period } = term
      return { kind: 'comparison', name: foldName(name), operator, number, period }
    }
    case 'links':
    case 'linkedfrom':
      return { kind: term.kind, nodes: titles.get(term.title) ?? [] }
    case 'task':
      return { kind: 'task', state: term.state }
    case 'path':
      return { kind: 'path', text: foldId(term.text) }
    case 'time':
      return { kind: 'time', field: term.field, from: term.from, to: term.to }
    case 'has':
      return { kind: 'has', feature: term.feature }
  }
}

function propertyOf(name: string, value: string | undefined): Lookup {
  return { kind: 'property', name: foldName(name), value: value === undefined ? undefined : foldName(value.trim()) }
}

/** Looks a text up as one that is typed without quotes. */
export function wordsLookup(text: string): Lookup {
  return textOf({ text, form: 'word' }, 'any')
}

/** A word that the analysis takes apart (`well-known`, `12:30`) is a phrase; one that is nothing but signs is nowhere. */
function textOf({ text, form }: { readonly text: string; readonly form: TextForm }, field: WordField): Lookup {
  const tokens = analyze(text).filter(({ kind }) => kind === 'word')
  const [token] = tokens
  if (token === undefined) return { kind: 'nothing' }
  const isPrefix = form === 'prefix'
  if (tokens.length > 1 || form === 'phrase') return { kind: 'phrase', field, phrase: phraseOf(text, { isPrefix }) }
  if (isPrefix) return { kind: 'word', field, word: { form: token.form, stem: token.form, match: 'prefix' } }
  const [term = { ...token, match: 'stem' as const }] = queryTerms(text)
  return { kind: 'word', field, word: { form: term.form, stem: term.stem, match: term.match } }
}
