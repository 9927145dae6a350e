import type { TextRange } from '../core/text/link-slots.ts'
import { codeIn } from '../markdown/code.ts'
import { findComments } from '../markdown/inline-spans.ts'
import { blanked } from './source.ts'

/** A range of lines in a note that is shown to a model. */
export interface Passage {
  readonly id: string
  readonly title: string
  /** Headings above the part of the note, outermost first. */
  readonly heading: readonly string[]
  /** 1-based lines of the file, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** Text of these lines as it appears in the file. */
  readonly text: string
  /** Comments in the text, which are hidden from the model. */
  readonly hidden: readonly TextRange[]
}

/** Finds `%%` and HTML comments outside code, in order of appearance. */
export function findHidden(text: string): readonly TextRange[] {
  const html = text.includes('<!--') ? htmlCommentsIn(text) : []
  const all = [...findComments(text, 0), ...html].sort((a, b) => a.start - b.start)
  let end = 0
  return all.flatMap(({ start, end: to }) => {
    const from = Math.max(start, end)
    end = Math.max(end, to)
    return from < to ? [{ start: from, end: to }] : []
  })
}

function htmlCommentsIn(text: string): readonly TextRange[] {
  const spans: TextRange[] = []
  const codes = codeIn(text)
  let code = 0
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', at)) {
    while ((codes[code]?.end ?? text.length) <= at) code++
    const inCode = codes[code]
    if (inCode !== undefined && inCode.start <= at) {
      at = inCode.end
      continue
    }
    const close = text.indexOf('-->', at + 4)
    // An unclosed comment at the start of a line hides the rest of the note.
    const begins = /(?:^|\n)[ \t]{0,3}$/.test(text.slice(Math.max(0, at - 4), at))
    if (close < 0 && !begins) break
    const end = close < 0 ? text.length : close + 3
    spans.push({ start: at, end })
    at = end
  }
  return spans
}

/** Clips spans to a range and makes them relative to its start. */
export function spansWithin(spans: readonly TextRange[], { start, end }: TextRange): readonly TextRange[] {
  return spans.flatMap((span) => {
    const [from, to] = [Math.max(span.start, start), Math.min(span.end, end)]
    return from < to ? [{ start: from - start, end: to - start }] : []
  })
}

/** Returns the text of a passage without comments. */
export function visibleText({ text, hidden }: Pick<Passage, 'text' | 'hidden'>): string {
  if (hidden.length === 0) return text
  const lines = blanked(text, hidden, '').split('\n')
  return lines.flatMap((line, at) => (line.trim() === '' && lines[at - 1]?.trim() === '' ? [] : [line.trimEnd()])).join('\n')
}
