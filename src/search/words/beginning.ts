import type { WordTerm } from '../../core/query.ts'
import { STEM_TAILS } from './stem.ts'

/** The common beginning of every form that a term finds. */
export function beginningOf({ form, stem, match }: WordTerm): string {
  if (match !== 'stem') return form
  const tails = STEM_TAILS.filter((tail) => stem.endsWith(tail) && stem.length > tail.length)
  return stem.slice(0, stem.length - Math.max(...tails.map((tail) => tail.length)))
}
