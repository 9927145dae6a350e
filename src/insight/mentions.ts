import { NumberList } from '../search/number-list.ts'
import { WORD } from '../search/words/compound.ts'
import { scanWords } from '../search/words/scan.ts'
import { isStopWord, stemOf } from '../search/words/stem.ts'
import type { Corpus } from './corpus.ts'
import { caseOf, FLAG_BITS, IS_CLOSED } from './note-record.ts'

/** The parts of a corpus that are needed. */
export interface MentionCorpus extends Pick<Corpus, 'lines'> {
  readonly words: WordNumbers
}

/** The names of notes as numbers of words. */
export interface NameWords {
  /** The note of each name, ascending. */
  readonly notes: Uint32Array
  /** The words of each name in the singular, in order, as numbers of their own. */
  readonly words: readonly (readonly number[])[]
  /** The terms of the same words. */
  readonly terms: readonly (readonly number[])[]
  /** The case of each of its words, as in `NoteRecord`. */
  readonly flags: readonly (readonly number[])[]
}

/**
 * Which names of other notes each note's own words hold: of each note and name the first occurrence where a link can be put, else the first.
 * Parallel arrays, by note, then by place.
 */
export interface Mentions {
  /** Note `n` has the stretch from `offsets[n]` to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  /** Numbers of names; one of several notes comes once for each. */
  readonly names: Uint32Array
  /** 1-based numbers of lines in the file. */
  readonly lines: Uint32Array
  /** The number of the word before it in its line and 1; 0 where the line begins with it. */
  readonly before: Uint32Array
  /** The share of its line's words that it is. */
  readonly covers: Float32Array
  /** How far down the note's words it stands, 0–1. */
  readonly places: Float32Array
  /** `IS_OPEN`, `IS_EXACT`. */
  readonly marks: Uint8Array
}

/** A link can be put there. */
export const IS_OPEN = 1
/** Its capitals are those of the name. */
export const IS_EXACT = 2

/** Longer names are sentences that no text repeats. */
const MOST_WORDS = 12
const CASE = ~IS_CLOSED

/** A name prepared for searching in texts. */
interface SplitName {
  readonly forms: readonly string[]
  readonly flags: readonly number[]
}

/** The words of a name; none if the name alone means nothing, such as a single letter or function words. */
export function splitName(name: string): SplitName {
  const forms: string[] = []
  const flags: number[] = []
  let isTelling = false
  scanWords(name, (form, kind, _position, start, end) => {
    if (kind !== WORD) return
    forms.push(form)
    flags.push(caseOf(name, start, end))
    if (form.length > 1 && !isStopWord(form)) isTelling = true
  })
  return isTelling && forms.length <= MOST_WORDS ? { forms, flags } : { forms: [], flags: [] }
}

/** A form without the ending of an English plural: what names and texts are compared by. A stem would make `set` of `settings`. */
export function singularOf(form: string): string {
  if (form.length < 4 || !/^[a-z]+s$/.test(form) || /(?:ss|us|is)$/.test(form)) return form
  if (form.endsWith('ies') && form.length > 4) return `${form.slice(0, -3)}y`
  return /(?:ss|x|ch|sh)es$/.test(form) ? form.slice(0, -2) : form.slice(0, -1)
}

/** Numbers of words, whether they stand in the singular or the plural. */
export interface WordNumbers {
  readonly count: number
  /** For each form of a corpus. */
  readonly of: Uint32Array
  readonly numbers: ReadonlyMap<string, number>
}

export function wordNumbers({ forms }: Pick<Corpus, 'forms'>): WordNumbers {
  const numbers = new Map<string, number>()
  const of = Uint32Array.from(forms, (form) => {
    const singular = singularOf(form)
    const number = numbers.get(singular) ?? numbers.size
    numbers.set(singular, number)
    return number
  })
  return { count: numbers.size, of, numbers }
}

/** The names of each note that texts can hold; those with a word that no note has cannot occur. */
export function nameWords(
  names: readonly (readonly string[])[],
  { terms, words }: { readonly terms: readonly string[]; readonly words: WordNumbers },
): NameWords {
  const stems = new Map(terms.map((term, at) => [term, at]))
  const found = { notes: [] as number[], words: [] as number[][], terms: [] as number[][], flags: [] as (readonly number[])[] }
  for (const [note, own] of names.entries()) {
    const seen = new Set<string>()
    for (const name of own) {
      const { forms, flags } = splitName(name)
      const known = forms.flatMap((form) => words.numbers.get(singularOf(form)) ?? [])
      const key = known.join()
      if (known.length === 0 || known.length < forms.length || seen.has(key)) continue
      seen.add(key)
      found.notes.push(note)
      found.words.push(known)
      found.terms.push(forms.flatMap((form) => stems.get(stemOf(form)) ?? []))
      found.flags.push(flags)
    }
  }
  return { ...found, notes: Uint32Array.from(found.notes) }
}

