import { selectTop } from '../graph/select-top.ts'
import { inverseDocumentFrequency } from '../search/words/rank.ts'
import type { Bags, Corpus } from './corpus.ts'

const QUESTION_TERMS = 32

/** Weights of terms. A place is an index into `bags.terms`. */
export interface WordScoring {
  readonly bags: Bags
  /** Number of notes with each term. A term with 0 is excluded from the search. */
  readonly documents: Uint32Array
  readonly matchWeight: (note: number, place: number) => number
  readonly queryWeight: (place: number) => number
  /** Maximum number of matches to examine per query. */
  readonly maxPlaces: number
}

interface QuestionTerm {
  readonly term: number
  readonly weight: number
}

export interface WordSearch {
  of(note: number): readonly number[]
  score(note: number): number
}

export function wordSearch({ bags, documents, matchWeight, queryWeight, maxPlaces }: WordScoring): WordSearch {
  /** The notes with term `t` are `notes[starts[t]]` up to `notes[starts[t + 1]]`. */
  const starts = new Uint32Array(documents.length + 1)
  for (let term = 0; term < documents.length; term++) starts[term + 1] = (starts[term] as number) + (documents[term] as number)
  const next = starts.slice()
  const count = starts[documents.length] as number
  const notes = new Uint32Array(count)
  const weights = new Float32Array(count)
  const scores = new Float32Array(bags.offsets.length - 1)
  const scoredNotes: number[] = []
  for (let note = 0; note < scores.length; note++) {
    for (let at = bags.offsets[note] as number; at < (bags.offsets[note + 1] as number); at++) {
      const term = bags.terms[at] as number
      if (documents[term] === 0) continue
      const place = next[term]!++
      notes[place] = note
      weights[place] = matchWeight(note, at)
    }
  }
  const question = (note: number): readonly QuestionTerm[] => {
    const usable: QuestionTerm[] = []
    for (let at = bags.offsets[note] as number; at < (bags.offsets[note + 1] as number); at++) {
      const term = bags.terms[at] as number
      if (documents[term] !== 0) usable.push({ term, weight: queryWeight(at) })
    }
    let places = maxPlaces
    return selectTop(usable, QUESTION_TERMS, isHeavier).filter(({ term }) => {
      const count = documents[term] as number
      if (count > places) return false
      places -= count
      return true
    })
  }
  return {
    of(note) {
      for (const other of scoredNotes) scores[other] = 0
      scoredNotes.length = 0
      for (const { term, weight } of question(note)) {
        const end = starts[term + 1] as number
        for (let at = starts[term] as number; at < end; at++) {
          const other = notes[at] as number
          const before = scores[other] as number
          if (other === note) continue
          if (before === 0) scoredNotes.push(other)
          scores[other] = before + weight * (weights[at] as number)
        }
      }
      return scoredNotes
    },
    score: (note) => scores[note] as number,
  }
}

function isHeavier(a: QuestionTerm, b: QuestionTerm): boolean {
  return a.weight === b.weight ? a.term < b.term : a.weight > b.weight
}

/** Zeroes the counts of terms in one note or in too many notes. The limit is at least `minNotes`. */
export function distinctiveDocuments(documents: Uint32Array, notes: number, minNotes: number): Uint32Array {
  const maxNotes = Math.max(minNotes, FREQUENT_SHARE * notes)
  return documents.map((count) => (count > 1 && count <= maxNotes ? count : 0))
}

const FREQUENT_SHARE = 0.1

export function idfOf(documents: Uint32Array, notes: number): Float32Array {
  return Float32Array.from(documents, (count) => inverseDocumentFrequency(count, notes))
}

/** The usual constants of BM25. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75
/** The assumed length of a note's names, in words. */
const NAME_WORDS = 5

/** Searches by BM25 with a note's heaviest terms as the query. */
export function searchByBm25(
  { bags, documents, ownWords }: Pick<Corpus, 'bags' | 'documents' | 'ownWords'>,
  idf: Float32Array,
): WordSearch {
  const notes = ownWords.length
  const meanWords = ownWords.reduce((sum, words) => sum + words, 0) / Math.max(1, notes)
  const floors = Float64Array.from(ownWords, (words) => {
    return SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * (words + NAME_WORDS)) / (meanWords + NAME_WORDS))
  })
  return wordSearch({
    bags,
    documents: distinctiveDocuments(documents, notes, 20),
    matchWeight: (note, place) => {
      const count = bags.counts[place] as number
      return (count * (SATURATION + 1)) / (count + (floors[note] as number))
    },
    queryWeight: (place) => {
      const count = bags.counts[place] as number
      return (count / (count + SATURATION)) * (idf[bags.terms[place] as number] as number)
    },
    maxPlaces: 8_000,
  })
}
