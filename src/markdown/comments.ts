/** A `%%` in the order of the file. */
export interface CommentMark {
  readonly at: number
  /** Nothing stands before it on its line. */
  readonly first: boolean
  /** Marks of one run share this. */
  readonly run: number
}

export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Pairs the marks to comments: one in the middle of a line ends in its own paragraph, one at the beginning of a line
 * anywhere below. A mark without a partner is text.
 */
export function pairComments(marks: readonly CommentMark[]): readonly Range[] {
  const ranges: Range[] = []
  for (let i = 0; i + 1 < marks.length; i++) {
    const open = marks[i] as CommentMark
    const close = marks[i + 1] as CommentMark
    if (!open.first && open.run !== close.run) continue
    ranges.push({ start: open.at, end: close.at + 2 })
    i++
  }
  return ranges
}

/** Finds the range that an offset lies in; asked in ascending order. */
export function rangeLookup(ranges: readonly Range[]): (offset: number) => Range | undefined {
  let i = 0
  return (offset) => {
    while (i < ranges.length && (ranges[i] as Range).end <= offset) i++
    const range = ranges[i]
    return range !== undefined && range.start <= offset ? range : undefined
  }
}
