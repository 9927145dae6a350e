import { foldId, type NodeId } from '../../core/ids.ts'
import type { Comparison, Condition, Feature, Lookup, TaskState, WordField, WordTerm } from '../../core/query.ts'
import { foldName } from '../../core/text/fold.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { phraseOf, queryTerms } from '../words/query-terms.ts'
import { analyze } from '../words/scan.ts'
import { meaningOfValue } from './compare-values.ts'

const MIN_PREFIX_LENGTH = 4

export type TextForm = 'word' | 'phrase' | 'prefix'

export type TimeField = 'created' | 'modified'

export type Query = { readonly kind: 'all' } | QueryPart

/** A part of a query. `and` and `or` have at least two parts, and never contain a part of their own kind. */
export type QueryPart =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly QueryPart[]; readonly span: TextRange }
  | { readonly kind: 'not'; readonly part: QueryPart; readonly span: TextRange }
  | Term

export type Term = { readonly span: TextRange } & (
  | { readonly kind: 'text' | 'title'; readonly form: TextForm; readonly text: string }
  /** The name has no `#` and no trailing `/`. */
  | { readonly kind: 'tag'; readonly name: string }
  /** If there is no value, every note with the property matches. */
  | { readonly kind: 'property'; readonly name: string; readonly value: string | undefined }
  /** A comparison. `written` is the value as typed. It may be both a number and a date. */
  | ({ readonly kind: 'comparison'; readonly name: string; readonly written: string } & Comparison)
  /** If there is no title, every link in the property matches. */
  | { readonly kind: 'relation'; readonly name: string; readonly title: string | undefined }
  /** The condition matches notes that link to the named note, or notes that it links to. */
  | { readonly kind: 'links' | 'linkedfrom'; readonly title: string }
  /** The condition matches notes that link to a note in the set, or notes that a note in the set links to. */
  | { readonly kind: 'set'; readonly field: 'links' | 'linkedfrom'; readonly part: QueryPart }
  | { readonly kind: 'community'; readonly id: string }
  | { readonly kind: 'task'; readonly state: TaskState }
  | { readonly kind: 'path' | 'folder'; readonly text: string }
  | { readonly kind: 'type'; readonly value: string }
  /**
   * Times are milliseconds since the Unix epoch. `to` is exclusive, and open ends are ±Infinity. `written` is the comparison as
   * typed.
   */
  | { readonly kind: 'time'; readonly field: TimeField; readonly from: number; readonly to: number; readonly written: string }
  | { readonly kind: 'has'; readonly feature: Feature }
)

export type QuerySet = Extract<Term, { readonly kind: 'set' }>

export interface Leaf<T> {
  readonly leaf: T
  readonly isNegated: boolean
  /** The condition is inside a set, so it does not restrict the results themselves. */
  readonly isInSet: boolean
}

type Place = Pick<Leaf<unknown>, 'isNegated' | 'isInSet'>

export function walk(query: Query): Generator<Leaf<Term>>

export function walk(condition: Condition): Generator<Leaf<Lookup>>

export function* walk(
  tree: Query | Condition,
  place: Place = { isNegated: false, isInSet: false },
): Generator<Leaf<Term | Lookup>> {
  const inner = walk as (part: Query | Condition, place: Place) => Generator<Leaf<Term | Lookup>>
  if (tree.kind === 'and' || tree.kind === 'or') for (const part of tree.parts) yield* inner(part, place)
  else if (tree.kind === 'not') yield* inner(tree.part, { ...place, isNegated: !place.isNegated })
  else if (tree.kind !== 'all') {
    yield { leaf: tree as Term | Lookup, ...place }
    if (tree.kind === 'set') yield* inner('part' in tree ? tree.part : tree.condition, { ...place, isInSet: true })
  }
}

export interface QueryWord {
  readonly form: TextForm
  readonly text: string
}

/** Returns the distinct words in query order. Negated words and words in sets are left out. */
export function positiveWords(query: Query): readonly QueryWord[] {
  const words = new Map<string, QueryWord>()
  for (const { leaf, isNegated, isInSet } of walk(query)) {
    if (isNegated || isInSet || (leaf.kind !== 'text' && leaf.kind !== 'title')) continue
    const name = `${leaf.kind} ${leaf.form} ${leaf.text}`
    if (!words.has(name)) words.set(name, { form: leaf.form, text: leaf.text })
  }
  return [...words.values()]
}

export function positiveTasks(query: Query): ReadonlySet<TaskState> {
  const required = [...walk(query)].filter(({ isNegated, isInSet }) => !isNegated && !isInSet)
  return new Set(required.flatMap(({ leaf }) => (leaf.kind === 'task' ? leaf.state : [])))
}

/** Returns the properties in a query. The value is true if the property is compared as a number or date. */
export function propertiesIn(query: Query): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>()
  for (const { leaf } of walk(query)) {
    const isCompared = leaf.kind === 'comparison'
    const name = isCompared || leaf.kind === 'property' ? leaf.name : leaf.kind === 'type' ? 'type' : undefined
    if (name !== undefined) names.set(name, isCompared || names.get(name) === true)
  }
  return names
}

export function valuesIn(query: Query): readonly { readonly name: string; readonly value: string }[] {
  return [...walk(query)].flatMap(({ leaf }) => {
    if (leaf.kind === 'type') return { name: 'type', value: leaf.value }
    return leaf.kind === 'property' && leaf.value ? { name: leaf.name, value: leaf.value } : []
  })
}

