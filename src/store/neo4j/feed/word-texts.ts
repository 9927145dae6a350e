import type { AnalysedText } from '../../../core/search-writer.ts'

/** A text's words as the index of words takes them. */
export interface WordTexts {
  /** A stem for each word, separated by blanks. */
  readonly stems: string
  /** `/ ` before each position, then the forms that stand there, each with a blank behind it; `/` at the end. */
  readonly forms: string
}

/** Writes the words of a text down. */
export function wordTexts(text: AnalysedText, stemOf: (form: string) => string): WordTexts {
  const stems: string[] = []
  const forms: string[] = []
  let at = -1
  text((form, _kind, position) => {
    for (; at < position; at++) forms.push('/')
    forms.push(form)
    stems.push(stemOf(form))
  })
  forms.push('/')
  return { stems: stems.join(' '), forms: forms.join(' ') }
}
