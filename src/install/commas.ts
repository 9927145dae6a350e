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
