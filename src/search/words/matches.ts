import type { Phrase, WordTerm } from '../../core/query.ts'
import type { WordSink } from '../../core/search-writer.ts'
import { languageOf } from '../languages/language-of.ts'
import { scanWords } from './scan.ts'
import { beginningOf, stemOf } from './stem.ts'

export interface SnippetQuery {
  readonly terms: readonly { readonly term: WordTerm; readonly weight: number }[]
  readonly phrases: readonly Phrase[]
  /** Languages of the texts. Default: all. */
  readonly languages?: readonly string[]
  /** ISO 639-1 code of all texts, or `null` if it is unclear. Default: detected for each text. */
  readonly language?: string | null
}

export interface Match {
  readonly start: number
  readonly end: number
  readonly term: number
  readonly weight: number
}

export function weightOf(matches: readonly Match[]): number {
  const terms = new Set<number>()
  let sum = 0
  for (const { term, weight } of matches) {
    if (terms.has(term)) continue
    terms.add(term)
    sum += weight
  }
  return sum
}

/** Returns matches by position. A word in the text matches at most one word of the query. */
export function findMatches(text: string, query: SnippetQuery): readonly Match[] {
  return matchFinder(query)(text)
}

export function matchFinder(query: SnippetQuery): (text: string) => readonly Match[] {
  const find = finders.get(query) ?? newFinder(query)
  finders.set(query, find)
  return find
}

const finders = new WeakMap<SnippetQuery, (text: string) => readonly Match[]>()

/** Stems words by the rules of each text's language, like the index. */
function newFinder(query: SnippetQuery): (text: string) => readonly Match[] {
  if (query.language !== undefined) return newFinderIn(query.language ?? undefined, query)
  const finderByLanguage = new Map<string | undefined, ReturnType<typeof newFinderIn>>()
  return (text) => {
    const language = languageOf(text, query.languages)?.code
    const find = finderByLanguage.get(language) ?? newFinderIn(language, query)
    finderByLanguage.set(language, find)
    return find(text)
  }
}

function newFinderIn(language: string | undefined, { terms, phrases }: SnippetQuery): (text: string) => readonly Match[] {
  const finder = new TermFinder(terms, language)
  const words = terms.map(({ term }) => term)
  const pattern = phrases.length > 0 || terms.length > FEW_TERMS ? undefined : likelyWords(words, language)
  return (text) => {
    const matches = pattern === undefined ? matchesInAll(text, finder, phrases) : matchesNear(text, finder, pattern)
    return matches.sort((a, b) => a.start - b.start || b.end - a.end)
  }
}

/** With more terms, all words of a text are read. */
const FEW_TERMS = 60

/**
 * Returns a check that is ten times as fast as `analyze`. If it returns false, the text does not contain the English stem of any
 * term.
 */
export function mayHoldStem(terms: readonly WordTerm[]): (text: string) => boolean {
  if (terms.length > FEW_TERMS) return () => true
  const words = terms.map((term): WordTerm => ({ ...term, match: 'stem' }))
  const pattern = likelyWords(words, undefined)
  return (text) => text.search(pattern) >= 0
}

function matchesInAll(text: string, finder: TermFinder, phrases: readonly Phrase[]): Match[] {
  const runs = phrases.map((phrase, at) => new PhraseFinder(phrase, finder.terms.length + at))
  const matches: Match[] = []
  const addWord: WordSink = (form, _kind, position, start, end) => {
    const term = finder.find(form)
    if (term !== undefined) matches.push({ start, end, term: term.term, weight: term.weight })
    for (const run of runs) {
      const match = run.read({ form, position, start, end })
      if (match !== undefined) matches.push(match)
    }
  }
  scanWords(text, addWord)
  return matches
}

/** Supports no phrases. Reads only words near likely positions, which is four times as fast as reading all words. */
function matchesNear(text: string, finder: TermFinder, pattern: RegExp): Match[] {
  const matches: Match[] = []
  let read = 0
  pattern.lastIndex = 0
  for (let place = pattern.exec(text); place !== null; place = pattern.exec(text)) {
    let from = place.index
    while (from > read && text.charCodeAt(from - 1) > SPACE) from--
    let to = place.index + 1
    while (to < text.length && text.charCodeAt(to) > SPACE) to++
    scanWords(text.slice(from, to), (form, _kind, _position, start, end) => {
      const term = finder.find(form)
      if (term !== undefined) matches.push({ start: from + start, end: from + end, term: term.term, weight: term.weight })
    })
    read = to
    pattern.lastIndex = to
  }
  return matches
}

