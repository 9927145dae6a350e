import type { TextEdit } from '../changes.ts'

export function editText(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: inserted } of checked(edits, text.length)) {
    parts.push(text.slice(at, start), inserted)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Throws a `RangeError` if edits are out of order, overlap or exceed the text, which is a bug in the caller. */
export function checked(edits: readonly TextEdit[], length: number): readonly TextEdit[] {
  let last = 0
  for (const { start, end } of edits) {
    if (start < last || end < start || end > length) throw new RangeError(`Edits overlap or exceed the text at ${start}–${end}.`)
    last = end
  }
  return edits
}
