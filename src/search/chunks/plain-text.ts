/** A fence of code: its marks and language say nothing about the note. */
const FENCE = /^[\s>]*(?:`{3,}|~{3,})/
const LIST_MARK = /^[\s>]*(?:[-+*]|\d{1,9}[.)])\s+(?:\[.\]\s+)?/
const WIKILINK = /!?\[\[([^[\]|]*)(?:\|([^[\]]*))?\]\]/g
/** A link or picture with its destination, which may hold one level of parentheses. */
const LINK = /!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g
const URL = /\b(?:https?|ftp|file|data|mailto):\S+/gi
const TAG = /<[a-z/!][^<>]*>/gi
const BLOCK_ID = /\s\^[\w-]+\s*$/
/** Marks of emphasis, code, quotes, tables, headings, comments and properties; rules and what underlines a heading. */
const MARKS = /[*_`~|=#>\\%[\]{}]+|-{3,}|:{2,}/g
/** White space that is not one space: most is, and replacing each by itself would be most of the work. */
const WIDE_SPACE = /\s{2,}|[^\S ]/g
/** Such as the line under a table's head. */
const PUNCTUATION = /^[\s!-/:-@[-`{-~]*$/

/**
 * A piece of Markdown (at most a line) as plain text for a model: links by display text, without addresses, HTML tags
 * and marks. For pieces of some hundred characters.
 */
export function plainText(piece: string): string {
  if (FENCE.test(piece)) return ''
  let plain = piece.replace(LIST_MARK, '')
  if (plain.includes('[[')) plain = plain.replace(WIKILINK, (_, target: string, display?: string) => display ?? target)
  if (plain.includes('](')) plain = plain.replace(LINK, '$1')
  if (plain.includes(':')) plain = plain.replace(URL, ' ')
  if (plain.includes('<')) plain = plain.replace(TAG, ' ')
  if (plain.includes('^')) plain = plain.replace(BLOCK_ID, '')
  plain = plain.replace(MARKS, ' ').replace(WIDE_SPACE, ' ').trim()
  return PUNCTUATION.test(plain) ? '' : plain
}

/** Characters without a space that count as one word, so a long text never has few words. */
const LONGEST_WORD = 16

/** Asked of the prototype: see `scanWords`. */
const { charCodeAt } = String.prototype

/** How many words a text has for a model: runs without white space, long ones as several, ideographs one each. */
export function countWords(text: string): number {
  let words = 0
  let run = 0
  const { length } = text
  for (let i = 0; i < length; i++) {
    const code = charCodeAt.call(text, i)
    if (code <= 32) {
      run = 0
    } else if (code >= FIRST_IDEOGRAPH && isIdeograph(code)) {
      words++
      run = 0
    } else if (run++ % LONGEST_WORD === 0) words++
  }
  return words
}

const FIRST_IDEOGRAPH = 0x2e80

/** Characters of scripts that put no spaces between words; models read each as a word of its own. */
function isIdeograph(code: number): boolean {
  return (code >= FIRST_IDEOGRAPH && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff)
}
