import { NumberList } from '../search/number-list.ts'
import { WORD } from '../search/words/joined-word.ts'
import { scanWords } from '../search/words/scan.ts'
import type { Corpus } from './corpus.ts'
import { FLAG_BITS, IS_CLOSED } from './note-record.ts'

export interface MentionCorpus extends Pick<Corpus, 'lines'> {
  readonly words: WordNumbers
}

export interface NameWords {
  /** The owner of each name, in ascending order. */
  readonly notes: Uint32Array
  /** The word numbers of each name. Singular and plural have the same number. */
  readonly words: readonly (readonly number[])[]
  readonly terms: readonly (readonly number[])[]
}

/** The names of other notes by note and position. Each name occurs once per note, preferably where a link can be inserted. */
export interface Mentions {
  /** The start of each note's occurrences. Those of note `n` are from `offsets[n]` up to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  /** The ids of the names. A shared name is listed once per note. */
  readonly names: Uint32Array
  readonly lines: Uint32Array
  /** Number of the previous word plus 1, or 0 at the start of a line. */
  readonly before: Uint32Array
  readonly isOpen: Uint8Array
}

/** A longer name is a sentence that no other text repeats. */
const MAX_WORDS = 12

/** Splits a name into words. There are none for single letters and very long names. */
export function splitName(name: string): readonly string[] {
  const forms: string[] = []
  scanWords(name, (form, kind) => {
    if (kind === WORD) forms.push(form)
  })
  return forms.some(({ length }) => length > 1) && forms.length <= MAX_WORDS ? forms : []
}

/** The languages other than English with plurals in `s`. In German, for example, *Kurs* is not the plural of *Kur*. */
const PLURAL_S = new Set(['ca', 'es', 'fr', 'pt'])

/** Removes a plural `s`. Stems would be too short for names: `settings` becomes `set`. */
export function singularOf(form: string, language = 'en'): string {
  if (form.length < 4 || !/^[a-z]+s$/.test(form) || /(?:ss|us|is)$/.test(form)) return form
  if (language !== 'en') return PLURAL_S.has(language) ? form.slice(0, -1) : form
  if (form.endsWith('ies') && form.length > 4) return `${form.slice(0, -3)}y`
  return /(?:ss|x|ch|sh)es$/.test(form) ? form.slice(0, -2) : form.slice(0, -1)
}

export interface WordNumbers {
  readonly count: number
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

/** Returns the words of names. Names that consist of function words or contain a word without occurrences are left out. */
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
  /** The line of the name; see `Mentions`. */
  readonly line: number
  readonly before: number
  readonly isOpen: boolean
}

export type OccurrenceSink = (note: number, name: number, occurrence: Occurrence) => void

/** Finds names within lines in linear time. If several names start at a position, the longest one wins. */
export function findMentions({ lines, words }: MentionCorpus, names: NameWords, sink: OccurrenceSink = () => {}): Mentions {
  const longest = longestName(names.words, words.count)
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
      for (const { match, before, isOpen } of matchesIn(line, longest, words.of)) {
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

function* matchesIn(line: Uint32Array, longest: FindLongest, numberOf: Uint32Array) {
  const words = line.map((word) => numberOf[word >>> FLAG_BITS] as number)
  for (let place = 0; place < words.length; ) {
    const match = longest(words, place)
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

type FindLongest = (words: Uint32Array, from: number) => Match | undefined

function longestName(names: readonly (readonly number[])[], terms: number): FindLongest {
  const nextStates = new Map<number, number>()
  const namesOf: number[][] = [[]]
  /** The value is 1 for words that start a name. This check rejects most words early. */
  const begins = new Uint8Array(terms)
  for (const [name, nameWords] of names.entries()) {
    if (nameWords[0] === undefined) continue
    begins[nameWords[0]] = 1
    let state = 0
    for (const term of nameWords) {
      const key = state * terms + term
      const next = nextStates.get(key) ?? namesOf.length
      if (next === namesOf.length) {
        nextStates.set(key, next)
        namesOf.push([])
      }
      state = next
    }
    namesOf[state]?.push(name)
  }
  return (words, from) => {
    if (begins[words[from] as number] !== 1) return undefined
    let state = 0
    let best: Match | undefined
    for (let at = from; at < words.length; at++) {
      const next = nextStates.get(state * terms + (words[at] as number))
      if (next === undefined) break
      state = next
      const names = namesOf[state] ?? []
      if (names.length > 0) best = { names, length: at + 1 - from }
    }
    return best
  }
}
