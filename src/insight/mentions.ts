import { NumberList } from '../search/number-list.ts'
import { WORD } from '../search/words/joined-word.ts'
import { scanWords } from '../search/words/scan.ts'
import type { Corpus } from './corpus.ts'
import { FLAG_BITS, IS_CLOSED } from './note-record.ts'

export interface MentionCorpus extends Pick<Corpus, 'lines'> {
  readonly words: WordNumbers
}

export interface NameWords {
  /** The note that each name belongs to, in ascending order. */
  readonly notes: Uint32Array
  /** The numbers of the words in each name, in order. The singular and plural of a word have the same number. */
  readonly words: readonly (readonly number[])[]
  /** The terms of the words in each name. */
  readonly terms: readonly (readonly number[])[]
}

/**
 * The names of other notes in each note's own words, in parallel arrays ordered by note and position. Each name occurs once per
 * note: in the first place where a link can be inserted or, if there is none, in the first place.
 */
export interface Mentions {
  /** The occurrences in note `n` are those from `offsets[n]` up to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  /** Ids of names. If several notes share a name, it occurs once for each of them. */
  readonly names: Uint32Array
  /** One-based line numbers in the file. */
  readonly lines: Uint32Array
  /** Number of the word before the name, plus 1. 0 at the start of a line. */
  readonly before: Uint32Array
  /** 1 if a link can be inserted. */
  readonly isOpen: Uint8Array
}

/** Maximum number of words in a name. A longer name is a sentence that no other text repeats. */
const MAX_WORDS = 12

/** Splits a name into words. Returns an empty list for single letters and for names that are too long. */
export function splitName(name: string): readonly string[] {
  const forms: string[] = []
  scanWords(name, (form, kind) => {
    if (kind === WORD) forms.push(form)
  })
  return forms.some(({ length }) => length > 1) && forms.length <= MAX_WORDS ? forms : []
}

/** Languages other than English with plurals in `s`. In German, for example, *Kurs* is not the plural of *Kur*. */
const PLURAL_S = new Set(['ca', 'es', 'fr', 'pt'])

/**
 * Removes the plural ending in languages with plurals in `s`. Names and texts are compared in this form, because stems are too
 * short: `settings` would become `set`.
 */
export function singularOf(form: string, language = 'en'): string {
  if (form.length < 4 || !/^[a-z]+s$/.test(form) || /(?:ss|us|is)$/.test(form)) return form
  if (language !== 'en') return PLURAL_S.has(language) ? form.slice(0, -1) : form
  if (form.endsWith('ies') && form.length > 4) return `${form.slice(0, -3)}y`
  return /(?:ss|x|ch|sh)es$/.test(form) ? form.slice(0, -2) : form.slice(0, -1)
}

/** A number for each word. The singular and plural of a word have the same number. */
export interface WordNumbers {
  readonly count: number
  /** The number of each form in a corpus. */
  readonly of: Uint32Array
}

export function wordNumbers({ forms, languages }: Pick<Corpus, 'forms' | 'languages'>): WordNumbers {
  const numbers = new Map<string, number>()
  const of = Uint32Array.from(forms, (form, at) => {
    const singular = singularOf(form, languages[at])
    const number = numbers.get(singular) ?? numbers.size
    numbers.set(singular, number)
    return number
  })
  return { count: numbers.size, of }
}

/**
 * Returns the names of each note that can be found in text. Omits names that consist of function words, and those with a word that
 * occurs in no note.
 */
export function nameWords(
  names: readonly (readonly string[])[],
  { corpus, words }: { readonly corpus: Pick<Corpus, 'formNumbers' | 'termOf' | 'isFunctionWord'>; readonly words: WordNumbers },
): NameWords {
  const nameLists = { notes: [] as number[], words: [] as number[][], terms: [] as number[][] }
  for (const [note, noteNames] of names.entries()) {
    const seenNames = new Set<string>()
    for (const name of noteNames) {
      const forms = splitName(name)
      const numbers = forms.flatMap((form) => corpus.formNumbers.get(form) ?? [])
      const stems = numbers.map((form) => words.of[form] as number)
      const key = stems.join()
      if (stems.length === 0 || stems.length < forms.length || seenNames.has(key)) continue
      if (forms.every(({ length }, at) => length === 1 || corpus.isFunctionWord[numbers[at] as number] === 1)) continue
      seenNames.add(key)
      nameLists.notes.push(note)
      nameLists.words.push(stems)
      nameLists.terms.push(numbers.flatMap((form) => corpus.termOf[form] ?? []))
    }
  }
  return { ...nameLists, notes: Uint32Array.from(nameLists.notes) }
}

