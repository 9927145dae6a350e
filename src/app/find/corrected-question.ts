import type { Embedder } from '../../core/embedder.ts'
import type { WordHits } from '../../core/search.ts'
import type { Snapshot } from '../../core/store.ts'
import { classAt, SPACED } from '../../search/words/fold-word.ts'
import { LETTERS } from '../../search/words/query-terms.ts'
import { analyze } from '../../search/words/scan.ts'
import type { Warning } from '../graph-core.ts'

/** Shorter words are not corrected, because too many words are similar to them. */
const MIN_WORD_LENGTH = 4
/** Shorter questions are not corrected. A single word has no context and is compared with titles only. */
const MIN_WORDS = 2
/** A question with more unknown words is probably about something that the vault does not contain. */
const MAX_UNKNOWN_WORDS = 1

/** A question in which unknown words have been replaced with similar words from the vault. */
export interface CorrectedQuestion {
  readonly text: string
  readonly corrections: readonly Correction[]
}

interface Correction {
  readonly typed: string
  readonly replacement: string
}

/**
 * Corrects the words of a question that no note contains. Each is replaced with the most common word of the index that differs
 * from it in one letter or in two swapped letters. A word that the embedder knows is only replaced with another word that it
 * knows, so "diary" is not replaced with "diaro". Returns `undefined` if nothing was corrected.
 */
export async function correctQuestion(
  snapshot: Snapshot,
  question: string,
  { hits: { terms }, embedder }: { readonly hits: WordHits; readonly embedder: Embedder | undefined },
): Promise<CorrectedQuestion | undefined> {
  const unknown = terms.filter(({ notes }) => notes === 0).map(({ word }) => word)
  if (terms.length < MIN_WORDS || unknown.length === 0 || unknown.length > MAX_UNKNOWN_WORDS) return undefined
  // In languages without spaces, a dictionary finds the words, so they contain no typos.
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
