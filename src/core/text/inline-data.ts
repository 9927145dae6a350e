import { MARKER } from './partial-reading.ts'

/** Inline data, such as pasted images. Nobody reads it. Short data costs little and stays. */
const DATA = /\b(data:[\w.+-]+\/[\w.+-]+(?:;[\w.+-]+(?:=[\w.+-]*)?)*;base64,)[\w+/=-]{100,}/gi

function mayHaveData(text: string): boolean {
  return text.includes(';base64,')
}

/** The text with inline data made spaces: everything else stays where it is. */
export function blankData(text: string): string {
  return mayHaveData(text) ? text.replace(DATA, (data) => ' '.repeat(data.length)) : text
}

/** A text without its inline data, and how its places and those of the whole text belong together (UTF-16 offsets). */
export interface WithoutData {
  readonly text: string
  /** A place within data becomes that after it. */
  readonly toShort: (at: number) => number
  readonly toWhole: (at: number) => number
}

/** Cuts inline data after its media type and adds the marker; `undefined` if there is none. */
export function cutData(whole: string): WithoutData | undefined {
  if (!mayHaveData(whole)) return undefined
  const ends: { readonly whole: number; readonly short: number }[] = []
  let cut = 0
  const text = whole.replace(DATA, (data: string, kind: string, at: number) => {
    const shown = kind + MARKER
    const short = at - cut + shown.length
    cut += data.length - shown.length
    ends.push({ whole: at + data.length, short })
    return shown
  })
  if (ends.length === 0) return undefined
  const from = (side: 'whole' | 'short', other: 'whole' | 'short') => (at: number) => {
    const before = ends.findLast((end) => end[side] <= at) ?? { whole: 0, short: 0 }
    const next = ends.find((end) => end[side] > at)
    const same = before[other] + (at - before[side])
    return next === undefined ? same : Math.min(same, next[other])
  }
  return { text, toShort: from('whole', 'short'), toWhole: from('short', 'whole') }
}
