import { ownCopy } from './own-copy.ts'

/** UTF-16 units of a form that are kept: words that differ only after them are the same word. */
export const MAX_FORM = 64

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/
/** Marks on Latin and Greek letters, and the dots of ё; й is a letter of its own and keeps its breve. */
const ACCENTS = /(?<=[\p{scx=Latin}\p{scx=Greek}]\p{M}*)[\u0300-\u036f]|(?<=[её])\u0308/gu
const INVISIBLE = /[\u00ad\u200c\u200d]/g
/** Letters that are typed as others where the keyboard lacks them, and that Unicode does not decompose. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const SPECIAL = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** Folded words kept at hand, because normalising costs ten times a look-up; when they are more, all are forgotten. */
const MEMO = 20_000
const memo = new Map<string, string>()

/**
 * A word as it is indexed: compatibility forms made plain (`ﬁ`, `Ａ`), lower case, without accents on Latin and Greek letters,
 * at most `MAX_FORM` units long. Linear in the part that is kept.
 */
export function foldWord(word: string): string {
  if (ASCII.test(word)) return cut(word).toLowerCase()
  const known = memo.get(cut(word))
  if (known !== undefined) return known
  const own = ownCopy(cut(word))
  const folded = cut(foldLetters(own))
  if (memo.size >= MEMO) memo.clear()
  memo.set(own, folded)
  return folded
}

/** Forgets the folded words kept at hand. */
export function forgetFoldedWords(): void {
  memo.clear()
}

/** A text whose letters are as those of indexed words, however long it is. */
export function foldLetters(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.replace(INVISIBLE, '').normalize('NFKD').toLowerCase().replace(ACCENTS, '')
  return plain.normalize('NFC').replace(SPECIAL, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

/** The first `MAX_FORM` units, without half a surrogate pair. */
function cut(word: string): string {
  if (word.length <= MAX_FORM) return word
  const unit = word.charCodeAt(MAX_FORM - 1)
  return word.slice(0, unit >= 0xd800 && unit <= 0xdbff ? MAX_FORM - 1 : MAX_FORM)
}
