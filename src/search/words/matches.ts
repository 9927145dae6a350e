import type { Phrase, WordTerm } from '../../core/query.ts'
import type { WordSink } from './compound.ts'
import { scanWords } from './scan.ts'
import { beginningOf, stemOf } from './stem.ts'

export interface SnippetQuery {
  /** Words, with what each counts for (such as its idf). */
  readonly terms: readonly { readonly term: WordTerm; readonly weight: number }[]
  readonly phrases: readonly Phrase[]
}

/** A match in a text; UTF-16 offsets. */
export interface Match {
  readonly start: number
  readonly end: number
  /** Which word of the query: its number; phrases follow the words. */
  readonly term: number
  readonly weight: number
}

/** The total weight of matches; each word of the query counts once. */
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

/** The words and phrases of a query in a text, by their beginnings; one match a word of the text. */
export function findMatches(text: string, query: SnippetQuery): readonly Match[] {
  return matchFinder(query)(text)
}

/** `findMatches` for one query and many texts: what was prepared for one, and a form that was met before, serve the next. */
export function matchFinder(query: SnippetQuery): (text: string) => readonly Match[] {
  const known = finders.get(query) ?? newFinder(query)
  finders.set(query, known)
  return known
}

const finders = new WeakMap<SnippetQuery, (text: string) => readonly Match[]>()

function newFinder({ terms, phrases }: SnippetQuery): (text: string) => readonly Match[] {
  const finder = new TermFinder(terms)
  const likely = phrases.length > 0 || terms.length > FEW_TERMS ? undefined : likelyWords(terms)
  return (text) => {
    const matches = likely === undefined ? matchesInAll(text, finder, phrases) : matchesNear(text, finder, likely)
    return matches.sort((a, b) => a.start - b.start || b.end - a.end)
  }
}

/** More terms than these are not looked for one by one. */
const FEW_TERMS = 60

function matchesInAll(text: string, finder: TermFinder, phrases: readonly Phrase[]): Match[] {
  const runs = phrases.map((phrase, at) => new PhraseFinder(phrase, finder.terms.length + at))
  const matches: Match[] = []
  const take: WordSink = (form, _kind, position, start, end) => {
    const found = finder.find(form)
    if (found !== undefined) matches.push({ start, end, term: found.term, weight: found.weight })
    for (const run of runs) {
      const match = run.read({ form, position, start, end })
      if (match !== undefined) matches.push(match)
    }
  }
  scanWords(text, take)
  return matches
}

/**
 * Likewise for terms alone: reads only what stands without a space around a likely place, as no word goes on after a space. Looking for
 * beginnings takes a quarter of the time that reading all words takes.
 */
function matchesNear(text: string, finder: TermFinder, likely: RegExp): Match[] {
  const matches: Match[] = []
  let read = 0
  likely.lastIndex = 0
  for (let place = likely.exec(text); place !== null; place = likely.exec(text)) {
    let from = place.index
    while (from > read && text.charCodeAt(from - 1) > SPACE) from--
    let to = place.index + 1
    while (to < text.length && text.charCodeAt(to) > SPACE) to++
    scanWords(text.slice(from, to), (form, _kind, _position, start, end) => {
      const found = finder.find(form)
      if (found !== undefined) matches.push({ start: from + start, end: from + end, term: found.term, weight: found.weight })
    })
    read = to
    likely.lastIndex = to
  }
  return matches
}

/** No unit up to it belongs to a word. */
const SPACE = 0x20

/** Where words of a query may stand: how they begin, and all that is indexed otherwise than it is spelled (`naïve`, `don't`, `U.S.A.`, `1,000`). */
function likelyWords(terms: SnippetQuery['terms']): RegExp {
  const beginnings = new Set(terms.map(({ term }) => beginningOf(term)).filter((beginning) => ASCII.test(beginning)))
  const escaped = [...beginnings].map((beginning) => beginning.replace(/[^a-z0-9]/gi, '\\$&'))
  return new RegExp([...escaped, OTHERWISE].join('|'), 'gi')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]+$/
/** A dot counts only within an abbreviation; around other dots words are indexed as spelled. */
const OTHERWISE = "[^\\x00-\\x7f]|'(?=[a-z0-9])|\\.(?=[a-z])(?<=(?<![a-z0-9])[a-z]\\.)|,(?=\\d)"

/** Which word of a query a form is; remembers what it was asked. */
class TermFinder {
  readonly #known = new Map<string, Pick<Match, 'term' | 'weight'> | undefined>()
  readonly terms: SnippetQuery['terms']
  /** Units that a form may begin with. */
  readonly #initials: ReadonlySet<number>

  constructor(terms: SnippetQuery['terms']) {
    this.terms = terms
    this.#initials = new Set(terms.flatMap(({ term }) => [term.form.charCodeAt(0), term.stem.charCodeAt(0)]))
  }

  find(form: string): Pick<Match, 'term' | 'weight'> | undefined {
    // A stem begins as its form does: most words of a text need not be stemmed.
    if (!this.#initials.has(form.charCodeAt(0))) return undefined
    if (this.#known.has(form)) return this.#known.get(form)
    const stem = stemOf(form)
    const at = this.terms.findIndex(({ term }) => isFoundBy(term, form, stem))
    const found = at < 0 ? undefined : { term: at, weight: this.terms[at]?.weight ?? 0 }
    this.#known.set(form, found)
    return found
  }
}

function isFoundBy(term: WordTerm, form: string, stem: string): boolean {
  if (term.match === 'prefix') return form.startsWith(term.form)
  return term.match === 'stem' ? stem === term.stem : form === term.form
}

interface Place {
  readonly form: string
  readonly position: number
  readonly start: number
  readonly end: number
}

/** Follows the places where a phrase may have begun. */
class PhraseFinder {
  readonly #words: Phrase['words']
  readonly #term: number
  /** By the position of the first word: how many words were found, and where the first one begins. */
  readonly #begun = new Map<number, { readonly found: number; readonly start: number }>()

  constructor({ words }: Phrase, term: number) {
    this.#words = words
    this.#term = term
  }

  /** Takes the next word of the text; returns the phrase that ends with it. */
  read({ form, position, start, end }: Place): Match | undefined {
    const reach = this.#words.at(-1)?.offset ?? 0
    for (const begun of this.#begun.keys()) {
      if (begun >= position - reach) break
      this.#begun.delete(begun)
    }
    let match: Match | undefined
    // Backwards, so no word counts for two positions of the phrase that starts with it.
    for (let at = this.#words.length - 1; at >= 0; at--) {
      const word = this.#words[at] as Phrase['words'][number]
      if (word.isPrefix ? !form.startsWith(word.form) : form !== word.form) continue
      const first = position - word.offset
      const begun = at === 0 ? { found: 0, start } : this.#begun.get(first)
      if (begun === undefined || begun.found !== at) continue
      if (at === this.#words.length - 1) match = { start: begun.start, end, term: this.#term, weight: this.#words.length }
      else this.#begun.set(first, { found: at + 1, start: begun.start })
    }
    return match
  }
}
