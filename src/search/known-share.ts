import type { Coverage } from '../core/embedder.ts'

/** What meaning may say of a question, as a share of what it says where everything is known. */
export interface KnownShare {
  /** In the order of notes. */
  readonly order: number
  /** In how certain it is that the question is answered at all; at most `order`. */
  readonly certainty: number
}

/** Where all is known, or an embedder does not tell. */
export const ALL_KNOWN: KnownShare = { order: 1, certainty: 1 }

/**
 * Up to the first meaning says nothing, from the second on all that it can. Chosen on every second of 34 languages, and as good on the
 * others: those of which single letters are known lie below .25, those in Latin letters above .7. Words in parts still tell which of the
 * notes in one language are near, but hardly that none is, as another language has other parts: English has .9 words a part, others
 * .3 to .65.
 */
const NONE = 0.5
const ALL = 0.75

/**
 * What meaning may say of a question and of notes that have some of its words: these can be near only where both are known. Without
 * such notes (`undefined`) there is nothing but meaning to go by.
 */
export function knownShare(question: Coverage, notes: Coverage | undefined): KnownShare {
  const share = (text: Coverage): KnownShare => ({ order: ramp(text.meaning), certainty: ramp(text.whole) })
  const asked = share(question)
  if (notes === undefined) return { order: asked.order, certainty: asked.order }
  const there = share(notes)
  const order = asked.order * there.order
  return { order, certainty: Math.min(order, asked.certainty * there.certainty) }
}

/** More than one letter, between digits, punctuation and spaces. */
const WORD = /[\p{L}\p{M}]{2,}/gu

/** The words in names of notes. Numbers, dates and single letters such as the `d` of `d123` say nothing about the language of a note. */
export function wordsOfNames(names: readonly string[]): string {
  return names.flatMap((name) => name.match(WORD) ?? []).join(' ')
}

/** Whether a text is known well enough to be compared by meaning at all. */
export function isKnown({ meaning }: Coverage): boolean {
  return meaning > NONE
}

function ramp(value: number): number {
  return Math.min(1, Math.max(0, (value - NONE) / (ALL - NONE)))
}
