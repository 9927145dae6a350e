import { wholeCharacterEnd } from '../../core/text/graphemes.ts'

export const SEPARATOR = 0

/** The class of letters, digits and marks of scripts with spaces between words. */
export const SPACED = 1

/** The class of characters of scripts without spaces (Han, kana …), and of Hangul, where particles are attached to words. */
export const UNSPACED = 2

/** The class of Thai, Lao, Khmer and Burmese. They have no spaces, but ICU has dictionaries for them. */
export const IN_DICTIONARY = 4

/** The class of characters that belong to the previous one, such as combining marks and joiners. */
export const MARK = 3

const UNKNOWN = 255

/** The classes of code units in the Basic Multilingual Plane, computed on demand. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN)

/** The method is cached for speed; see `scan.ts`. */
const { charCodeAt } = String.prototype

let expressions: ReturnType<typeof makeExpressions> | undefined

/** V8 always copies slices that are shorter than this. */
const MIN_SLICE_LENGTH = 13

/** The maximum length in UTF-16 units. Longer words are truncated. */
export const MAX_FORM = 64

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/

/**
 * Accents on Latin and Greek letters, and the dots of ё. й keeps its breve, because it is a separate letter. Accents are rare, so
 * the pattern matches them before the letter.
 */
const ACCENTS = /[\u0300-\u036f](?<=[\p{scx=Latin}\p{scx=Greek}]\p{M}{0,16}.|[её]\u0308)/gu

/** Matches soft hyphens, joiners, and Arabic vowel signs and tatweel, which few people type. */
const INVISIBLE = /\u00ad|\u200c|\u200d|\u0640|[\u064b-\u065f]|\u0670/g

/** The replacements for letters that Unicode does not decompose. */
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
  // These Arabic letters are often used interchangeably.
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ؤ: 'و',
  ئ: 'ي',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ۀ: 'ه',
  ک: 'ك',
}

const SPECIAL = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** The size of the cache. Folding takes ten times as long as a lookup. */
const MEMO = 20_000

const memo = new Map<string, string>()

/**
 * Normalizes compatibility characters (`ﬁ`, `Ａ`), converts to lower case, removes Latin and Greek accents, and truncates to
 * `MAX_FORM` units.
 */
export function foldWord(word: string): string {
  if (ASCII.test(word)) return truncate(word).toLowerCase()
  const cached = memo.get(truncate(word))
  if (cached !== undefined) return cached
  const copy = ownCopy(truncate(word))
  const folded = truncate(foldLetters(copy))
  if (memo.size >= MEMO) memo.clear()
  memo.set(copy, folded)
  return folded
}

export function forgetFoldedWords(): void {
  memo.clear()
}

export function foldLetters(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.replace(INVISIBLE, '').normalize('NFKD').toLowerCase().replace(ACCENTS, '')
  return plain.normalize('NFC').replace(SPECIAL, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

/** Truncates a word without splitting a surrogate pair. */
function truncate(word: string): string {
  return word.length <= MAX_FORM ? word : word.slice(0, wholeCharacterEnd(word, MAX_FORM))
}

// ASCII is filled in here, because the regular expressions below take ten milliseconds to compile.
classes.fill(SEPARATOR, 0, 128)

for (const [first, last] of ['09', 'AZ', 'az']) classes.fill(SPACED, first?.charCodeAt(0), (last?.charCodeAt(0) ?? 0) + 1)

/** Returns the class of a character. The index must not be inside a surrogate pair. */
export function classAt(text: string, at: number): number {
  const unit = charCodeAt.call(text, at)
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(String.fromCodePoint(text.codePointAt(at) ?? 0))
  const cached = classes[unit] as number
  if (cached !== UNKNOWN) return cached
  const unitClass = classify(String.fromCharCode(unit))
  classes[unit] = unitClass
  return unitClass
}

export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function classify(character: string): number {
  expressions ??= makeExpressions()
  const { word, variation, mark, unspaced, inDictionary } = expressions
  if (!word.test(character) || variation.test(character)) return SEPARATOR
  if (mark.test(character)) return MARK
  if (inDictionary.test(character)) return IN_DICTIONARY
  return unspaced.test(character) ? UNSPACED : SPACED
}

function makeExpressions() {
  return {
    word: /[\p{L}\p{N}\p{M}\u00ad\u200c\u200d]/u,
    variation: /[\ufe00-\ufe0f]/,
    mark: /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f\u00ad\u200c\u200d]/u,
    unspaced: /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u,
    inDictionary: /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u,
  }
}

/** The copy is necessary, because a slice would keep the whole string in memory. */
export function ownCopy(slice: string): string {
  return slice.length < MIN_SLICE_LENGTH ? slice : Buffer.from(slice).toString()
}
