import { type Nearest, NO_NOTE } from '../core/insight/insight.ts'
import { selectTop } from '../graph/select-top.ts'
import { inverseDocumentFrequency } from '../search/words/rank.ts'
import type { Bags, Corpus } from './corpus.ts'
import { distinctiveDocuments, idfOf, WordSearch } from './word-search.ts'

/** Number of nearest notes to keep for each note. */
const NEIGHBORS_KEPT = 10
/** Number of candidates to compare by all their terms. */
const CANDIDATES = 40

/**
 * Finds the nearest notes of each note by the TF-IDF of its own words. Similarities are symmetric and below 1. Takes linear time,
 * because it examines a bounded number of bag entries per note.
 */
export function nearestNotes({ notes, bags, documents }: Pick<Corpus, 'notes' | 'bags' | 'documents'>): Nearest {
  // With this damping, each note has in effect one more word, which no other note contains.
  const weights = wordWeights(bags, documents, inverseDocumentFrequency(1, notes) ** 2)
  const weightAt = (place: number): number => weights[place] as number
  const search = new WordSearch({
    bags,
    // Leave out frequent terms. In a large vault, they make up half of the entries and are never used.
    documents: distinctiveDocuments(documents, notes, 120),
    matchWeight: (_, place) => weightAt(place),
    queryWeight: weightAt,
    maxPlaces: 3_000,
  })
  const nearest = {
    kept: NEIGHBORS_KEPT,
    notes: new Uint32Array(notes * NEIGHBORS_KEPT).fill(NO_NOTE),
    scores: new Float32Array(notes * NEIGHBORS_KEPT),
  }
  const ownWeights = new Float32Array(documents.length)
  for (let note = 0; note < notes; note++) {
    const candidates = cosines(note, candidatesFor(note, search), { bags, weights, own: ownWeights })
    for (const [at, { other, score }] of selectTop(candidates, NEIGHBORS_KEPT, isNearer).entries()) {
      nearest.notes[note * NEIGHBORS_KEPT + at] = other
      nearest.scores[note * NEIGHBORS_KEPT + at] = score
    }
  }
  return nearest
}

interface Weighted {
  readonly bags: Bags
  /** Weight of each term in its note, parallel to the terms of the bags. */
  readonly weights: Float32Array
}

/**
 * Returns the TF-IDF weights of the terms in the bags. `damping` is added to the squared length of a note's vector, so its length
 * is below 1. Otherwise, two notes with the same three words would be as similar as two with the same three hundred.
 */
export function wordWeights({ offsets, terms, counts }: Bags, documents: Uint32Array, damping: number): Float32Array {
  const notes = offsets.length - 1
  const idf = idfOf(documents, notes)
  // Reuse the array, because a second one for all weights would take too much memory.
  const weights = new Float32Array(terms.length)
  for (let at = 0; at < terms.length; at++)
    weights[at] = (1 + Math.log(counts[at] as number)) * (idf[terms[at] as number] as number)
  for (let note = 0; note < notes; note++) {
    const noteWeights = weights.subarray(offsets[note], offsets[note + 1])
    const length = Math.sqrt(noteWeights.reduce((sum, weight) => sum + weight * weight, damping))
    for (let at = 0; at < noteWeights.length; at++) noteWeights[at] = (noteWeights[at] as number) / length
  }
  return weights
}

/** Returns the candidates for a note's nearest notes by shared words, best first. */
function candidatesFor(note: number, search: WordSearch): readonly number[] {
  // Nearly all of the hundreds of candidates are rejected, because they score less than those found so far.
  const best: number[] = []
  for (const other of search.of(note)) {
    const sum = search.score(other)
    let at = best.length
    for (; at > 0; at--) {
      const before = best[at - 1] as number
      const score = search.score(before)
      if (score > sum || (score === sum && before < other)) break
    }
    if (at === CANDIDATES) continue
    best.splice(at, 0, other)
    if (best.length > CANDIDATES) best.pop()
  }
  return best
}

interface Compared {
  readonly other: number
  readonly score: number
}

function isNearer(a: Compared, b: Compared): boolean {
  return a.score === b.score ? a.other < b.other : a.score > b.score
}

/** Returns the similarity of each candidate. `own` must be all zeros, and is so again afterwards. */
function cosines(
  note: number,
  others: readonly number[],
  { bags: { offsets, terms }, weights, own }: Weighted & { readonly own: Float32Array },
): readonly Compared[] {
  const from = offsets[note] as number
  const to = offsets[note + 1] as number
  for (let at = from; at < to; at++) own[terms[at] as number] = weights[at] as number
  const results: Compared[] = []
  for (let n = 0; n < others.length; n++) {
    const other = others[n] as number
    const end = offsets[other + 1] as number
    let sum = 0
    // The weight of a term that the other note lacks is 0, so no branch is needed.
    for (let at = offsets[other] as number; at < end; at++) sum += (weights[at] as number) * (own[terms[at] as number] as number)
    results.push({ other, score: sum })
  }
  for (let at = from; at < to; at++) own[terms[at] as number] = 0
  return results
}
