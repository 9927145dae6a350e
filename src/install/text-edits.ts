/** A stretch of a text, and what takes its place. */
export interface TextEdit {
  readonly offset: number
  readonly length: number
  readonly content: string
}

/** The text with the edits, which do not overlap, made; every other character stays. Of two at one place the first comes first. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = ''
  let at = 0
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset)) {
    result += text.slice(at, offset) + content
    at = offset + length
  }
  return result + text.slice(at)
}

/** The offset of the comma that comes next, comments apart; `undefined` when something else does. */
export function findComma(text: string, from: number): number | undefined {
  const at = endOf(/(?:\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y, text, from)
  return text[at] === ',' ? at : undefined
}

/** Where the comments end that stand behind an offset in the same line; the offset itself when there are none. */
export function endOfRemark(text: string, from: number): number {
  return endOf(/(?:[ \t]*\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y, text, from)
}

function endOf(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from
  return from + (sticky.exec(text)?.[0].length ?? 0)
}
