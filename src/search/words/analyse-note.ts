import type { AnalysedText, NoteWords } from '../../core/search-writer.ts'
import { scanWords } from './scan.ts'

/** The indexed fields of a note. */
export interface NoteFields {
  /** The title and each alias. */
  readonly title: readonly string[]
  /** Counted once more than where they stand in the body. */
  readonly headings: readonly string[]
  readonly body: string
  readonly tags: readonly string[]
  readonly properties: readonly string[]
}

/** Gap in positions between two texts of a field; no phrase crosses it. */
const GAP = 4

/** A note's fields as the words that an index takes. */
export function analyseNote({ title, headings, body, tags, properties }: NoteFields): Pick<NoteWords, 'title' | 'body'> {
  return { title: wordsOf(title), body: wordsOf([body, ...headings, ...tags, ...properties]) }
}

function wordsOf(texts: readonly string[]): AnalysedText {
  return (sink) => {
    let position = 0
    let words = 0
    for (const text of texts) {
      const end = scanWords(text, sink, position)
      words += end - position
      if (end > position) position = end + GAP
    }
    return words
  }
}
