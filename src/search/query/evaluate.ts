import { formatTerm } from './format-query.ts'
import type { KeySet } from './key-set.ts'
import type { Condition, Feature, Query, Term, TextForm, TimeField } from './query.ts'

/**
 * Look-ups of notes by what they have; texts come as typed, folding and stemming are the source's. A look-up may answer more notes than
 * `all`: they are left out. A word that the source's analysis takes apart (`well-known`, `12:30`) is a phrase to it.
 */
export interface QuerySource {
  /** The notes that may be answered. */
  all(): KeySet
  /** Notes with the word in any field. */
  word(word: string): KeySet
  phrase(text: string): KeySet
  prefix(prefix: string): KeySet
  /** Notes with the tag or one nested in it; the name comes without `#`. */
  tag(name: string): KeySet
  /** Notes with the property, or with this value of it; the empty value asks for an empty one. */
  property(name: string, value: string | undefined): KeySet
  /** Notes with a typed link of that name, or with one that leads to a note of that title. */
  relation(name: string, title: string | undefined): KeySet
  /** Notes with the text in their title or an alias. */
  title(text: string, form: TextForm): KeySet
  /** Notes whose path contains the text. */
  path(text: string): KeySet
  /** Notes whose property `type` has the value. */
  type(value: string): KeySet
  /** Notes of that time, ms since the epoch, from `from` up to but without `to`, ±Infinity where open. */
  time(field: TimeField, from: number, to: number): KeySet
  has(feature: Feature): KeySet
}

/** A word, phrase or prefix that notes are wanted to have. */
export interface QueryWord {
  readonly form: TextForm
  readonly text: string
  readonly isTitleOnly: boolean
}

export interface Selection {
  readonly matches: KeySet
  /** No note has all words, and these have some of them. */
  readonly fallback: boolean
  /** What to rank and highlight by: what is not negated, in the order of the query, each once. */
  readonly words: readonly QueryWord[]
}

/**
 * The notes that a query asks for. If there is none, bare words and prefixes that stand side by side become alternatives (`a b` is `a OR b`);
 * phrases, `title:` and all filters hold. Each look-up is made at most once, and none whose answer cannot matter any more.
 */
export function evaluate(query: Query, source: QuerySource): Selection {
  const search = new Search(source)
  const words = positiveWords(query)
  const strict = search.find(query)
  if (!strict.isEmpty || query.kind === 'all') return { matches: strict, fallback: false, words }
  const matches = search.find(relaxed(query))
  return { matches, fallback: !matches.isEmpty, words }
}

/** Evaluation against one source, which remembers what was looked up. */
class Search {
  readonly #source: QuerySource
  readonly #known = new Map<string, KeySet>()
  #all: KeySet | undefined

  constructor(source: QuerySource) {
    this.#source = source
  }

  find(query: Query): KeySet {
    this.#all ??= this.#source.all()
    return query.kind === 'all' ? this.#all : this.#within(this.#all, query)
  }

  /** Those of `notes` that fit: so nothing is looked up for notes that are out already. */
  #within(notes: KeySet, condition: Condition): KeySet {
    if (notes.isEmpty) return notes
    switch (condition.kind) {
      case 'and':
        return cheapestFirst(condition.parts).reduce((left, part) => this.#within(left, part), notes)
      case 'or':
        return notes.andNot(condition.parts.reduce((left, part) => left.andNot(this.#within(left, part)), notes))
      case 'not':
        return notes.andNot(this.#within(notes, condition.part))
      default:
        return notes.and(this.#lookUp(condition))
    }
  }

  #lookUp(term: Term): KeySet {
    const name = formatTerm(term)
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const found = lookUp(term, this.#source)
    this.#known.set(name, found)
    return found
  }
}

function lookUp(term: Term, source: QuerySource): KeySet {
  switch (term.kind) {
    case 'text':
      return source[term.form](term.text)
    case 'title':
      return source.title(term.text, term.form)
    case 'tag':
      return source.tag(term.name)
    case 'property':
      return source.property(term.name, term.value)
    case 'relation':
      return source.relation(term.name, term.title)
    case 'path':
      return source.path(term.text)
    case 'type':
      return source.type(term.value)
    case 'time':
      return source.time(term.field, term.from, term.to)
    case 'has':
      return source.has(term.feature)
  }
}

function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  return parts
    .map((part) => ({ part, cost: cost(part) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ part }) => part)
}

/** Only the order counts: indexes of facts, then one posting list, then what goes through every path, many lists, or texts. */
function cost(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.reduce((most, part) => Math.max(most, cost(part)), 0)
    case 'not':
      return cost(condition.part)
    case 'text':
    case 'title':
      return { word: 1, prefix: 3, phrase: 4 }[condition.form]
    case 'path':
      return 2
    default:
      return 0
  }
}

/** The query with alternatives where bare words stood side by side. */
function relaxed<Q extends Query>(query: Q): Q | Condition {
  if (query.kind !== 'and' && query.kind !== 'or') return query
  const isAnd = query.kind === 'and'
  const bare = isAnd ? query.parts.filter(isBareWord) : []
  const others = query.parts.filter((part) => !isAnd || !isBareWord(part)).map((part) => relaxed(part))
  if (bare.length < 2) return { ...query, parts: [...others, ...bare] }
  const any: Condition = { kind: 'or', parts: bare, span: query.span }
  return others.length === 0 ? any : { kind: 'and', parts: [...others, any], span: query.span }
}

function isBareWord(condition: Condition): boolean {
  return condition.kind === 'text' && condition.form !== 'phrase'
}

export function positiveWords(query: Query): readonly QueryWord[] {
  const words = new Map<string, QueryWord>()
  collectWords(query, { words, isNegated: false })
  return [...words.values()]
}

interface Collection {
  readonly words: Map<string, QueryWord>
  readonly isNegated: boolean
}

function collectWords(query: Query, into: Collection): void {
  if (query.kind === 'and' || query.kind === 'or') for (const part of query.parts) collectWords(part, into)
  else if (query.kind === 'not') collectWords(query.part, { ...into, isNegated: !into.isNegated })
  else if (!into.isNegated && (query.kind === 'text' || query.kind === 'title')) {
    const name = formatTerm(query)
    if (!into.words.has(name)) into.words.set(name, { form: query.form, text: query.text, isTitleOnly: query.kind === 'title' })
  }
}
