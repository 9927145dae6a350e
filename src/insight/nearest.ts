import { type Nearest, NO_NOTE } from '../core/insight/insight.ts'
import { selectTop } from '../graph/select-top.ts'
import { inverseDocumentFrequency } from '../search/words/rank.ts'
import type { Bags, Corpus } from './corpus.ts'
import { distinctiveDocuments, idfOf, type WordSearch, wordSearch } from './word-search.ts'

const NEIGHBORS_KEPT = 10
const CANDIDATES = 40

/** Finds the nearest notes by TF-IDF cosine, in linear time. Similarities are symmetric and below 1. */
export function nearestNotes({ notes, bags, documents }: Pick<Corpus, 'notes' | 'bags' | 'documents'>): Nearest {
  // The damping has the effect of one more word per note that no other note contains.
  const weights = wordWeights(bags, documents, inverseDocumentFrequency(1, notes) ** 2)
  const weightAt = (place: number): number => weights[place] as number
  const search = wordSearch({
    bags,
    // Frequent terms are left out. They make up half of the entries and are never used.
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
  readonly weights: Float32Array
}

/** TF-IDF weights. `damping` adds to each note's squared length, so short texts are less similar. */
export function wordWeights({ offsets, terms, counts }: Bags, documents: Uint32Array, damping: number): Float32Array {
  const notes = offsets.length - 1
  const idf = idfOf(documents, notes)
  // The array is reused to save memory.
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

function candidatesFor(note: number, search: WordSearch): readonly number[] {
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

/** `own` is scratch space and must be all zeros. */
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
    // Missing terms have a weight of 0, so no branch is needed.
    for (let at = offsets[other] as number; at < end; at++) sum += (weights[at] as number) * (own[terms[at] as number] as number)
    results.push({ other, score: sum })
  }
  for (let at = from; at < to; at++) own[terms[at] as number] = 0
  return results
}
