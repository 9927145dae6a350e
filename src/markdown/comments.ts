import type { TextRange } from '../core/text/link-slots.ts'

export interface CommentMark {
  readonly at: number
  /** True if the marker is the first text on its line. */
  readonly first: boolean
  readonly run: number
}

/**
 * Pairs comment markers. A comment that starts a line may span paragraphs. Any other comment must end in its paragraph. Unmatched
 * markers are text.
 */
export function pairComments(marks: readonly CommentMark[]): readonly TextRange[] {
  const ranges: TextRange[] = []
  for (let i = 0; i + 1 < marks.length; i++) {
    const open = marks[i] as CommentMark
    const close = marks[i + 1] as CommentMark
    if (!open.first && open.run !== close.run) continue
    ranges.push({ start: open.at, end: close.at + 2 })
    i++
  }
  return ranges
}

/** Returns a lookup, which must be called with ascending offsets. */
export function rangeLookup(ranges: readonly TextRange[]): (offset: number) => TextRange | undefined {
  let i = 0
  return (offset) => {
    while (i < ranges.length && (ranges[i] as TextRange).end <= offset) i++
    const range = ranges[i]
    return range !== undefined && range.start <= offset ? range : undefined
  }
}
