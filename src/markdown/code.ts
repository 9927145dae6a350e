import { scanBlocks } from './blocks.ts'
import { LineIndex } from './line-index.ts'
import { OpaqueSpans } from './prose/opaque-spans.ts'
import type { Run } from './prose/runs.ts'

export interface Code {
  readonly kind: 'fenced' | 'inline'
  readonly start: number
  readonly end: number
}

/** Finds code that every Markdown parser recognizes. The search stops at the first ambiguous construct. */
export function codeIn(text: string): readonly Code[] {
  if (!/[`~]/.test(text)) return []
  const { runs, fences } = scanBlocks(text, 0, new LineIndex())
  const codeSpans = [
    ...fences.map(({ start, end }): Code => ({ kind: 'fenced', start, end })),
    ...runs.flatMap((run) => (run.kind === 'html' ? [] : spansIn(text, run))),
  ].sort((a, b) => a.start - b.start)
  const certainUntil = doubtIn(text, codeSpans)
  return codeSpans.filter(({ kind, end }) => end <= certainUntil[kind])
}

/** Finds code spans, up to the first backtick that does not start one. */
function spansIn(text: string, { kind, start, end }: Run): readonly Code[] {
  const spans: Code[] = []
  const opaque = new OpaqueSpans()
  opaque.begin(text, end)
  let at = text.indexOf('`', start)
  while (at !== -1 && at < end) {
    const close = text[at - 1] === '\\' ? -1 : opaque.codeEnd(at)
    // A table cell ends at a pipe, even within code.
    if (close === -1 || (kind === 'row' && /(?<!\\)\|/.test(text.slice(at, close)))) return spans
    spans.push({ kind: 'inline', start: at, end: close })
    at = text.indexOf('`', close)
  }
  return spans
}

const SIGNS = /`|\$\$|\$(?=\S)|\[\[|\]\]|\n[ \t>]*(?=\n)/g

/** Formulas, wikilinks and paragraph ends are ambiguous, because parsers differ. */
function doubtIn(text: string, codeSpans: readonly Code[]): Readonly<Record<Code['kind'], number>> {
  let inline = text.length
  let formula: number | undefined
  let link: number | undefined
  let from = 0
  for (const { kind, start, end } of [...codeSpans, { kind: 'fenced', start: text.length, end: text.length }]) {
    for (const { 0: mark, index } of text.slice(from, start).matchAll(SIGNS)) {
      const at = from + index
      if (mark === '$$') return { fenced: at, inline: Math.min(inline, at) }
      if (mark === '`') inline = Math.min(inline, at)
      else if (mark === '$') formula ??= at
      else if (mark === '[[') link ??= at
      else if (mark === ']]') link = undefined
      else {
        formula = undefined
        link = undefined
      }
    }
    const code = text.slice(start, end)
    if (kind === 'inline' && formula !== undefined && code.includes('$')) inline = Math.min(inline, formula)
    if (kind === 'inline' && link !== undefined && code.includes(']]')) inline = Math.min(inline, link)
    from = end
  }
  return { fenced: text.length, inline }
}
