import { MARKER } from './partial-reading.ts'

/** Inline data, such as a pasted image. Short data is kept, because it costs little. */
const DATA = /\b(data:[\w.+-]+\/[\w.+-]+(?:;[\w.+-]+(?:=[\w.+-]*)?)*;base64,)[\w+/=-]{100,}/gi

function mayHaveData(text: string): boolean {
  return text.includes(';base64,')
}

/** Replaces inline data with spaces, to keep other offsets. */
export function blankData(text: string): string {
  return mayHaveData(text) ? text.replace(DATA, (data) => ' '.repeat(data.length)) : text
}

/** A text without inline data, and functions that map UTF-16 offsets. */
export interface ShortenedData {
  readonly text: string
  /** Maps an offset. Those inside data map to its end. */
  readonly toShort: (at: number) => number
  readonly toWhole: (at: number) => number
}

/** Truncates inline data after its media type and adds `MARKER`. Returns `undefined` if the text contains no inline data. */
export function cutData(whole: string): ShortenedData | undefined {
  if (!mayHaveData(whole)) return undefined
  const ends: { readonly whole: number; readonly short: number }[] = []
  let cutLength = 0
  const text = whole.replace(DATA, (data: string, kind: string, at: number) => {
    const shortened = kind + MARKER
    const short = at - cutLength + shortened.length
    cutLength += data.length - shortened.length
    ends.push({ whole: at + data.length, short })
    return shortened
  })
  if (ends.length === 0) return undefined
  const from = (side: 'whole' | 'short', other: 'whole' | 'short') => (at: number) => {
    const before = ends.findLast((end) => end[side] <= at) ?? { whole: 0, short: 0 }
    const next = ends.find((end) => end[side] > at)
    const counterpart = before[other] + (at - before[side])
    return next === undefined ? counterpart : Math.min(counterpart, next[other])
  }
  return { text, toShort: from('whole', 'short'), toWhole: from('short', 'whole') }
}
