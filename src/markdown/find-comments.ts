import type { Flavour } from '../core/note.ts'
import { scanBlocks } from './blocks.ts'
import { pairComments, type Range } from './comments.ts'
import { InlineScanner } from './inline.ts'
import { LineIndex } from './line-index.ts'
import { LinkSink } from './link-sink.ts'

const FLAVOUR: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }

/** The comments (`%% … %%`) of a note's text from an offset on, in order; what stands in code is none. Linear, never throws. */
export function findComments(text: string, from: number): readonly Range[] {
  if (!text.includes('%%', from)) return []
  const lines = new LineIndex()
  const { runs, definitions } = scanBlocks(text, from, lines)
  const scanner = new InlineScanner(FLAVOUR, definitions, new LinkSink(lines, false))
  for (const run of runs) scanner.scan(text, run)
  return pairComments(scanner.commentMarks)
}
