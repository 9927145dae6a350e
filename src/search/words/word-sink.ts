/** A word of the text. */
export const WORD = 0
/** A part of the word before it, at the same position: `effect` of `useEffect`, `node` of `node.js`. */
export const PART = 1
/** The last character of an unspaced run, which begins no pair; it lets one character be found wherever it stands. */
export const TAIL = 2

/**
 * Takes a word: its form, what it is (`WORD`, `PART`, `TAIL`), its position (counted in words) and its UTF-16 offsets.
 * Positions never descend; a position has one `WORD` or one `TAIL`, then its parts.
 */
export type WordSink = (form: string, kind: number, position: number, start: number, end: number) => void
