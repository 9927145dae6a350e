import { type Nearest, NO_NOTE } from '../core/insight/insight.ts'
import { selectTop } from '../graph/select-top.ts'
import { inverseDocumentFrequency } from '../search/words/rank.ts'
import type { Bags, Corpus } from './corpus.ts'
import { idfOf, tellingDocuments, WordSearch } from './word-search.ts'

/** Number of nearest notes to keep for each note. */
const KEPT = 10
/** Number of candidates to compare by all their terms. */
const CANDIDATES = 40

/**
 * Finds the nearest notes of each note, by TF-IDF of its own words. Symmetric; always below 1. Takes time linear in the number of
 * notes, because a bounded number of places is examined for each.
 */
export function nearestNotes({ notes, bags, documents }: Pick<Corpus, 'notes' | 'bags' | 'documents'>): Nearest {
  // As if each note had one more word, which no other note has.
  const weights = wordWeights(bags, documents, inverseDocumentFrequency(1, notes) ** 2)
  const weightAt = (place: number): number => weights[place] as number
  const search = new WordSearch({
    bags,
    // The places of frequent terms are never needed. In a large vault they are half of all.
    documents: tellingDocuments(documents, notes, 120),
    found: (_, place) => weightAt(place),
    asked: weightAt,
    mostPlaces: 3_000,
  })
  const nearest = { kept: KEPT, notes: new Uint32Array(notes * KEPT).fill(NO_NOTE), scores: new Float32Array(notes * KEPT) }
  const own = new Float32Array(documents.length)
  for (let note = 0; note < notes; note++) {
    const compared = cosines(note, candidatesFor(note, search), { bags, weights, own })
    for (const [at, { other, score }] of selectTop(compared, KEPT, isNearer).entries()) {
      nearest.notes[note * KEPT + at] = other
      nearest.scores[note * KEPT + at] = score
    }
  }
  return nearest
}

interface Weighted {
  readonly bags: Bags
  /** The weight of each term in its note, parallel to the terms of the bags. */
  readonly weights: Float32Array
}

/**
 * For each term of the bags, its TF-IDF weight. A note's words are a vector of a length below 1, as `damping` is added to the square of its length.
 * Otherwise two notes of three equal words would be as alike as two of three hundred.
 */
export function wordWeights({ offsets, terms, counts }: Bags, documents: Uint32Array, damping: number): Float32Array {
  const notes = offsets.length - 1
  const idf = idfOf(documents, notes)
  // A functional style would keep the whole list in memory.
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

/** The other notes that share most of a note's words, the best first. */
function candidatesFor(note: number, search: WordSearch): readonly number[] {
  // Hundreds of notes are visited for each; one comparison with the worst of the best rejects nearly all.
  const best: number[] = []
  for (const other of search.of(note)) {
    const sum = search.score(other)
    let at = best.length
    for (; at > 0; at--) {
      const before = best[at - 1] as number
      const its = search.score(before)
      if (its > sum || (its === sum && before < other)) break
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

/** Returns the similarity of each candidate to the note. `own` is all zeros before and after. */
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
    // Summing over one note's terms, with zeros for terms that the other lacks, needs no branch.
    for (let at = offsets[other] as number; at < end; at++)
      score += (weights[at] as number) * (own[terms[at] as number] as number)
    compared.push({ other, score })
  }
  for (let at = from; at < to; at++) own[terms[at] as number] = 0
  return compared
}
