export type { WordSink } from '../../core/search-writer.ts'

/** A word of the text. */
export const WORD = 0
/** A part of the word before it, at the same position: `effect` of `useEffect`, `node` of `node.js`. */
export const PART = 1
/** The last character of an unspaced run, which begins no pair; it lets one character be found wherever it stands. */
export const TAIL = 2
