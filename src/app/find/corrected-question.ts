import type { Embedder } from '../../core/embedder.ts'
import type { WordHits } from '../../core/search.ts'
import type { Snapshot } from '../../core/store.ts'
import { classAt, SPACED } from '../../search/words/fold-word.ts'
import { LETTERS } from '../../search/words/query-terms.ts'
import { analyze } from '../../search/words/scan.ts'
import type { Warning } from '../graph-core.ts'

/** A shorter word is similar to too many other words. */
const MIN_WORD_LENGTH = 4
const MIN_WORDS = 2
/** A question with more unknown words than this is probably off-topic. */
const MAX_UNKNOWN_WORDS = 1

export interface CorrectedQuestion {
  readonly text: string
  readonly corrections: readonly Correction[]
}

interface Correction {
  readonly typed: string
  readonly replacement: string
}

/**
 * Replaces each unknown word with the most common indexed word at edit distance 1, but never a word that the embedder knows with
 * one that it does not know. Returns `undefined` if nothing changed.
 */
export async function correctQuestion(
  snapshot: Snapshot,
  question: string,
  { hits: { terms }, embedder }: { readonly hits: WordHits; readonly embedder: Embedder | undefined },
): Promise<CorrectedQuestion | undefined> {
  const unknown = terms.filter(({ notes }) => notes === 0).map(({ word }) => word)
  if (terms.length < MIN_WORDS || unknown.length === 0 || unknown.length > MAX_UNKNOWN_WORDS) return undefined
  // A dictionary segments languages without spaces, so their words contain no typos.
  const misspelled = unknown.filter((word) => word.length >= MIN_WORD_LENGTH && LETTERS.test(word) && classAt(word, 0) === SPACED)
  if (misspelled.length === 0) return undefined
  const near = await snapshot.wordsNear(misspelled)
  const knows = (word: string): boolean => embedder?.knowsWord?.(word) === true
  const replacementByWord = new Map(
    misspelled.flatMap((word, at) => {
      const [nearest] = near[at] ?? []
      return nearest === undefined || (knows(word) && !knows(nearest.word)) ? [] : [[word, nearest.word] as const]
    }),
  )
  const corrections: Correction[] = []
  let text = ''
  let from = 0
  for (const { kind, form, start, end } of analyze(question)) {
    const word = kind === 'word' ? replacementByWord.get(form) : undefined
    if (word === undefined) continue
    corrections.push({ typed: question.slice(start, end), replacement: word })
    text += question.slice(from, start) + word
    from = end
  }
  return corrections.length === 0 ? undefined : { text: text + question.slice(from), corrections }
}

export function correctionWarning({ corrections }: CorrectedQuestion): Warning {
  const changes = corrections.map(
    ({ typed, replacement }) => `${JSON.stringify(replacement)} instead of ${JSON.stringify(typed)}`,
  )
  return { code: 'FALLBACK', message: `Searched for ${changes.join(' and ')}, which no note contains.` }
}
