import { foldName } from '../core/fold.ts'
import { editDistance } from './edit-distance.ts'
import { plainName } from './plain-name.ts'
import { type NamedFiles, SimilarNames } from './similar-names.ts'

/** So similar is what was meant. */
const ALIKE = 0.75
/** Nearly all names that are one slip apart share so many pairs; to look at those that share fewer takes many times as long. */
const LOOKED_AT = { minimum: 0.5, limit: 20 } as const
/** A slip makes another word of a shorter one. */
const SHORTEST_WORD = 4

/** Whose names may have been meant by what was written, best first, `count` at the most: alike, or one slip in a word apart. */
export function nearNames(names: SimilarNames, written: string, files: NamedFiles, count: number): readonly number[] {
  const hits = names.find(written, files, LOOKED_AT)
  return hits
    .filter(({ name, score }) => isNear(written, name, score))
    .slice(0, count)
    .map(({ key }) => key)
}

/** Those of some texts that may have been meant by what was written, best first, `count` at the most. */
export function nearTexts(texts: readonly string[], written: string, count: number): readonly string[] {
  const names = new SimilarNames()
  for (const [at, text] of texts.entries()) names.set(at, [text])
  const inOrder = { accept: () => true, id: (at: number) => String(at).padStart(8, '0') }
  return nearNames(names, written, inOrder, count).map((at) => texts[at] ?? '')
}

function isNear(written: string, name: string, score: number): boolean {
  // Another number is another thing: the day before, the next part.
  return digitsOf(written) === digitsOf(name) && (score >= ALIKE || isOneSlipApart(written, name))
}

/** Whether two names are the same but for one letter of one word, or two neighbours that changed places. */
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
