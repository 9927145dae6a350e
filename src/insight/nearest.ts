import { type Nearest, NO_NOTE } from '../core/insight/insight.ts'
import { selectTop } from '../graph/select-top.ts'
import { inverseDocumentFrequency } from '../search/words/rank.ts'
import type { Bags, Corpus } from './corpus.ts'
import { type QuestionTerm, questionTerms } from './question-terms.ts'

/** How many near notes are kept of each. */
const KEPT = 10
/** Terms of more notes than this say too little to look for candidates by, and of those that say most only so many places are looked at. */
const FREQUENT = { share: 0.1, notes: 120 }
const MOST_PLACES = 3_000
/** The best candidates are compared by all their terms. */
const CANDIDATES = 40
/**
 * The nearest notes of each note: by TF-IDF of the words of its own. Symmetric, 1 for no two notes. Time grows with the notes, because of each a bounded
 * number of places is looked at.
 */
export function nearestNotes({ notes, bags, documents }: Pick<Corpus, 'notes' | 'bags' | 'documents'>): Nearest {
  // As if each note had one more word, which no other note has.
  const weights = wordWeights(bags, documents, inverseDocumentFrequency(1, notes) ** 2)
  const most = Math.max(FREQUENT.notes, FREQUENT.share * notes)
  // The places of the other terms are never needed; in a large vault they are half of all.
  const places = documents.map((count) => (count > 1 && count <= most ? count : 0))
  const postings = postingsOf(bags, { places, weights })
  const nearest = { kept: KEPT, notes: new Uint32Array(notes * KEPT).fill(NO_NOTE), scores: new Float32Array(notes * KEPT) }
  const met = { notes: new Uint32Array(notes), sums: new Float32Array(notes) }
  const own = new Float32Array(documents.length)
  for (let note = 0; note < notes; note++) {
    const question = questionOf(note, { bags, places, weights })
    const candidates = candidatesFor(note, question, { postings, met })
    const compared = cosines(note, candidates, { bags, weights, own })
    for (const [at, { other, score }] of selectTop(compared, KEPT, isNearer).entries()) {
      nearest.notes[note * KEPT + at] = other
      nearest.scores[note * KEPT + at] = score
    }
  }
  return nearest
}

interface Weighted {
  readonly bags: Bags
  /** Beside the terms of the bags: what each counts for its note. */
  readonly weights: Float32Array
}

/**
 * For each term of the bags, its TF-IDF weight. A note's words are a vector of a length below 1, as `damping` is added to the square of its length.
 * Otherwise two notes of three equal words would be as alike as two of three hundred.
 */
export function wordWeights({ offsets, terms, counts }: Bags, documents: Uint32Array, damping: number): Float32Array {
  const notes = offsets.length - 1
  const idf = Float32Array.from(documents, (count) => inverseDocumentFrequency(count, notes))
  // A functional style would hold the whole list in memory.
  const weights = new Float32Array(terms.length)
  for (let at = 0; at < terms.length; at++)
    weights[at] = (1 + Math.log(counts[at] as number)) * (idf[terms[at] as number] as number)
  for (let note = 0; note < notes; note++) {
    const own = weights.subarray(offsets[note], offsets[note + 1])
    const length = Math.sqrt(own.reduce((sum, weight) => sum + weight * weight, damping))
    for (let at = 0; at < own.length; at++) own[at] = (own[at] as number) / length
  }
  return weights
}

interface Postings {
  /** Term `t` has the range from `starts[t]` to `starts[t + 1]` of `notes` and `weights`; empty if it is never needed. */
  readonly starts: Uint32Array
  readonly notes: Uint32Array
  readonly weights: Float32Array
}

function postingsOf(
  { offsets, terms }: Bags,
  { places, weights }: { readonly places: Uint32Array; readonly weights: Float32Array },
): Postings {
  const starts = new Uint32Array(places.length + 1)
  for (let term = 0; term < places.length; term++) starts[term + 1] = (starts[term] as number) + (places[term] as number)
  const next = starts.slice()
  const count = starts[places.length] as number
  const postings = { starts, notes: new Uint32Array(count), weights: new Float32Array(count) }
  for (let note = 0; note + 1 < offsets.length; note++) {
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      const term = terms[at] as number
      if (places[term] === 0) continue
      const place = next[term] as number
      next[term] = place + 1
      postings.notes[place] = note
      postings.weights[place] = weights[at] as number
    }
  }
  return postings
}

/** The terms that other notes are found by: the heaviest, as long as they have not too many places together. */
function questionOf(
  note: number,
  { bags, places, weights }: Weighted & { readonly places: Uint32Array },
): readonly QuestionTerm[] {
  const { offsets, terms } = bags
  const usable: QuestionTerm[] = []
  for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
    const term = terms[at] as number
    if (places[term] !== 0) usable.push({ term, weight: weights[at] as number })
  }
  return questionTerms(usable, places, MOST_PLACES)
}

/** Room for the notes that share something with one; `sums` is all zeros before and after. */
interface Met {
  readonly notes: Uint32Array
  readonly sums: Float32Array
}

/** The other notes that share most of a question, the best first. */
function candidatesFor(
  note: number,
  question: readonly QuestionTerm[],
  { postings, met: { notes, sums } }: { readonly postings: Postings; readonly met: Met },
): readonly number[] {
  let count = 0
  for (let n = 0; n < question.length; n++) {
    const { term, weight } = question[n] as QuestionTerm
    const end = postings.starts[term + 1] as number
    for (let at = postings.starts[term] as number; at < end; at++) {
      const other = postings.notes[at] as number
      const sum = sums[other] as number
      if (sum === 0 && other !== note) notes[count++] = other
      sums[other] = sum + weight * (postings.weights[at] as number)
    }
  }
  // Hundreds of notes are met for each; one comparison with the worst of the best rejects nearly all.
  const best: number[] = []
  for (let n = 0; n < count; n++) {
    const other = notes[n] as number
    const sum = sums[other] as number
    let at = best.length
    for (; at > 0; at--) {
      const before = best[at - 1] as number
      const its = sums[before] as number
      if (its > sum || (its === sum && before < other)) break
    }
    if (at === CANDIDATES) continue
    best.splice(at, 0, other)
    if (best.length > CANDIDATES) best.pop()
  }
  for (let n = 0; n < count; n++) sums[notes[n] as number] = 0
  sums[note] = 0
  return best
}

interface Compared {
  readonly other: number
  readonly score: number
}

function isNearer(a: Compared, b: Compared): boolean {
  return a.score === b.score ? a.other < b.other : a.score > b.score
}

/** Each with its likeness to the note; `own` is all zeros before and after. */
function cosines(
  note: number,
  others: readonly number[],
  { bags: { offsets, terms }, weights, own }: Weighted & { readonly own: Float32Array },
): readonly Compared[] {
  const from = offsets[note] as number
  const to = offsets[note + 1] as number
  for (let at = from; at < to; at++) own[terms[at] as number] = weights[at] as number
  const compared: Compared[] = []
  for (let n = 0; n < others.length; n++) {
    const other = others[n] as number
    const end = offsets[other + 1] as number
    let score = 0
    // A sum over the terms of one with zeros is that over the terms of both, and takes no decision at each.
    for (let at = offsets[other] as number; at < end; at++)
      score += (weights[at] as number) * (own[terms[at] as number] as number)
    compared.push({ other, score })
  }
  for (let at = from; at < to; at++) own[terms[at] as number] = 0
  return compared
}
