import type { Comparison, Feature, Lookup, Phrase, TaskState, WordField } from '../../../src/core/query.ts'
import { KeySet } from '../../../src/search/key-set.ts'
import type { QuerySource } from '../../../src/search/query/evaluate.ts'
import type { Query, QueryPart, Term, TextForm } from '../../../src/search/query/query.ts'

export interface TestNote {
  readonly text: string
  readonly title: string
  readonly tags: readonly string[]
  readonly properties?: Readonly<Record<string, string>>
  /** The links, each as `name>title`. */
  readonly links?: readonly string[]
  /** The titles of notes that link to this note. */
  readonly linkedFrom?: readonly string[]
  readonly tasks?: readonly TaskState[]
  readonly path?: string
  /** The time of creation, which is also the time of the last change. */
  readonly created?: number
}

type SingleLookup = Exclude<Lookup, { readonly kind: 'set' }>

/** A source that goes through all notes, and records what it was asked. */
export class VaultSource implements QuerySource {
  readonly lookUps: string[] = []
  readonly #notes: readonly TestNote[]
  readonly #listed: readonly number[]
  readonly #sets: QuerySource

  constructor(notes: readonly TestNote[], listed: readonly number[] = notes.map((_, key) => key)) {
    this.#notes = notes
    this.#listed = listed
    this.#sets = listed.length === notes.length ? this : new VaultSource(notes)
  }

