import { findMatches } from '../../search/words/matches.ts'
import { queryTerms } from '../../search/words/query-terms.ts'

/**
 * Returns where a question's words occur in the text, in any form, as UTF-16 offsets. Positions are in ascending order and do not
 * overlap.
 */
export function highlightsOf(question: string, text: string): readonly (readonly [start: number, end: number])[] {
  const terms = queryTerms(question).map((term) => ({ term, weight: 1 }))
  const highlights: (readonly [number, number])[] = []
  let last = 0
  for (const { start, end } of findMatches(text, { terms, phrases: [] })) {
    // Parts of a compound word are reported in addition to the word itself.
    if (start < last) continue
    highlights.push([start, end])
    last = end
  }
  return highlights
}
