import { type Corpus, CorpusBuilder } from '../../src/insight/corpus.ts'
import { noteRecord } from '../../src/insight/note-record.ts'

/** A note of a corpus: the text of its body, its title and its aliases. */
export interface CorpusNote {
  readonly text: string
  readonly names?: readonly string[]
}

export function corpusOf(notes: readonly CorpusNote[]): Corpus {
  const builder = new CorpusBuilder()
  for (const { text, names = [] } of notes) builder.add(noteRecord({ text, bodyStart: 0 }), names)
  return builder.build()
}
