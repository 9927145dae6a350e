/** What a character is to the analysis. */
export const SEPARATOR = 0
/** A letter, digit or mark of a script that puts spaces between words. */
export const SPACED = 1
/** One of a script that does not (Han, kana, Thai …), or Hangul, whose words carry their particles. */
export const UNSPACED = 2
/** Belongs to the character before it: a combining mark, a half-width voicing mark, a soft hyphen or joiner. */
export const MARK = 3

const WORD = /[\p{L}\p{N}\p{M}\u00ad\u200c\u200d]/u
const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u
const MARKS = /[\p{M}\uff9e\uff9f\u00ad\u200c\u200d]/u
const VARIATION = /[\ufe00-\ufe0f]/
const UNKNOWN = 255

/** Classes of the Basic Multilingual Plane, found out when first met. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN)
// Without the expressions below, which take milliseconds to be made.
for (let unit = 0; unit < 128; unit++) classes[unit] = /[A-Za-z0-9]/.test(String.fromCharCode(unit)) ? SPACED : SEPARATOR

/** The class of the code point at an index (which is not inside a surrogate pair). */
export function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
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
  if (!WORD.test(character) || VARIATION.test(character)) return SEPARATOR
  if (MARKS.test(character)) return MARK
  return UNSPACED_SCRIPT.test(character) ? UNSPACED : SPACED
}
