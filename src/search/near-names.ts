import { foldName } from '../core/text/fold.ts'
import { editDistance } from './edit-distance.ts'
import { plainName } from './plain-name.ts'
import { SimilarNames } from './similar-names.ts'

/** So similar is what was meant. */
const ALIKE = 0.75
/** A slip makes another word of a shorter one. */
const SHORTEST_WORD = 4

/** Which names to look at. Nearly all that are one slip apart share so many pairs; to look at those that share fewer takes many times as long. */
export const LOOKED_AT = { minimum: 0.5, limit: 20 } as const

/** Similar names that may have been meant: close, or one typo in a word apart. */
export function nearHits<T extends { readonly name: string; readonly score: number }>(
  written: string,
  hits: readonly T[],
): readonly T[] {
  return hits.filter(({ name, score }) => isNear(written, name, score))
}

/** Texts that may have been meant, best first. */
export function nearTexts(texts: readonly string[], written: string): readonly string[] {
  const names = new SimilarNames()
  for (const [at, text] of texts.entries()) names.set(at, [text])
  const inOrder = { accept: () => true, id: (at: number) => String(at).padStart(8, '0') }
  return nearHits(written, names.find(written, inOrder, LOOKED_AT)).map(({ key }) => texts[key] ?? '')
}

function isNear(written: string, name: string, score: number): boolean {
  // Another number is another thing: the day before, the next part.
  return digitsOf(written) === digitsOf(name) && (score >= ALIKE || isOneSlipApart(written, name))
}

/** Whether two names differ by one letter of one word, or by two swapped neighbours. */
function isOneSlipApart(a: string, b: string): boolean {
  const left = plainName(a).split(' ')
  const right = plainName(b).split(' ')
  if (left.length !== right.length) return false
  const [differing, ...more] = left.flatMap((word, at) => (word === right[at] ? [] : [[word, right[at] ?? ''] as const]))
  if (differing === undefined) return true
  const isLong = Math.min(...differing.map((word) => word.length)) >= SHORTEST_WORD
  return more.length === 0 && isLong && editDistance(...differing, 1) !== undefined
}

/** The numbers in a name. */
export function digitsOf(name: string): string {
  return (foldName(name).match(/\p{N}+/gu) ?? []).join(' ')
}
