import type { TextRange } from '../core/text/link-slots.ts'

/** A `%%` marker. */
export interface CommentMark {
  readonly at: number
  /** The marker is the first text on its line. */
  readonly first: boolean
  readonly run: number
}

/**
 * Pairs markers into comments. A comment that starts in the middle of a line must end in the same paragraph. A comment that starts
 * a line may end anywhere below. An unmatched marker is text.
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

/** Returns a function that finds the range that contains an offset. The function must be called with ascending offsets. */
export function rangeLookup(ranges: readonly TextRange[]): (offset: number) => TextRange | undefined {
  let i = 0
  return (offset) => {
    while (i < ranges.length && (ranges[i] as TextRange).end <= offset) i++
    const range = ranges[i]
    return range !== undefined && range.start <= offset ? range : undefined
  }
}
