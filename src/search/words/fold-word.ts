import { wholeCharacterEnd } from '../../core/text/graphemes.ts'

/** Character classes of the analyzer. */
export const SEPARATOR = 0

/** A letter, digit or mark in a script with spaces between words. */
export const SPACED = 1

/** A character in a script without spaces (Han, kana …), or in Hangul, where particles are attached to words. */
export const UNSPACED = 2

/** A character in Thai, Lao, Khmer or Burmese script. There are no spaces between words, but ICU has dictionaries. */
export const IN_DICTIONARY = 4

/** A character that belongs to the one before it: a combining mark or Hangul letter, a half-width voicing mark, a soft hyphen or a joiner. */
export const MARK = 3

const UNKNOWN = 255

/** Classes of the characters in the Basic Multilingual Plane. Each is computed when it is first needed. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN)

/** Cached for speed; see `scan.ts`. */
const { charCodeAt } = String.prototype

let expressions: ReturnType<typeof makeExpressions> | undefined

/** Shorter slices need not be copied, because V8 always copies them. */
const MIN_SLICE_LENGTH = 13

/** Maximum length of a form in UTF-16 units. Longer words are truncated. */
export const MAX_FORM = 64

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/

/**
 * Accents on Latin and Greek letters, and the dots of ё. The letter й keeps its breve, because it is a letter of its own. The
 * accent is matched before the letter, because accents are rare.
 */
const ACCENTS = /[\u0300-\u036f](?<=[\p{scx=Latin}\p{scx=Greek}]\p{M}{0,16}.|[её]\u0308)/gu

/** Characters to remove, including Arabic short vowels and the tatweel, which few people type. */
const INVISIBLE = /\u00ad|\u200c|\u200d|\u0640|[\u064b-\u065f]|\u0670/g

/** Letters that Unicode does not decompose, as people spell them on keyboards without these letters. */
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
  // Arabic letters that are often used interchangeably.
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

/** Maximum number of cached words, before the cache is cleared. Folding takes ten times as long as a lookup. */
const MEMO = 20_000

const memo = new Map<string, string>()

/**
 * Folds a word for the index: normalizes compatibility characters (`ﬁ`, `Ａ`), converts to lower case, removes accents on Latin and
 * Greek letters, and truncates to `MAX_FORM` units. The part beyond that takes no time.
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

/** Clears the cache of folded words. */
export function forgetFoldedWords(): void {
  memo.clear()
}

/** Folds letters like `foldWord`, without truncating the text. */
export function foldLetters(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.replace(INVISIBLE, '').normalize('NFKD').toLowerCase().replace(ACCENTS, '')
  return plain.normalize('NFC').replace(SPECIAL, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

/** Truncates a word to `MAX_FORM` units without splitting a surrogate pair. */
function truncate(word: string): string {
  return word.length <= MAX_FORM ? word : word.slice(0, wholeCharacterEnd(word, MAX_FORM))
}

// Set the classes of ASCII here, because compiling the regular expressions below takes ten milliseconds.
classes.fill(SEPARATOR, 0, 128)

for (const [first, last] of ['09', 'AZ', 'az']) classes.fill(SPACED, first?.charCodeAt(0), (last?.charCodeAt(0) ?? 0) + 1)

/** Returns the class of the code point at an index, which must not be inside a surrogate pair. */
export function classAt(text: string, at: number): number {
  const unit = charCodeAt.call(text, at)
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(String.fromCodePoint(text.codePointAt(at) ?? 0))
  const cached = classes[unit] as number
  if (cached !== UNKNOWN) return cached
  const unitClass = classify(String.fromCharCode(unit))
  classes[unit] = unitClass
  return unitClass
}

/** Returns the length of the code point at an index, in UTF-16 units. */
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

/** Copies a slice. Otherwise, V8 would keep the whole string in memory as long as the slice. */
export function ownCopy(slice: string): string {
  return slice.length < MIN_SLICE_LENGTH ? slice : Buffer.from(slice).toString()
}