/** Given each occurrence of a name: its note, the name, the word before it as in `Mentions`, and its marks. */
export type OccurrenceSink = (note: number, name: number, before: number, marks: number) => void

/** Finds every name in every note, the longest at each place, none over the end of a line. Linear in the words. */
export function findMentions({ lines, words }: MentionCorpus, names: NameWords, sink: OccurrenceSink = () => {}): Mentions {
  const trie = new NameTrie(names.words, words.count)
  const notes = lines.offsets.length - 1
  const found = new FoundMentions(notes)
  const line: number[] = []
  let word = 0
  for (let note = 0; note < notes; note++) {
    const from = lines.offsets[note] as number
    const to = lines.offsets[note + 1] as number
    const first = word
    const last = to === from ? first : (lines.ends[to - 1] as number)
    for (let at = from; at < to; at++) {
      const start = word
      const end = lines.ends[at] as number
      line.length = 0
      for (; word < end; word++) line.push(words.of[(lines.words[word] as number) >>> FLAG_BITS] as number)
      for (let place = 0; place < line.length; ) {
        const match = trie.longest(line, place)
        if (match === undefined) {
          place++
          continue
        }
        for (const name of match.names) {
          if (names.notes[name] === note) continue
          const marks = marksOf(names.flags[name] ?? [], lines.words, start + place)
          const before = place === 0 ? 0 : (line[place - 1] as number) + 1
          sink(note, name, before, marks)
          found.add(name, {
            line: lines.numbers[at] as number,
            before,
            cover: match.length / line.length,
            place: (start + place - first) / (last - first),
            marks,
          })
        }
        place += match.length
      }
    }
    found.endNote(note)
  }
  return found.mentions()
}

function marksOf(flags: readonly number[], words: Uint32Array, start: number): number {
  let marks = IS_OPEN | IS_EXACT
  for (const [at, flag] of flags.entries()) {
    const own = (words[start + at] as number) & ((1 << FLAG_BITS) - 1)
    if ((own & IS_CLOSED) !== 0) marks &= ~IS_OPEN
    if ((own & CASE) !== (flag & CASE)) marks &= ~IS_EXACT
  }
  return marks
}

interface Occurrence {
  readonly line: number
  readonly before: number
  readonly cover: number
  readonly place: number
  readonly marks: number
}

class FoundMentions {
  readonly #offsets: Uint32Array
  readonly #names = new NumberList(1 << 12)
  readonly #occurrences: Occurrence[] = []
  /** For each name of the current note its best occurrence. */
  readonly #best = new Map<number, Occurrence>()

  constructor(notes: number) {
    this.#offsets = new Uint32Array(notes + 1)
  }

  add(name: number, occurrence: Occurrence): void {
    const known = this.#best.get(name)
    if (known === undefined || rankOf(occurrence) > rankOf(known)) this.#best.set(name, occurrence)
  }

  endNote(note: number): void {
    for (const [name, occurrence] of this.#best) {
      this.#names.push(name)
      this.#occurrences.push(occurrence)
    }
    this.#best.clear()
    this.#offsets[note + 1] = this.#names.length
  }

  mentions(): Mentions {
    return {
      offsets: this.#offsets,
      names: this.#names.items.slice(0, this.#names.length),
      lines: Uint32Array.from(this.#occurrences, ({ line }) => line),
      before: Uint32Array.from(this.#occurrences, ({ before }) => before),
      covers: Float32Array.from(this.#occurrences, ({ cover }) => cover),
      places: Float32Array.from(this.#occurrences, ({ place }) => place),
      marks: Uint8Array.from(this.#occurrences, ({ marks }) => marks),
    }
  }
}

/** Where a link can be put comes before where none can, the name's own capitals before others. */
function rankOf({ marks }: Occurrence): number {
  return (marks & IS_OPEN) === 0 ? 0 : (marks & IS_EXACT) === 0 ? 1 : 2
}

interface Match {
  readonly names: readonly number[]
  readonly length: number
}

/** Names by their words. */
class NameTrie {
  /** From a state and a term to the next state. */
  readonly #next = new Map<number, number>()
  /** The names that end in each state. */
  readonly #names: number[][] = [[]]
  /** 1 for terms that a name begins with: most words begin none. */
  readonly #begins: Uint8Array
  readonly #terms: number

  constructor(names: readonly (readonly number[])[], terms: number) {
    this.#begins = new Uint8Array(terms)
    this.#terms = terms
    for (const [name, own] of names.entries()) this.#add(own, name)
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

  /** The names of the most words that begin at a place. */
  longest(words: readonly number[], from: number): Match | undefined {
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
