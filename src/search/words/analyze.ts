import { scanWords } from './scan.ts'
import { stemOf } from './stem.ts'
import { isStopWord } from './stop-words.ts'
import { PART, TAIL } from './word-sink.ts'

/** One word of a text as the index knows it. */
export interface Token {
  /** Folded: lower case, without accents. */
  readonly form: string
  readonly stem: string
  /** `part`: of the word before it, at the same position. `tail`: the last character of a run in a script without spaces. */
  readonly kind: 'word' | 'part' | 'tail'
  /** In words, from 0. */
  readonly position: number
  /** UTF-16 offsets. */
  readonly start: number
  readonly end: number
  readonly isStopWord: boolean
}

/** All words of a text, in order. For large texts `scanWords` is cheaper. */
export function analyze(text: string): readonly Token[] {
  const tokens: Token[] = []
  scanWords(text, (form, kind, position, start, end) => {
    const name = kind === PART ? 'part' : kind === TAIL ? 'tail' : 'word'
    tokens.push({ form, stem: stemOf(form), kind: name, position, start, end, isStopWord: isStopWord(form) })
  })
  return tokens
}
