import type { Paint } from './printer.ts'
import { printableText } from './table.ts'

/** Colours a unified diff line by line. */
export function colouredDiff(diff: string, paint: Paint): readonly string[] {
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      const text = printableText(line.replace(/\r$/, ''))
      if (/^(?:---|\+\+\+|diff |rename )/.test(line)) return paint('bold', text)
      if (line.startsWith('@@')) return paint('cyan', text)
      if (line.startsWith('+')) return paint('green', text)
      return line.startsWith('-') ? paint('red', text) : text
    })
}
