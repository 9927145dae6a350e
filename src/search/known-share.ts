import type { Coverage } from '../core/embedder.ts'

/** The weight of meaning for a question, as a share of its weight in a known language. */
export interface KnownShare {
  /** In the order of notes. */
  readonly order: number
  /** In how certain it is that the question is answered at all; at most `order`. */
  readonly certainty: number
}

/** Where all is known, or an embedder does not tell. */
export const ALL_KNOWN: KnownShare = { order: 1, certainty: 1 }

/**
 * Below the first bound meaning has no weight, above the second its full weight. Chosen on every second of 34 languages
 * and as good on the others: languages known by single letters lie below .25, those in Latin letters above .7. Words in
 * parts still rank notes in one language, but do not show that none is near: English has .9 words per part, others .3
 * to .65.
 */
const NONE = 0.5
const ALL = 0.75

/**
 * The weight of meaning for a question and the notes with some of its words: both must be in a known language. Without
 * such notes (`undefined`) only meaning remains.
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

/** Whether a text's language is known well enough to compare by meaning. */
export function isKnown({ meaning }: Coverage): boolean {
  return meaning > NONE
}

function ramp(value: number): number {
  return Math.min(1, Math.max(0, (value - NONE) / (ALL - NONE)))
}
