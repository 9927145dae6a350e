/** The role of a character in the analysis. */
export const SEPARATOR = 0

/** A letter, digit or mark of a script that puts spaces between words. */
export const SPACED = 1

/** One of a script that does not (Han, kana, Thai …), or Hangul, whose words carry their particles. */
export const UNSPACED = 2

/** Belongs to the character before it: a combining mark, a half-width voicing mark, a soft hyphen or joiner. */
export const MARK = 3

const UNKNOWN = 255

/** Classes of the Basic Multilingual Plane, found out when first met. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN)

/** Asked of the prototype: see `scanWords`. */
const { charCodeAt } = String.prototype

let expressions: ReturnType<typeof makeExpressions> | undefined

/** Slices below this length are copies anyway. */
const SHORTEST_SLICE = 13

/** UTF-16 units of a form that are kept: words that differ only after them are the same word. */
export const MAX_FORM = 64

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/

/** Marks on Latin and Greek letters, and the dots of ё; й is a letter of its own and keeps its breve. */
const ACCENTS = /(?<=[\p{scx=Latin}\p{scx=Greek}]\p{M}{0,16})[\u0300-\u036f]|(?<=[её])\u0308/gu

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

// Without the expressions below, which take ten milliseconds to be made.
classes.fill(SEPARATOR, 0, 128)

for (const [first, last] of ['09', 'AZ', 'az']) classes.fill(SPACED, first?.charCodeAt(0), (last?.charCodeAt(0) ?? 0) + 1)

/** The class of the code point at an index (which is not inside a surrogate pair). */
export function classAt(text: string, at: number): number {
  const unit = charCodeAt.call(text, at)
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(String.fromCodePoint(text.codePointAt(at) ?? 0))
  const known = classes[unit] as number
  if (known !== UNKNOWN) return known
  const found = classify(String.fromCharCode(unit))
  classes[unit] = found
  return found
}

/** UTF-16 units of the code point at an index. */
export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function classify(character: string): number {
  expressions ??= makeExpressions()
  const { word, variation, mark, unspaced } = expressions
  if (!word.test(character) || variation.test(character)) return SEPARATOR
  if (mark.test(character)) return MARK
  return unspaced.test(character) ? UNSPACED : SPACED
}

function makeExpressions() {
  return {
    word: /[\p{L}\p{N}\p{M}\u00ad\u200c\u200d]/u,
    variation: /[\ufe00-\ufe0f]/,
    mark: /[\p{M}\uff9e\uff9f\u00ad\u200c\u200d]/u,
    unspaced: /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u,
  }
}

/** The same text without hold on another: V8 keeps a whole text alive for as long as a slice of it. */
export function ownCopy(slice: string): string {
  return slice.length < SHORTEST_SLICE ? slice : Buffer.from(slice).toString()
}
