import type { Flavour } from '../core/note.ts'
import { scanBlocks } from './blocks.ts'
import { DOLLAR } from './chars.ts'
import type { Range } from './comments.ts'
import { InlineScanner } from './inline.ts'
import { LineIndex } from './line-index.ts'
import { LinkSink } from './link-sink.ts'

const FLAVOUR: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }

/** The formulas (`$…$`, `$$…$$`) of a note's text from an offset on, with their marks, in order; what stands in code is none. Linear, never throws. */
export function findFormulas(text: string, from: number): readonly Range[] {
  if (!text.includes('$', from)) return []
  const lines = new LineIndex()
  const { runs, definitions, formulas } = scanBlocks(text, from, lines)
  const found = [...formulas]
  const scanner = new InlineScanner(FLAVOUR, definitions, new LinkSink(lines, false))
  scanner.onSpan = (start, end, mark) => {
    // Marks that nothing ends are spans, too.
    if (mark === DOLLAR && /[^$]/.test(text.slice(start, end))) found.push({ start, end })
  }
  for (const run of runs) scanner.scan(text, run)
  return found.sort((a, b) => a.start - b.start)
}