export function timesIn(query: Query): readonly TimeField[] {
  return [...walk(query)].flatMap(({ leaf }) => (leaf.kind === 'time' ? leaf.field : []))
}

export function tagsIn(query: Query): readonly string[] {
  return [...walk(query)].flatMap(({ leaf }) => (leaf.kind === 'tag' ? leaf.name : []))
}

export function termsOf(words: readonly QueryWord[]): readonly WordTerm[] {
  return words.flatMap(({ form, text }) =>
    form === 'prefix' ? queryTerms(text).map((term) => ({ ...term, match: 'prefix' as const, parts: [] })) : queryTerms(text),
  )
}

/** Joins words and prefixes with OR: `a b` becomes `a OR b`. @returns undefined if there are fewer than two */
export function withOptionalWords(query: Query): QueryPart | undefined {
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
  const anyPart: QueryPart = { kind: 'or', parts: bare, span: query.span }
  return others.length === 0 ? anyPart : { kind: 'and', parts: [...others, anyPart], span: query.span }
}

/** Replaces words with prefixes: `conf` becomes `conf*`. @returns undefined if nothing changes */
export function prefixQuery(query: Query): QueryPart | undefined {
  const part = query.kind === 'all' ? undefined : begin(query)
  return part === query ? undefined : part
}

function begin(query: QueryPart): QueryPart {
  if (query.kind === 'and' || query.kind === 'or') {
    const parts = query.parts.map(begin)
    return parts.every((part, at) => part === query.parts[at]) ? query : { ...query, parts }
  }
  const isWord = query.kind === 'text' && query.form === 'word' && query.text.length >= MIN_PREFIX_LENGTH
  return isWord ? { ...query, form: 'prefix' } : query
}

function isBareWord(part: QueryPart): boolean {
  return part.kind === 'text' && part.form !== 'phrase'
}

/** The ids of the notes with each title in `~relation=title`, `links:title` and `linkedfrom:title`. */
export type TitleIds = ReadonlyMap<string, readonly NodeId[]>

export type CommunityIds = ReadonlyMap<string, readonly NodeId[]>

export interface LookedUp {
  readonly titles?: TitleIds
  readonly communities?: CommunityIds
  /** The full paths of folders that the query names without their parents. */
  readonly folders?: ReadonlyMap<string, string>
}

export function titlesIn(query: Query): readonly string[] {
  const titles = [...walk(query)].flatMap(({ leaf }) => {
    if (leaf.kind === 'links' || leaf.kind === 'linkedfrom') return leaf.title
    return leaf.kind === 'relation' && leaf.title !== undefined ? leaf.title : []
  })
  return [...new Set(titles)]
}

export function setsIn(query: Query): readonly QuerySet[] {
  return [...walk(query)].flatMap(({ leaf }) => (leaf.kind === 'set' ? leaf : []))
}

export function foldersIn(query: Query): readonly string[] {
  return [...new Set([...walk(query)].flatMap(({ leaf }) => (leaf.kind === 'folder' ? leaf.text : [])))]
}

export function communitiesIn(query: Query): readonly string[] {
  return [...new Set([...walk(query)].flatMap(({ leaf }) => (leaf.kind === 'community' ? leaf.id : [])))]
}

/** Folds and analyzes text, and replaces titles and communities with ids. The result `undefined` matches everything. */
export function toCondition(query: Query, names: LookedUp = {}): Condition | undefined {
  return query.kind === 'all' ? undefined : partOf(query, names)
}

function partOf(part: QueryPart, names: LookedUp): Condition {
  switch (part.kind) {
    case 'and':
    case 'or': {
      const { kind } = part
      const parts = part.parts.map((inner) => partOf(inner, names))
      return { kind, parts: parts.flatMap((inner) => (inner.kind === kind ? inner.parts : [inner])) }
    }
    case 'not':
      return { kind: 'not', part: partOf(part.part, names) }
    case 'property':
      return propertyOf(part.name, part.value)
    case 'type':
      return propertyOf('type', part.value)
    case 'set':
      return { kind: 'set', field: part.field, condition: partOf(part.part, names) }
    default:
      return lookupOf(part, names)
  }
}

function lookupOf(
  term: Exclude<Term, { readonly kind: 'property' | 'type' | 'set' }>,
  { titles = new Map(), communities = new Map(), folders = new Map() }: LookedUp,
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
    case 'folder':
      return { kind: 'folder', folder: foldId(folders.get(term.text) ?? term.text) }
    case 'time':
      return { kind: 'time', field: term.field, from: term.from, to: term.to }
    case 'has':
      return { kind: 'has', feature: term.feature }
  }
}

const ANY_VALUE = { texts: [undefined], comparison: undefined }

function propertyOf(name: string, value: string | undefined): Condition {
  const { texts, comparison } = value === undefined ? ANY_VALUE : meaningOfValue(value)
  const parts = [
    ...texts.map((text): Lookup => ({ kind: 'property', name: foldName(name), value: text })),
    ...(comparison === undefined ? [] : [{ kind: 'comparison', name: foldName(name), ...comparison } as const]),
  ]
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { kind: 'or', parts }
}

export function wordsLookup(text: string): Lookup {
  return textOf({ text, form: 'word' }, 'any')
}

/** Returns the condition for a text. Words such as `well-known` or `12:30` become a phrase. Punctuation matches nothing. */
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
