import type { Phrase, WordTerm } from '../../../src/core/query.ts'
import type { Scoring } from '../../../src/search/words/rank.ts'
import { analyze, type Token } from '../../../src/search/words/scan.ts'
import { stemOf } from '../../../src/search/words/stem.ts'
import type { WordDocument } from './memory-pages.ts'

/** A keyword index that follows the definition: every question reads every document. */
export class NaiveIndex {
  readonly #documents: readonly {
    readonly key: number
    readonly language: string | undefined
    readonly title: readonly Token[][]
    readonly body: readonly Token[][]
  }[]

  constructor(documents: readonly WordDocument[]) {
    const read = (texts: readonly string[]): Token[][] => texts.map((text) => [...analyze(text)])
    this.#documents = documents.map(({ key, language, fields: { title, headings, body, tags, properties } }) => ({
      key,
      language,
      title: read(title),
      body: read([body, ...headings, ...tags, ...properties]),
    }))
  }

  keysWith(term: Pick<WordTerm, 'form' | 'match'>, field: 'any' | 'title'): number[] {
    return this.#keys(field, (text, language) => text.some((token) => isFoundBy(term, token, language)))
  }

  keysWithPhrase({ words }: Phrase, field: 'any' | 'title'): number[] {
    if (words.length === 0) return []
    return this.#keys(field, (text) =>
      text.some(({ position }) =>
        words.every((word) =>
          text.some((token) => {
            const fits = word.isPrefix ? token.form.startsWith(word.form) : token.form === word.form
            return fits && token.position === position + word.offset
          }),
        ),
      ),
    )
  }

  /** Returns the scores by key. */
  rank(terms: readonly WordTerm[], scoring: Scoring): Map<number, number> {
    const scores = new Map<number, number>()
    for (const field of ['title', 'body'] as const) {
      const lengths = this.#documents.map((document) => sum(document[field].map((text) => (text.at(-1)?.position ?? -1) + 1)))
      const average = Math.max(1, sum(lengths)) / this.#documents.length
      for (const term of terms) {
        const counts = this.#documents.map(
          (document) => document[field].flat().filter((token) => isFoundBy(term, token, document.language)).length,
        )
        const holders = counts.filter((count) => count > 0).length
        const idf = Math.log(1 + (this.#documents.length - holders + 0.5) / (holders + 0.5))
        this.#documents.forEach(({ key }, at) => {
          const { weight, k1, b } = scoring[field]
          const count = counts[at] ?? 0
          if (count === 0) return
          const norm = k1 * (1 - b + (b * (lengths[at] ?? 0)) / average)
          scores.set(key, (scores.get(key) ?? 0) + (term.count * weight * idf * count * (k1 + 1)) / (count + norm))
        })
      }
    }
    return scores
  }

  #keys(field: 'any' | 'title', holds: (text: readonly Token[], language: string | undefined) => boolean): number[] {
    return this.#documents
      .filter(({ title, body, language }) => {
        const fits = (text: readonly Token[]): boolean => holds(text, language)
        return title.some(fits) || (field === 'any' && body.some(fits))
      })
      .map(({ key }) => key)
      .sort((a, b) => a - b)
  }
}

/** A word matches if it has the same stem in the note's language. */
function isFoundBy({ form, match }: Pick<WordTerm, 'form' | 'match'>, token: Token, language: string | undefined): boolean {
  if (match === 'prefix') return token.form.startsWith(form)
  return match === 'stem' ? stemOf(token.form, language) === stemOf(form, language) : token.form === form
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
