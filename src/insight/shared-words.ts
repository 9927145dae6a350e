import { inverseDocumentFrequency } from '../search/words/rank.ts'
import type { Corpus } from './corpus.ts'
import { type QuestionTerm, questionTerms } from './question-terms.ts'

/** Places that are looked at for one note. */
const MOST_PLACES = 8_000
/** Terms of more notes say too little to be asked for. */
const FREQUENT = { share: 0.1, notes: 20 }
/** The usual constants of BM25. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** How well other notes answer to a note's own words: BM25 with its heaviest terms as the question. */
export class SharedWords {
  /** For each term, its weight. */
  readonly idf: Float32Array
  readonly #corpus: Pick<Corpus, 'bags' | 'documents' | 'ownWords'>
  readonly #starts: Uint32Array
  readonly #notes: Uint32Array
  readonly #weights: Float32Array
  readonly #scores: Float32Array
  readonly #met: number[] = []

  constructor(corpus: Pick<Corpus, 'bags' | 'documents' | 'ownWords'>) {
    const { bags, documents, ownWords } = corpus
    const notes = ownWords.length
    this.#corpus = corpus
    this.idf = Float32Array.from(documents, (count) => inverseDocumentFrequency(count, notes))
    this.#scores = new Float32Array(notes)
    this.#starts = new Uint32Array(documents.length + 1)
    for (let term = 0; term < documents.length; term++) {
      this.#starts[term + 1] = (this.#starts[term] as number) + (documents[term] as number)
    }
    const next = this.#starts.slice()
    this.#notes = new Uint32Array(bags.terms.length)
    this.#weights = new Float32Array(bags.terms.length)
    const mean = ownWords.reduce((sum, words) => sum + words, 0) / Math.max(1, notes)
    for (let note = 0; note < notes; note++) {
      const length = ((ownWords[note] as number) + NAME_WORDS) / (mean + NAME_WORDS)
      const floor = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
      for (let at = bags.offsets[note] as number; at < (bags.offsets[note + 1] as number); at++) {
        const term = bags.terms[at] as number
        const count = bags.counts[at] as number
        const place = next[term] as number
        next[term] = place + 1
        this.#notes[place] = note
        this.#weights[place] = (count * (SATURATION + 1)) / (count + floor)
      }
    }
  }

  /** The other notes that share some of a note's words; the list is used again by the next question. */
  of(note: number): readonly number[] {
    for (const other of this.#met) this.#scores[other] = 0
    this.#met.length = 0
    for (const { term, weight } of this.#question(note)) {
      for (let at = this.#starts[term] as number; at < (this.#starts[term + 1] as number); at++) {
        const other = this.#notes[at] as number
        const before = this.#scores[other] as number
        if (other === note) continue
        if (before === 0) this.#met.push(other)
        this.#scores[other] = before + weight * (this.#weights[at] as number)
      }
    }
    return this.#met
  }

  /** How well a note answered the last question. */
  score(note: number): number {
    return this.#scores[note] as number
  }

  #question(note: number): readonly QuestionTerm[] {
    const { bags, documents, ownWords } = this.#corpus
    const most = Math.max(FREQUENT.notes, FREQUENT.share * ownWords.length)
    const usable: QuestionTerm[] = []
    for (let at = bags.offsets[note] as number; at < (bags.offsets[note + 1] as number); at++) {
      const term = bags.terms[at] as number
      const count = bags.counts[at] as number
      const inNotes = documents[term] as number
      if (inNotes < 2 || inNotes > most) continue
      usable.push({ term, weight: (count / (count + SATURATION)) * (this.idf[term] as number) })
    }
    return questionTerms(usable, documents, MOST_PLACES)
  }
}

/** A note's names count among its words. */
const NAME_WORDS = 5
