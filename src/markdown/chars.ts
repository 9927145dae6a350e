/** The character classes of CommonMark and of Obsidian's tags, for UTF-16 code units. */

export const TAB = 9
export const LF = 10
export const CR = 13
const SPACE = 32
export const BANG = 33
export const HASH = 35
export const DOLLAR = 36
export const PERCENT = 37
export const LPAREN = 40
export const RPAREN = 41
export const ASTERISK = 42
export const DASH = 45
export const SLASH = 47
export const COLON = 58
export const LT = 60
export const EQUALS = 61
export const GT = 62
export const LBRACKET = 91
export const BACKSLASH = 92
export const RBRACKET = 93
export const CARET = 94
export const UNDERSCORE = 95
export const BACKTICK = 96
export const PIPE = 124
export const TILDE = 126

export function isSpaceOrTab(c: number): boolean {
  return c === SPACE || c === TAB
}

export function isWhitespace(c: number): boolean {
  if (c < 128) return c === SPACE || (c >= TAB && c <= CR)
  return (
    c === 0xa0 ||
    c === 0x1680 ||
    (c >= 0x2000 && c <= 0x200a) ||
    c === 0x2028 ||
    c === 0x2029 ||
    c === 0x202f ||
    c === 0x205f ||
    c === 0x3000 ||
    c === 0xfeff
  )
}

export function isPunctuation(c: number): boolean {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126)
}

export function isDigit(c: number): boolean {
  return c >= 48 && c <= 57
}

export function isLetter(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90)
}

export function skipWhitespace(text: string, from: number, end: number): number {
  let i = from
  while (i < end && isWhitespace(text.charCodeAt(i))) i++
  return i
}

export function asciiSet(characters: string): Uint8Array {
  const flags = new Uint8Array(128)
  for (let i = 0; i < characters.length; i++) flags[characters.charCodeAt(i)] = 1
  return flags
}

const NOT_IN_TAGS = asciiSet('\'!"#$%&()*+,.:;<=>?@^`{|}~[]\\ \t\n\v\f\r')

export function isTagCharacter(c: number): boolean {
  if (c < 128) return NOT_IN_TAGS[c] === 0
  if ((c >= 0x2000 && c <= 0x206f) || (c >= 0x2e00 && c <= 0x2e7f)) return false
  return !isWhitespace(c)
}
