import { NumberList } from '../search/number-list.ts'
import { ownCopy } from '../search/words/fold-word.ts'
import { WORD } from '../search/words/joined-word.ts'
import { scanWords } from '../search/words/scan.ts'
import { isStopWord, stemOf } from '../search/words/stem.ts'
import { FLAG_BITS, IS_CLOSED, type NoteRecord, spreadBits } from './note-record.ts'

/**
 * The words of all notes in typed arrays, without lines that many notes share. A term is the common stem of several forms. Each
 * form is stemmed in its most frequent language, so it belongs to one term. 100,000 notes of 200 words take about 200 MB.
 */
export interface Corpus {
  readonly notes: number
  /** The words after folding. */
  readonly forms: readonly string[]
  readonly formNumbers: ReadonlyMap<string, number>
  readonly terms: readonly string[]
  readonly termOf: Uint32Array
  /** The value is 1 for each function word. */
  readonly isFunctionWord: Uint8Array
  /** The language of each form, or `undefined` if no note's language is known. */
  readonly languages: readonly (string | undefined)[]
  /** Number of notes that contain each term. */
  readonly documents: Uint32Array
  readonly bags: Bags
  readonly lines: Lines
  readonly names: NameWords
  /** Number of words in each note, without boilerplate and the note's names. */
  readonly ownWords: Uint32Array
  readonly texts: WholeTexts
}

export interface WholeTexts {
  /** Notes with the same words in the same lines have the same number. */
  readonly numbers: Float64Array
  readonly words: Uint32Array
  readonly lines: Uint32Array
  readonly sharedLines: SharedLines
}

/** Lines shared by a few notes, which may be copies of each other. */
export interface SharedLines {
  /** The start of each note's lines. Those of note `n` are from `offsets[n]` up to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  /** The one-based line numbers in the file, in ascending order within each note. */
  readonly numbers: Uint32Array
  /** The hash of each line. Lines with the same words have the same one. */
  readonly hashes: Uint32Array
  readonly words: Uint32Array
}

/** A text that more than this many notes share verbatim is an empty template. */
export const MAX_COPIES = 20

/** The terms of each note, including those of its names, but without function words and numbers. */
export interface Bags {
  /** The start of each note's terms and counts. Those of note `n` are from `offsets[n]` up to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  readonly terms: Uint32Array
  readonly counts: Uint16Array
}

export interface Lines {
  readonly offsets: Uint32Array
  readonly numbers: Uint32Array
  /** The exclusive end of each line in `words`. */
  readonly ends: Uint32Array
  readonly words: Uint32Array
}

/** The words of each note's names. */
export interface NameWords {
  /** The exclusive end of each note's words in the other arrays. */
  readonly ends: Uint32Array
  readonly forms: Uint32Array
  /** The UTF-16 offsets in the note's names, which are joined by line breaks. The title comes first. */
  readonly starts: Uint32Array
  readonly stops: Uint32Array
}

/** A line is boilerplate if at least this many notes, and at least this share of all notes, contain it. */
const BOILERPLATE = { share: 0.005, notes: 3 }
const NAME_COUNT = 2
const MAX_COUNT = 0xffff

export class CorpusBuilder {
  readonly #formNumbers = new Map<string, number>()
  readonly #forms: string[] = []
  readonly #languages = new Languages()
  #words = new NumberList(1 << 16)
  readonly #ends = new NumberList(1 << 12)
  readonly #numbers = new NumberList(1 << 12)
  readonly #hashes = new NumberList(1 << 12)
  readonly #noteEnds = new NumberList(1 << 10)
  readonly #textNumbers: number[] = []
  readonly #textWords: number[] = []
  readonly #nameForms = new NumberList(1 << 12)
  readonly #nameEnds = new NumberList(1 << 10)
  readonly #nameStarts = new NumberList(1 << 12)
  readonly #nameStops = new NumberList(1 << 12)

  add({ language, forms, lines, hashes, ends, words }: NoteRecord, names: readonly string[]): void {
    const numbers = forms.map((form) => this.#numberOf(form))
    if (language !== undefined) this.#languages.add(language, numbers)
    const base = this.#words.extend(words.length)
    const all = this.#words.items
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number
      all[base + at] = (numbers[word >>> FLAG_BITS] as number) * (1 << FLAG_BITS) + (word & IS_CLOSED)
    }
    for (let at = 0; at < lines.length; at++) {
      this.#numbers.push(lines[at] as number)
      this.#hashes.push(hashes[at] as number)
      this.#ends.push(base + (ends[at] as number))
    }
    this.#noteEnds.push(this.#numbers.length)
    this.#textNumbers.push(numberOfText(hashes))
    this.#textWords.push(words.length)
    scanWords(names.join('\n'), (form, kind, _position, start, end) => {
      if (kind !== WORD) return
      this.#nameForms.push(this.#numberOf(form))
      this.#nameStarts.push(start)
      this.#nameStops.push(end)
    })
    this.#nameEnds.push(this.#nameForms.length)
  }

