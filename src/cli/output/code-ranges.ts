/** A stretch of code in a text of Markdown: UTF-16 offsets, `block` with the lines of its fences. */
export interface CodeRange {
  readonly start: number
  readonly end: number
  readonly kind: 'block' | 'span'
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Where a text holds code, in order. A block whose end was cut off goes on to the end of the text. */
export function codeRanges(text: string): readonly CodeRange[] {
  const ranges: CodeRange[] = []
  let fence: { readonly mark: string; readonly start: number } | undefined
  let proseFrom = 0
  let at = 0
  for (const line of text.split('\n')) {
    const end = at + line.length
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) {
      ranges.push(...spansIn(text, proseFrom, at))
      fence = { mark, start: at }
    } else if (fence !== undefined && mark?.startsWith(fence.mark) === true && line.trim() === mark) {
      ranges.push({ start: fence.start, end, kind: 'block' })
      fence = undefined
      proseFrom = end
    }
    at = end + 1
  }
  if (fence !== undefined) return [...ranges, { start: fence.start, end: text.length, kind: 'block' }]
  return [...ranges, ...spansIn(text, proseFrom, text.length)]
}

/** Code between runs of backquotes of one length. */
function spansIn(text: string, from: number, to: number): readonly CodeRange[] {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: from + index, length: run.length }))
  // For each run the next one that is as long: looked for from each, an article on Markdown would take quadratic time.
  const nextOf = new Map<number, number>()
  const last = new Map<number, number>()
  for (const [index, { length }] of runs.entries()) {
    const before = last.get(length)
    if (before !== undefined) nextOf.set(before, index)
    last.set(length, index)
  }
  const ranges: CodeRange[] = []
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index]
    const closing = nextOf.get(index)
    const close = closing === undefined ? undefined : runs[closing]
    if (open === undefined || close === undefined || closing === undefined) continue
    ranges.push({ start: open.at, end: close.at + close.length, kind: 'span' })
    index = closing
  }
  return ranges
}
