import type { Flavour } from '../core/note.ts'
import { type Blocks, scanBlocks } from './blocks.ts'
import type { CommentMark } from './comments.ts'
import { InlineScanner } from './inline.ts'
import { LineIndex } from './line-index.ts'
import { LinkSink } from './link-sink.ts'

/** How everything is read here: the same whatever kind of vault a note stands in. */
const FLAVOUR: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }

export interface ScannedText extends Pick<Blocks, 'runs' | 'formulas'> {
  readonly commentMarks: readonly CommentMark[]
}

/** Reads a note's text from an offset on for what stands in it beside links; `onSpan` is told of each stretch and of the character that makes it one. Linear, never throws. */
export function scanInline(text: string, from: number, onSpan?: InlineScanner['onSpan']): ScannedText {
  const lines = new LineIndex()
  const { runs, definitions, formulas } = scanBlocks(text, from, lines)
  const scanner = new InlineScanner(FLAVOUR, definitions, new LinkSink(lines, false))
  scanner.onSpan = onSpan
  for (const run of runs) scanner.scan(text, run)
  return { runs, formulas, commentMarks: scanner.commentMarks }
}
