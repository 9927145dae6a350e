export interface Run {
  readonly kind: 'text' | 'heading' | 'row' | 'html'
  readonly start: number
  readonly end: number
  /** The start and end offsets of the blockquote markers inside the run. */
  readonly gaps: readonly number[] | undefined
  readonly heading: HeadingBlock | undefined
}

export interface HeadingBlock {
  readonly level: number
  /** The end of the heading's last line, which is the underline in a setext heading. */
  readonly lineEnd: number
  readonly isSetext: boolean
  readonly isNested: boolean
}

export class OpenSpan {
  start = 0
  end = 0
  lastLine = 0
  beforeLast = 0
  gaps: number[] | undefined

  begin(from: number, eol: number): void {
    this.start = from
    this.end = eol
    this.lastLine = from
    this.beforeLast = from
    this.gaps = undefined
  }

  extend(from: number, eol: number): void {
    this.beforeLast = this.end
    this.lastLine = from
    this.end = eol
  }

  addGap(from: number, to: number): void {
    this.gaps ??= []
    this.gaps.push(from, to)
  }
}

/** Replaces the gaps with spaces, so offsets stay the same. */
export function maskGaps(text: string, start: number, end: number, gaps: readonly number[]): string {
  let masked = ''
  let at = start
  for (let i = 0; i + 1 < gaps.length; i += 2) {
    const from = gaps[i] as number
    const to = gaps[i + 1] as number
    if (to > end) break
    if (from < at) continue
    masked += text.slice(at, from) + ' '.repeat(to - from)
    at = to
  }
  return masked + text.slice(at, end)
}

export function headingText(text: string, { start, end, gaps }: Run): string {
  const source = gaps ? maskGaps(text, start, end, gaps) : text.slice(start, end)
  if (!source.includes('\n')) return source.trim()
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