/** This code unit and all lower ones are never part of a word. */
const SPACE = 0x20

/**
 * Returns a pattern for likely positions: prefixes of query words, and text that is not indexed as spelled (`naïve`, `don't`,
 * `U.S.A.`, `1,000`).
 */
function likelyWords(terms: readonly WordTerm[], language: string | undefined): RegExp {
  const beginnings = new Set(terms.map((term) => beginningOf(term, language)).filter((beginning) => ASCII.test(beginning)))
  const escaped = [...beginnings].map((beginning) => beginning.replace(/[^a-z0-9]/gi, '\\$&'))
  return new RegExp([...escaped, OTHERWISE].join('|'), 'gi')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]+$/
/** Text that is not indexed as spelled. A dot matters only in abbreviations. */
const OTHERWISE = "[^\\x00-\\x7f]|'(?=[a-z0-9])|\\.(?=[a-z])(?<=(?<![a-z0-9])[a-z]\\.)|,(?=\\d)"

class TermFinder {
  readonly #cache = new Map<string, Pick<Match, 'term' | 'weight'> | undefined>()
  readonly terms: SnippetQuery['terms']
  readonly #language: string | undefined
  readonly #stems: readonly string[]
  readonly #initials: ReadonlySet<number>

  constructor(terms: SnippetQuery['terms'], language: string | undefined) {
    this.terms = terms
    this.#language = language
    this.#stems = terms.map(({ term }) => stemOf(term.form, language))
    this.#initials = new Set(terms.flatMap(({ term }) => [term.form.charCodeAt(0), term.stem.charCodeAt(0)]))
  }

  find(form: string): Pick<Match, 'term' | 'weight'> | undefined {
    // A stem starts with the same character as its form, so most words need no stemming.
    if (!this.#initials.has(form.charCodeAt(0))) return undefined
    if (this.#cache.has(form)) return this.#cache.get(form)
    const stem = stemOf(form, this.#language)
    const at = this.terms.findIndex(({ term }, place) => isFoundBy(term, form, stem === this.#stems[place]))
    const match = at < 0 ? undefined : { term: at, weight: this.terms[at]?.weight ?? 0 }
    this.#cache.set(form, match)
    return match
  }
}

function isFoundBy(term: WordTerm, form: string, hasSameStem: boolean): boolean {
  if (term.match === 'prefix') return form.startsWith(term.form)
  return term.match === 'stem' ? hasSameStem : form === term.form
}

interface Place {
  readonly form: string
  readonly position: number
  readonly start: number
  readonly end: number
}

class PhraseFinder {
  readonly #words: Phrase['words']
  readonly #term: number
  readonly #partial = new Map<number, { readonly found: number; readonly start: number }>()

  constructor({ words }: Phrase, term: number) {
    this.#words = words
    this.#term = term
  }

  read({ form, position, start, end }: Place): Match | undefined {
    const reach = this.#words.at(-1)?.offset ?? 0
    for (const phrase of this.#partial.keys()) {
      if (phrase >= position - reach) break
      this.#partial.delete(phrase)
    }
    let match: Match | undefined
    // Iterate backwards, so a word does not count twice in the same phrase.
    for (let at = this.#words.length - 1; at >= 0; at--) {
      const word = this.#words[at] as Phrase['words'][number]
      if (word.isPrefix ? !form.startsWith(word.form) : form !== word.form) continue
      const first = position - word.offset
      const partial = at === 0 ? { found: 0, start } : this.#partial.get(first)
      if (partial === undefined || partial.found !== at) continue
      if (at === this.#words.length - 1) match = { start: partial.start, end, term: this.#term, weight: this.#words.length }
      else this.#partial.set(first, { found: at + 1, start: partial.start })
    }
    return match
  }
}
