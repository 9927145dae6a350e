import { drawIndex, type Random } from './random.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Shorter words are seldom mistyped, and are nothing any more when they are. */
const SHORTEST_WORD = 4

/**
 * Adds one typo to a word of four letters or more: an extra, missing, wrong or swapped letter. The first letter stays,
 * because hardly anybody mistypes it. `undefined` if no word is long enough.
 */
export function withTypo(text: string, random: Random): string | undefined {
  const words = [...text.matchAll(/\p{L}+/gu)].filter(([word]) => [...word].length >= SHORTEST_WORD)
  const chosen = words[drawIndex(words.length, random)]
  if (chosen === undefined) return undefined
  const [word] = chosen
  return text.slice(0, chosen.index) + slip([...word], random).join('') + text.slice(chosen.index + word.length)
}

function slip(letters: readonly string[], random: Random): readonly string[] {
  const at = 1 + drawIndex(letters.length - 1, random)
  const kind = drawIndex(4, random)
  const letter = otherLetter(letters[at] ?? '', random)
  if (kind === 0) return letters.toSpliced(at, 0, letter)
  if (kind === 1) return letters.toSpliced(at, 1)
  const next = at + 1 < letters.length ? at + 1 : at - 1
  const left = Math.min(at, next)
  const isSwap = kind === 3 && left > 0 && letters[at] !== letters[next]
  if (!isSwap) return letters.with(at, letter)
  return letters.with(left, letters[left + 1] ?? '').with(left + 1, letters[left] ?? '')
}

function otherLetter(letter: string, random: Random): string {
  const others = [...LETTERS].filter((other) => other !== letter.toLowerCase())
  return others[drawIndex(others.length, random)] ?? 'x'
}