  #numberOf(form: string): number {
    const number = this.#formNumbers.get(form)
    if (number !== undefined) return number
    const copy = ownCopy(form)
    this.#formNumbers.set(copy, this.#forms.length)
    return this.#forms.push(copy) - 1
  }

  build(): Corpus {
    const notes = this.#noteEnds.length
    const { lines, sharedLines } = this.#divideLines()
    const texts: WholeTexts = {
      numbers: Float64Array.from(this.#textNumbers),
      words: Uint32Array.from(this.#textWords),
      lines: Uint32Array.from({ length: notes }, (_, note) => {
        return (this.#noteEnds.items[note] as number) - (note === 0 ? 0 : (this.#noteEnds.items[note - 1] as number))
      }),
      sharedLines,
    }
    const names: NameWords = {
      ends: this.#nameEnds.copy(),
      forms: this.#nameForms.copy(),
      starts: this.#nameStarts.copy(),
      stops: this.#nameStops.copy(),
    }
    const languages = this.#forms.map((_, form) => this.#languages.of(form))
    const { terms, termOf, isContent, isFunctionWord } = this.#terms(languages)
    const bags = this.#bags({ lines, names }, { termOf, isContent, terms: terms.length })
    const documents = new Uint32Array(terms.length)
    for (const term of bags.terms) documents[term] = (documents[term] as number) + 1
    const ownWords = new Uint32Array(notes)
    for (let note = 0; note < notes; note++) {
      ownWords[note] = startOf(lines, lines.offsets[note + 1] as number) - startOf(lines, lines.offsets[note] as number)
    }
    const forms = { forms: this.#forms, formNumbers: this.#formNumbers, termOf, isFunctionWord, languages }
    return { notes, ...forms, terms, documents, bags, lines, names, ownWords, texts }
  }

  #divideLines(): { readonly lines: Lines; readonly sharedLines: SharedLines } {
    const notes = this.#noteEnds.length
    const { shared, ofFew } = this.#boilerplate()
    const few = { offsets: new Uint32Array(notes + 1), numbers: [] as number[], hashes: [] as number[], words: [] as number[] }
    const hashes = this.#hashes.items
    const numbers = this.#numbers.items
    const ends = this.#ends.items
    const words = this.#words.items
    const offsets = new Uint32Array(notes + 1)
    let line = 0
    let word = 0
    let keptCount = 0
    let from = 0
    for (let note = 0; note < notes; note++) {
      for (const last = this.#noteEnds.items[note] as number; line < last; line++) {
        const end = ends[line] as number
        const hash = hashes[line] as number
        if (ofFew.has(hash)) {
          few.numbers.push(numbers[line] as number)
          few.hashes.push(hash)
          few.words.push(end - from)
        }
        if (!shared.has(hash)) {
          words.copyWithin(word, from, end)
          word += end - from
          numbers[keptCount] = numbers[line] as number
          ends[keptCount++] = word
        }
        from = end
      }
      offsets[note + 1] = keptCount
      few.offsets[note + 1] = few.numbers.length
    }
    const noteWords = words.slice(0, word)
    this.#words = new NumberList()
    return {
      lines: { offsets, numbers: numbers.slice(0, keptCount), ends: ends.slice(0, keptCount), words: noteWords },
      sharedLines: {
        offsets: few.offsets,
        numbers: Uint32Array.from(few.numbers),
        hashes: Uint32Array.from(few.hashes),
        words: Uint32Array.from(few.words),
      },
    }
  }

  #boilerplate(): { readonly shared: ReadonlySet<number>; readonly ofFew: ReadonlySet<number> } {
    const notes = this.#noteEnds.length
    const all = new Uint32Array(this.#hashes.length)
    let count = 0
    let start = 0
    for (let note = 0; note < notes; note++) {
      const end = this.#noteEnds.items[note] as number
      const noteHashes = this.#hashes.items.slice(start, end).sort()
      for (let at = 0; at < noteHashes.length; at++)
        if (at === 0 || noteHashes[at] !== noteHashes[at - 1]) all[count++] = noteHashes[at] as number
      start = end
    }
    const sorted = all.subarray(0, count).sort()
    const minNotes = Math.max(BOILERPLATE.notes, notes * BOILERPLATE.share)
    const shared = new Set<number>()
    const ofFew = new Set<number>()
    for (let from = 0, to = 0; from < count; from = to) {
      const hash = sorted[from] as number
      while (to < count && sorted[to] === hash) to++
      if (to - from < minNotes) continue
      shared.add(hash)
      if (to - from <= MAX_COPIES) ofFew.add(hash)
    }
    return { shared, ofFew }
  }

  #terms(languages: Corpus['languages']): Pick<Corpus, 'terms' | 'termOf' | 'isFunctionWord'> & Pick<TermFacts, 'isContent'> {
    const numbers = new Map<string, number>()
    const termOf = new Uint32Array(this.#forms.length)
    const isFunctionWord = new Uint8Array(this.#forms.length)
    const isContent = new Uint8Array(this.#forms.length)
    for (const [at, form] of this.#forms.entries()) {
      const language = languages[at]
      const stem = stemOf(form, language)
      const number = numbers.get(stem)
      if (number === undefined) numbers.set(stem, numbers.size)
      termOf[at] = number ?? numbers.size - 1
      isFunctionWord[at] = isStopWord(form, language) ? 1 : 0
      isContent[at] = isFunctionWord[at] === 0 && isMeaningful(form) ? 1 : 0
    }
    return { terms: [...numbers.keys()], termOf, isContent, isFunctionWord }
  }

  #bags(parts: Pick<Corpus, 'lines' | 'names'>, { termOf, isContent, terms: distinct }: TermFacts): Bags {
    const notes = parts.names.ends.length
    const offsets = new Uint32Array(notes + 1)
    // Count first, because growing lists would double the memory.
    const last = new Int32Array(distinct).fill(-1)
    for (let note = 0, count = 0; note < notes; note++) {
      this.#eachForm(note, parts, (form) => {
        const term = termOf[form] as number
        if (isContent[form] === 0 || last[term] === note) return
        last[term] = note
        count++
      })
      offsets[note + 1] = count
    }
    const terms = new Uint32Array(offsets[notes] as number)
    const counts = new Uint16Array(terms.length)
    const amounts = new Uint32Array(distinct)
    for (let note = 0; note < notes; note++) {
      let next = offsets[note] as number
      this.#eachForm(note, parts, (form, amount) => {
        if (isContent[form] === 0) return
        const term = termOf[form] as number
        if (amounts[term] === 0) terms[next++] = term
        amounts[term] = (amounts[term] as number) + amount
      })
      const noteTerms = terms.subarray(offsets[note], next).sort()
      for (const [at, term] of noteTerms.entries()) {
        counts[(offsets[note] as number) + at] = Math.min(amounts[term] as number, MAX_COUNT)
        amounts[term] = 0
      }
    }
    return { offsets, terms, counts }
  }

  #eachForm(
    note: number,
    { lines, names }: Pick<Corpus, 'lines' | 'names'>,
    addForm: (form: number, amount: number) => void,
  ): void {
    const end = startOf(lines, lines.offsets[note + 1] as number)
    for (let word = startOf(lines, lines.offsets[note] as number); word < end; word++)
      addForm((lines.words[word] as number) >>> FLAG_BITS, 1)
    for (let word = startOf(names, note); word < (names.ends[note] as number); word++)
      addForm(names.forms[word] as number, NAME_COUNT)
  }
}

