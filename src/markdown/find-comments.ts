import { pairComments, type Range } from './comments.ts'
import { scanInline } from './scan-inline.ts'

/** The comments (`%% … %%`) of a note's text from an offset on, in order; what stands in code is none. Linear, never throws. */
export function findComments(text: string, from: number): readonly Range[] {
  return text.includes('%%', from) ? pairComments(scanInline(text, from).commentMarks) : []
}
