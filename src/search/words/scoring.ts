/** BM25 of one field: Robertson, Zaragoza, The probabilistic relevance framework: BM25 and beyond, 2009. */
export interface FieldScoring {
  /** The weight of the field, 0 or more. */
  readonly weight: number
  /** How fast more of the same word stops mattering, above 0. */
  readonly k1: number
  /** How much long fields are discounted, 0–1. */
  readonly b: number
}

export interface Scoring {
  readonly title: FieldScoring
  readonly body: FieldScoring
}

/**
 * Round numbers on plateaus: mean nDCG@10 of cacm, cranfield and scifact is .530; between .526 and .531 with
 * k1 from .9 to 1.2 and the body's b from .3 to .6, .520–.525 with the title's weight 1, .495 without the title.
 */
export const DEFAULT_SCORING: Scoring = {
  title: { weight: 0.75, k1: 1.2, b: 0.75 },
  body: { weight: 1, k1: 1.2, b: 0.5 },
}

/** How telling a word is that stands in so many of all documents; above 0. */
export function inverseDocumentFrequency(documents: number, all: number): number {
  return Math.log(1 + (Math.max(all - documents, 0) + 0.5) / (documents + 0.5))
}

/** The contribution of one word to the documents with it in a field. */
export class FieldScore {
  /** Above every score. */
  readonly max: number
  readonly #flat: number
  readonly #sloped: number

  constructor({ weight, k1, b }: FieldScoring, averageLength: number, idf: number) {
    this.max = weight * (k1 + 1) * idf
    this.#flat = k1 * (1 - b)
    this.#sloped = (k1 * b) / averageLength
  }

  of(count: number, length: number): number {
    return count === 0 ? 0 : (this.max * count) / (count + this.#flat + this.#sloped * length)
  }
}
