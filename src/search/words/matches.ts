import type { Phrase, WordTerm } from '../../core/query.ts'
import type { WordSink } from '../../core/search-writer.ts'
import { languageOf } from '../languages/language-of.ts'
import { scanWords, type Token } from './scan.ts'
import { beginningOf, stemOf } from './stem.ts'

export interface SnippetQuery {
  readonly terms: readonly { readonly term: WordTerm; readonly weight: number }[]
  readonly phrases: readonly Phrase[]
  /** The languages of the texts. By default, all languages are possible. */
  readonly languages?: readonly string[]
  /** The ISO 639-1 code of all texts, or `null` if it is unclear. By default, the language of each text is detected. */
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
  const findTerm = termFinder(terms, language)
  const phraseFinders = () => phrases.map((phrase, at) => phraseFinder(phrase, terms.length + at))
  const words = terms.map(({ term }) => term)
  const pattern = phrases.length > 0 || terms.length > FEW_TERMS ? undefined : likelyWords(words, language)
  return (text) => {
    const matches = pattern === undefined ? matchesInAll(text, findTerm, phraseFinders()) : matchesNear(text, findTerm, pattern)
    return matches.sort((a, b) => a.start - b.start || b.end - a.end)
  }
}

/** If there are more terms, all words of a text are read. */
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

function matchesInAll(text: string, findTerm: TermFinder, phraseFinders: readonly PhraseFinder[]): Match[] {
  const matches: Match[] = []
  const addWord: WordSink = (form, _kind, position, start, end) => {
    const term = findTerm(form)
    if (term !== undefined) matches.push({ start, end, term: term.term, weight: term.weight })
    for (const findPhrase of phraseFinders) {
      const match = findPhrase({ form, position, start, end })
      if (match !== undefined) matches.push(match)
    }
  }
  scanWords(text, addWord)
  return matches
}

/** Finds matches near likely positions, which is four times as fast as reading all words. Phrases are not supported. */
function matchesNear(text: string, findTerm: TermFinder, pattern: RegExp): Match[] {
  const matches: Match[] = []
  let read = 0
  pattern.lastIndex = 0
  for (let place = pattern.exec(text); place !== null; place = pattern.exec(text)) {
    let from = place.index
    while (from > read && text.charCodeAt(from - 1) > SPACE) from--
    let to = place.index + 1
    while (to < text.length && text.charCodeAt(to) > SPACE) to++
    scanWords(text.slice(from, to), (form, _kind, _position, start, end) => {
      const term = findTerm(form)
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
/** Matches text that is not indexed as spelled. A dot matters only in abbreviations. */
const OTHERWISE = "[^\\x00-\\x7f]|'(?=[a-z0-9])|\\.(?=[a-z])(?<=(?<![a-z0-9])[a-z]\\.)|,(?=\\d)"

type TermFinder = (form: string) => Pick<Match, 'term' | 'weight'> | undefined

function termFinder(terms: SnippetQuery['terms'], language: string | undefined): TermFinder {
  const cache = new Map<string, ReturnType<TermFinder>>()
  const stems = terms.map(({ term }) => stemOf(term.form, language))
  const initials = new Set(terms.flatMap(({ term }) => [term.form.charCodeAt(0), term.stem.charCodeAt(0)]))
  return (form) => {
    // A stem starts with the same character as its form, so most words need no stemming.
    if (!initials.has(form.charCodeAt(0))) return undefined
    if (cache.has(form)) return cache.get(form)
    const stem = stemOf(form, language)
    const at = terms.findIndex(({ term }, place) => isFoundBy(term, form, stem === stems[place]))
    const match = at < 0 ? undefined : { term: at, weight: terms[at]?.weight ?? 0 }
    cache.set(form, match)
    return match
  }
}

function isFoundBy(term: WordTerm, form: string, hasSameStem: boolean): boolean {
  if (term.match === 'prefix') return form.startsWith(term.form)
  return term.match === 'stem' ? hasSameStem : form === term.form
}

type PhraseFinder = (word: Pick<Token, 'form' | 'position' | 'start' | 'end'>) => Match | undefined

function phraseFinder({ words }: Phrase, term: number): PhraseFinder {
  const partials = new Map<number, { readonly found: number; readonly start: number }>()
  const reach = words.at(-1)?.offset ?? 0
  return ({ form, position, start, end }) => {
    for (const phrase of partials.keys()) {
      if (phrase >= position - reach) break
      partials.delete(phrase)
    }
    let match: Match | undefined
    // Iterate backwards, so a word does not count twice in the same phrase.
    for (let at = words.length - 1; at >= 0; at--) {
      const word = words[at] as Phrase['words'][number]
      if (word.isPrefix ? !form.startsWith(word.form) : form !== word.form) continue
      const first = position - word.offset
      const partial = at === 0 ? { found: 0, start } : partials.get(first)
      if (partial === undefined || partial.found !== at) continue
      if (at === words.length - 1) match = { start: partial.start, end, term, weight: words.length }
      else partials.set(first, { found: at + 1, start: partial.start })
    }
    return match
  }
}
