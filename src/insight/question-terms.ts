import { selectTop } from '../graph/select-top.ts'

/** A term that a note is compared by, and what it counts. */
export interface QuestionTerm {
  readonly term: number
  readonly weight: number
}

/** A note asks with its heaviest terms. */
const QUESTION_TERMS = 32

/** The terms that a note asks with: the heaviest, as long as they stand in no more than `most` places together; `documents`: in how many notes each stands. */
export function questionTerms(usable: readonly QuestionTerm[], documents: Uint32Array, most: number): readonly QuestionTerm[] {
  let places = most
  return selectTop(usable, QUESTION_TERMS, isHeavier).filter(({ term }) => {
    const count = documents[term] as number
    if (count > places) return false
    places -= count
    return true
  })
}

function isHeavier(a: QuestionTerm, b: QuestionTerm): boolean {
  return a.weight === b.weight ? a.term < b.term : a.weight > b.weight
}
