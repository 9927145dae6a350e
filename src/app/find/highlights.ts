import { findMatches } from '../../search/words/matches.ts'
import { queryTerms } from '../../search/words/query-terms.ts'

/**
 * Returns the positions of a question's words in the text, in any word form. The positions are UTF-16 offsets, in ascending order and
 * without overlaps.
 */
export function highlightsOf(question: string, text: string): readonly (readonly [start: number, end: number])[] {
  const terms = queryTerms(question).map((term) => ({ term, weight: 1 }))
  const highlights: (readonly [number, number])[] = []
  let last = 0
  for (const { start, end } of findMatches(text, { terms, phrases: [] })) {
    // Skip parts of compound words, which are also reported as matches.
    if (start < last) continue
    highlights.push([start, end])
    last = end
  }
  return highlights
}