export interface Occurrence {
  /** See `Mentions`. */
  readonly line: number
  readonly before: number
  /** True if a link can be inserted. */
  readonly isOpen: boolean
}

export type OccurrenceSink = (note: number, name: number, occurrence: Occurrence) => void

/**
 * Finds all names in all notes, in linear time. A name must be within a line; among several at the same position, the longest is
 * found.
 */
export function findMentions({ lines, words }: MentionCorpus, names: NameWords, sink: OccurrenceSink = () => {}): Mentions {
  const trie = new NameTrie(names.words, words.count)
  const notes = lines.offsets.length - 1
  const offsets = new Uint32Array(notes + 1)
  const mentions = new NumberList(1 << 12)
  const occurrences: Occurrence[] = []
  let start = 0
  for (let note = 0; note < notes; note++) {
    const best = new Map<number, Occurrence>()
    for (let at = lines.offsets[note] as number; at < (lines.offsets[note + 1] as number); at++) {
      const line = lines.words.subarray(start, lines.ends[at])
      start = lines.ends[at] as number
      for (const { match, before, isOpen } of matchesIn(line, trie, words.of)) {
        const occurrence = { line: lines.numbers[at] as number, before, isOpen }
        for (const name of match.names) {
          if (names.notes[name] === note) continue
          sink(note, name, occurrence)
          const current = best.get(name)
          if (current === undefined || (isOpen && !current.isOpen)) best.set(name, occurrence)
        }
      }
    }
    for (const [name, occurrence] of best) {
      mentions.push(name)
      occurrences.push(occurrence)
    }
    offsets[note + 1] = mentions.length
  }
  return {
    offsets,
    names: mentions.copy(),
    lines: Uint32Array.from(occurrences, ({ line }) => line),
    before: Uint32Array.from(occurrences, ({ before }) => before),
    isOpen: Uint8Array.from(occurrences, ({ isOpen }) => (isOpen ? 1 : 0)),
  }
}

/** Yields the longest names in a line, from left to right and without overlaps. */
function* matchesIn(line: Uint32Array, trie: NameTrie, numberOf: Uint32Array) {
  const words = line.map((word) => numberOf[word >>> FLAG_BITS] as number)
  for (let place = 0; place < words.length; ) {
    const match = trie.longest(words, place)
    if (match === undefined) {
      place++
      continue
    }
    const end = place + match.length
    const isOpen = line.subarray(place, end).every((word) => (word & IS_CLOSED) === 0)
    yield { match, before: place === 0 ? 0 : (words[place - 1] as number) + 1, isOpen }
    place = end
  }
}

interface Match {
  readonly names: readonly number[]
  readonly length: number
}

class NameTrie {
  /** The next state, by state and word. */
  readonly #next = new Map<number, number>()
  /** The names that end in each state. */
  readonly #names: number[][] = [[]]
  /** 1 for each word that starts a name. Most words do not. */
  readonly #begins: Uint8Array
  readonly #terms: number

  constructor(names: readonly (readonly number[])[], terms: number) {
    this.#begins = new Uint8Array(terms)
    this.#terms = terms
    for (const [name, nameWords] of names.entries()) this.#add(nameWords, name)
  }

  #add(terms: readonly number[], name: number): void {
    if (terms[0] === undefined) return
    this.#begins[terms[0]] = 1
    let state = 0
    for (const term of terms) {
      const key = state * this.#terms + term
      const next = this.#next.get(key) ?? this.#names.length
      if (next === this.#names.length) {
        this.#next.set(key, next)
        this.#names.push([])
      }
      state = next
    }
    this.#names[state]?.push(name)
  }

  /** Returns the longest names that start at a position. */
  longest(words: Uint32Array, from: number): Match | undefined {
    if (this.#begins[words[from] as number] !== 1) return undefined
    let state = 0
    let best: Match | undefined
    for (let at = from; at < words.length; at++) {
      const next = this.#next.get(state * this.#terms + (words[at] as number))
      if (next === undefined) break
      state = next
      const names = this.#names[state] ?? []
      if (names.length > 0) best = { names, length: at + 1 - from }
    }
    return best
  }
}
