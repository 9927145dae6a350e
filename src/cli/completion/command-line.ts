/** Characters where bash splits words for completion. Bash replaces only the text after the last of them. */
const BASH_BREAKS = /[=:@><|&;(]/g

export interface TypedLine {
  /** The words before the one being completed, without quotes. */
  readonly words: readonly string[]
  /** The word being completed, without quotes. */
  readonly typed: string
  /** The part of `typed` that bash keeps, which completions must not repeat. */
  readonly keptPrefix: string
}

/** Splits the text typed so far into words, as a shell does. The last quotation may be unclosed. */
export function readLine(line: string): TypedLine {
  const words: string[] = []
  let word = ''
  let isBegun = false
  let quote = ''
  let prefixLength = 0
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string
    if (quote !== '') {
      if (letter === quote) quote = ''
      else if (letter === '\\' && quote === '"' && /["\\$`]/.test(line[at + 1] ?? '')) word += line[++at]
      else word += letter
    } else if (letter === '"' || letter === "'") {
      quote = letter
      isBegun = true
    } else if (letter === '\\') {
      word += line[++at] ?? ''
      isBegun = true
    } else if (letter === ' ' || letter === '\t') {
      if (isBegun || word !== '') words.push(word)
      word = ''
      isBegun = false
      prefixLength = 0
    } else {
      word += letter
      if (letter.search(BASH_BREAKS) === 0) prefixLength = word.length
    }
  }
  return { words, typed: word, keptPrefix: quote === '' ? word.slice(0, prefixLength) : '' }
}