  all(): KeySet {
    this.lookUps.push('all')
    return KeySet.of(this.#listed)
  }

  lookUp(lookup: SingleLookup): KeySet {
    return this.#where(named(lookup), (note) => fitsLookup(lookup, note))
  }

  linked(field: 'links' | 'linkedfrom', keys: KeySet): KeySet {
    const set = this.#notes.filter((_, key) => keys.has(key))
    return this.#where(`${field} of ${keys.size}`, (note) => set.some((other) => areLinked(field, note, other)))
  }

  /** Returns a source whose sets contain every note, whether listed or not. */
  sets(): QuerySource {
    return this.#sets
  }

  #where(lookUp: string, fitsNote: (note: TestNote) => boolean): KeySet {
    this.lookUps.push(lookUp)
    return KeySet.of(this.#notes.flatMap((note, key) => (fitsNote(note) ? [key] : [])))
  }
}

/** Spells a look-up as tests read it. */
function named(lookup: SingleLookup): string {
  switch (lookup.kind) {
    case 'word':
      return `${lookup.field === 'title' ? 'title ' : ''}${lookup.word.match === 'prefix' ? 'prefix' : 'word'} ${lookup.word.form}`
    case 'phrase':
      return `${lookup.field === 'title' ? 'title ' : ''}phrase ${textOf(lookup.phrase)}`
    case 'tag':
      return `tag ${lookup.name}`
    default:
      return JSON.stringify(lookup)
  }
}

function textOf({ words }: Phrase): string {
  return words.map(({ form }) => form).join(' ')
}

function fitsLookup(lookup: SingleLookup, note: TestNote): boolean {
  switch (lookup.kind) {
    case 'word': {
      const { form, match } = lookup.word
      return inField(lookup.field, match === 'prefix' ? 'prefix' : 'word', form)(note)
    }
    case 'phrase':
      return inField(
        lookup.field,
        lookup.phrase.words.at(-1)?.isPrefix === true ? 'prefix' : 'phrase',
        textOf(lookup.phrase),
      )(note)
    case 'nothing':
      return false
    case 'tag':
      return hasTag(lookup.name)(note)
    case 'property':
      return hasProperty(lookup.name, lookup.value)(note)
    case 'relation':
      return hasRelation(lookup.name, lookup.targets?.[0])(note)
    case 'comparison':
      return hasComparison(lookup.name, lookup)(note)
    case 'links':
    case 'linkedfrom':
      return hasLink(lookup.kind, lookup.nodes)(note)
    // These notes have no ids, so this condition matches none.
    case 'among':
      return false
    case 'task':
      return hasTask(lookup.state)(note)
    case 'path':
      return note.path?.includes(lookup.text) === true
    case 'folder':
      return note.path?.startsWith(`${lookup.folder}/`) === true
    case 'time':
      return (note.created ?? 0) >= lookup.from && (note.created ?? 0) < lookup.to
    case 'has':
      return hasFeature(lookup.feature)(note)
  }
}

function inField(field: WordField, form: TextForm, text: string): (note: TestNote) => boolean {
  return field === 'any' ? hasText(form, text) : ({ title }) => contains(title, form, text)
}

/** What evaluation must find: the definition, note by note. */
export function matchesOf(
  query: Query,
  notes: readonly TestNote[],
): { readonly keys: readonly number[]; readonly fallback: boolean } {
  const keysOf = (areWordsLoose: boolean) =>
    notes.flatMap((note, key) => (fits(query, { note, notes }, areWordsLoose) ? [key] : []))
  const strict = keysOf(false)
  if (strict.length > 0) return { keys: strict, fallback: false }
  const loose = keysOf(true)
  return { keys: loose, fallback: loose.length > 0 }
}

interface Placed {
  readonly note: TestNote
  readonly notes: readonly TestNote[]
}

function fits(query: Query, placed: Placed, areWordsLoose = false): boolean {
  switch (query.kind) {
    case 'all':
      return true
    case 'or':
      return query.parts.some((part) => fits(part, placed, areWordsLoose))
    case 'not':
      return !fits(query.part, placed)
    case 'and': {
      const isBare = (part: QueryPart) => areWordsLoose && part.kind === 'text' && part.form !== 'phrase'
      const bare = query.parts.filter(isBare)
      const others = query.parts.filter((part) => !isBare(part))
      return (
        (bare.length === 0 || bare.some((part) => fits(part, placed))) &&
        others.every((part) => fits(part, placed, areWordsLoose))
      )
    }
    case 'set': {
      const { field, part } = query
      return placed.notes.some((other) => areLinked(field, placed.note, other) && fits(part, { ...placed, note: other }))
    }
    default:
      return fitsTerm(query, placed.note)
  }
}

function fitsTerm(term: Exclude<Term, { readonly kind: 'set' }>, note: TestNote): boolean {
  switch (term.kind) {
    case 'text':
      return hasText(term.form, term.text)(note)
    case 'title':
      return contains(note.title, term.form, term.text)
    case 'tag':
      return hasTag(term.name)(note)
    case 'property':
      return hasProperty(term.name, term.value)(note)
    case 'relation':
      return hasRelation(term.name, term.title)(note)
    case 'comparison':
      return hasComparison(term.name, term)(note)
    case 'links':
    case 'linkedfrom':
      return hasLink(term.kind, [term.title])(note)
    case 'community':
      return false
    case 'task':
      return hasTask(term.state)(note)
    case 'path':
      return note.path?.includes(term.text) === true
    case 'folder':
      return note.path?.startsWith(`${term.text}/`) === true
    case 'type':
      return hasProperty('type', term.value)(note)
    case 'time':
      return (note.created ?? 0) >= term.from && (note.created ?? 0) < term.to
    case 'has':
      return hasFeature(term.feature)(note)
  }
}

function hasText(form: TextForm, text: string): (note: TestNote) => boolean {
  return (note) => contains(note.text, form, text) || contains(note.title, form, text)
}

function contains(text: string, form: TextForm, wanted: string): boolean {
  const words = ` ${text.toLowerCase()} `
  return words.includes(form === 'prefix' ? ` ${wanted}` : ` ${wanted} `)
}

function hasTag(name: string): (note: TestNote) => boolean {
  return ({ tags }) => tags.some((tag) => tag === name || tag.startsWith(`${name}/`))
}

function hasProperty(name: string, value: string | undefined): (note: TestNote) => boolean {
  return ({ properties }) => (value === undefined ? properties?.[name] !== undefined : properties?.[name] === value)
}

function hasRelation(name: string, title: string | undefined): (note: TestNote) => boolean {
  return ({ links = [] }) =>
    links.some((link) => (title === undefined ? link.startsWith(`${name}>`) : link === `${name}>${title}`))
}

/** Returns a check for a comparison. The values of the small vaults are digits, which are compared as numbers. */
function hasComparison(name: string, { operator, number = Number.NaN }: Comparison): (note: TestNote) => boolean {
  return ({ properties }) => {
    const value = Number(properties?.[name] ?? Number.NaN)
    const signs = {
      '=': value === number,
      '<': value < number,
      '<=': value <= number,
      '>': value > number,
      '>=': value >= number,
    }
    return signs[operator]
  }
}

function hasLink(kind: 'links' | 'linkedfrom', titles: readonly string[]): (note: TestNote) => boolean {
  return ({ links = [], linkedFrom = [] }) =>
    kind === 'links'
      ? links.some((link) => titles.includes(link.split('>')[1] ?? ''))
      : linkedFrom.some((title) => titles.includes(title))
}

/** Checks whether a note links to another one by its title, or the other way round. */
function areLinked(field: 'links' | 'linkedfrom', note: TestNote, other: TestNote): boolean {
  const [from, to] = field === 'links' ? [note, other] : [other, note]
  return note !== other && from.links?.some((link) => link.split('>')[1] === to.title.toLowerCase()) === true
}

function hasTask(state: TaskState): (note: TestNote) => boolean {
  return ({ tasks = [] }) => (state === 'any' ? tasks.length > 0 : tasks.includes(state))
}

function hasFeature(feature: Feature): (note: TestNote) => boolean {
  return ({ tags, links = [] }) => (feature === 'tag' ? tags.length > 0 : feature === 'link' && links.length > 0)
}
