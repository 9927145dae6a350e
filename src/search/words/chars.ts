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
// Without the expressions below, which take ten milliseconds to be made.
classes.fill(SEPARATOR, 0, 128)
for (const [first, last] of ['09', 'AZ', 'az']) classes.fill(SPACED, first?.charCodeAt(0), (last?.charCodeAt(0) ?? 0) + 1)

/** Asked of the prototype: see `scanWords`. */
const { charCodeAt } = String.prototype

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

let expressions: ReturnType<typeof makeExpressions> | undefined

function makeExpressions() {
  return {
    word: /[\p{L}\p{N}\p{M}\u00ad\u200c\u200d]/u,
    variation: /[\ufe00-\ufe0f]/,
    mark: /[\p{M}\uff9e\uff9f\u00ad\u200c\u200d]/u,
    unspaced: /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u,
  }
}
