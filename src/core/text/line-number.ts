export function lineNumber(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** Returns the start of a 1-based line, counted from offset `from`, or `undefined` if there is no such line. */
export function startOfLineNumber(text: string, line: number, from = 0): number | undefined {
  let at = from
  for (let remaining = line - 1; remaining > 0; remaining--) {
    const end = text.indexOf('\n', at)
    if (end === -1) return undefined
    at = end + 1
  }
  return at
}
