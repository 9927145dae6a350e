import type { TextRange } from '../core/text/link-slots.ts'

const STOP = /[.!?…]/
const CLOSING = /["'”’»)\]*_]/
const CLOSING_CJK = /["'”’」』]/

export interface SentenceOptions {
  /** Checks whether a range is code. Sentences never end in code. */
  isOpaque?(start: number, end: number): boolean
  /** Checks whether a full stop ends the sentence even if a lowercase letter follows. */
  endsHere?(start: number, end: number): boolean
  /** Checks whether a line break ends the sentence. By default, it does. */
  endsAtBreak?(at: number): boolean
}

/**
 * Splits text into sentences, each including the white space that follows it. A full stop before a lowercase letter is treated as an
 * abbreviation. Runs in linear time.
 */
export function splitSentences(text: string, { isOpaque, endsHere, endsAtBreak }: SentenceOptions = {}): readonly TextRange[] {
  const sentences: TextRange[] = []
  let start = 0
  const endAt = (end: number): void => {
    if (end > start) sentences.push({ start, end })
    start = end
  }
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '\n') {
      if (endsAtBreak?.(at) !== false) endAt(at + 1)
      continue
    }
    const stop = isOpaque?.(at, at + 1) === true ? undefined : stopAt(text, at)
    if (stop === undefined) continue
    if (stop.isEnd || endsHere?.(at, stop.end) === true) endAt(stop.end)
    at = stop.end - 1
  }
  endAt(text.length)
  return sentences
}

/** Parses the punctuation at an offset and the white space that follows it. */
function stopAt(text: string, at: number): { readonly end: number; readonly isEnd: boolean } | undefined {
  const character = text.charAt(at)
  if (/[。！？]/.test(character)) return { end: spaceEnd(text, runEnd(text, at + 1, CLOSING_CJK)), isEnd: true }
  if (!STOP.test(character)) return undefined
  const sentenceEnd = runEnd(text, runEnd(text, at + 1, STOP), CLOSING)
  const end = spaceEnd(text, sentenceEnd)
  return { end, isEnd: end > sentenceEnd && /[^\p{Ll}\s]/u.test(characterAt(text, end)) }
}

function runEnd(text: string, from: number, kind: RegExp): number {
  let end = from
  while (kind.test(text.charAt(end))) end++
  return end
}

/** Returns the end of the white space at an offset, within the line. */
function spaceEnd(text: string, at: number): number {
  let end = at
  while (/[^\S\n]/.test(text.charAt(end))) end++
  return end
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0x61)
}
