import { foldId, type NodeId } from '../../core/ids.ts'
import type { Condition, Lookup, WordField } from '../../core/query.ts'
import { foldName } from '../../core/text/fold.ts'
import { analyze } from '../words/analyze.ts'
import { phraseOf, queryTerms } from '../words/query-terms.ts'
import { textsMeant } from './compare.ts'
import type { Query, QueryPart, Term, TextForm } from './query.ts'

/** Ids of the notes that a title in `~relation=title`, `links:title` or `linkedfrom:title` means. */
export type TitleIds = ReadonlyMap<string, readonly NodeId[]>

/** Ids of the notes of each community that a query names. */
export type CommunityIds = ReadonlyMap<string, readonly NodeId[]>

/** The names of a query that are looked up first. */
export interface LookedUp {
  readonly titles?: TitleIds
  readonly communities?: CommunityIds
}

/** The titles of notes that a query names, each once. */
export function titlesIn(query: Query): readonly string[] {
  return namedIn(query, (term) => {
    if (term.kind === 'links' || term.kind === 'linkedfrom') return term.title
    return term.kind === 'relation' ? term.title : undefined
  })
}

/** The communities that a query names, each once. */
export function communitiesIn(query: Query): readonly string[] {
  return namedIn(query, (term) => (term.kind === 'community' ? term.id : undefined))
}

function namedIn(query: Query, nameOf: (term: Term) => string | undefined): readonly string[] {
  const names = new Set<string>()
  const collect = (part: Query): void => {
    switch (part.kind) {
      case 'all':
        return
      case 'and':
      case 'or':
        part.parts.forEach(collect)
        return
      case 'not':
        collect(part.part)
        return
      default: {
        const name = nameOf(part)
        if (name !== undefined) names.add(name)
      }
    }
  }
  collect(query)
  return [...names]
}

/** A query as engines take it: texts folded and analysed, titles and communities looked up. `undefined` asks for all. */
export function toCondition(query: Query, lookedUp: LookedUp = {}): Condition | undefined {
  return query.kind === 'all' ? undefined : partOf(query, lookedUp)
}

function partOf(part: QueryPart, lookedUp: LookedUp): Condition {
  switch (part.kind) {
    case 'and':
    case 'or': {
      const { kind } = part
      const parts = part.parts.map((inner) => partOf(inner, lookedUp))
      return { kind, parts: parts.flatMap((inner) => (inner.kind === kind ? inner.parts : [inner])) }
    }
    case 'not':
      return { kind: 'not', part: partOf(part.part, lookedUp) }
    case 'property':
      return propertyOf(part.name, part.value)
    case 'type':
      return propertyOf('type', part.value)
    default:
      return lookupOf(part, lookedUp)
  }
}

function lookupOf(
  term: Exclude<Term, { readonly kind: 'property' | 'type' }>,
  { titles = new Map(), communities = new Map() }: LookedUp,
): Lookup {
  switch (term.kind) {
    case 'text':
      return textOf(term, 'any')
    case 'title':
      return textOf(term, 'title')
    case 'tag':
      return { kind: 'tag', name: foldName(term.name) }
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
    case 'community':
      return { kind: 'among', nodes: communities.get(term.id) ?? [] }
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

function propertyOf(name: string, value: string | undefined): Condition {
  const meant = value === undefined ? [undefined] : textsMeant(value)
  const parts = meant.map((text): Lookup => ({ kind: 'property', name: foldName(name), value: text }))
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { kind: 'or', parts }
}

/** Looks a text up as one that is typed without quotes. */
export function wordsLookup(text: string): Lookup {
  return textOf({ text, form: 'word' }, 'any')
}

/** A word that the analysis splits (`well-known`, `12:30`) becomes a phrase; punctuation alone matches nothing. */
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