/** A vote that gives each form the most frequent language among its notes. The default is the vault's main language. */
class Languages {
  readonly #codes: (string | undefined)[] = []
  /** The lead of each form's current language (Boyer–Moore majority vote, 1981). */
  readonly #leads: number[] = []
  readonly #notes = new Map<string, number>()
  #usual: string | undefined

  add(language: string, forms: readonly number[]): void {
    const notes = (this.#notes.get(language) ?? 0) + 1
    this.#notes.set(language, notes)
    if (this.#usual === undefined || notes > (this.#notes.get(this.#usual) ?? 0)) this.#usual = language
    for (const form of forms) {
      const lead = this.#leads[form] ?? 0
      if (lead === 0) this.#codes[form] = language
      this.#leads[form] = lead === 0 || this.#codes[form] === language ? lead + 1 : lead - 1
    }
  }

  of(form: number): string | undefined {
    return this.#codes[form] ?? this.#usual
  }
}

interface TermFacts {
  readonly termOf: Uint32Array
  readonly isContent: Uint8Array
  readonly terms: number
}

function numberOfText(hashes: Uint32Array): number {
  let high = hashes.length
  let low = 0x811c9dc5
  for (const hash of hashes) {
    high = spreadBits(high ^ hash)
    low = spreadBits(Math.imul(low, 31) + hash)
  }
  return (high & 0x1f_ffff) * 2 ** 32 + low
}

/** Returns where a list begins that follows others, given their exclusive ends. */
export function startOf({ ends }: Pick<Lines, 'ends'>, list: number): number {
  return list === 0 ? 0 : (ends[list - 1] as number)
}

const LETTER = /\p{L}/u

/** Returns false for numbers and single letters, which occur in notes on any topic. A single CJK character can be a word. */
function isMeaningful(form: string): boolean {
  return LETTER.test(form) && (form.length > 1 || form.charCodeAt(0) > 0x2e80)
}
