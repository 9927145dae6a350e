import type { WordKey } from './index/segment.ts'
import type { Slots } from './index/slots.ts'
import { FieldScore, inverseDocumentFrequency, type Scoring } from './scoring.ts'

/** Adds up the scores of all documents, one word after the other; 24 bytes a slot. */
export class Accumulator {
  /** Live documents. */
  readonly documents: number
  /** Above every score. */
  maxScore = 0
  readonly scores: Float32Array
  /** The idf of the words that a document holds. */
  readonly masses: Float32Array
  readonly #slots: Slots
  readonly #scoring: Scoring
  readonly #averages: { readonly title: number; readonly body: number }
  /** Counts of the word that is being added, all 0 between words, and the slots that hold it. */
  readonly #title: Uint32Array
  readonly #body: Uint32Array
  readonly #holders: Uint32Array
  #held = 0
  readonly #touched: Uint32Array
  #touchedCount = 0

  constructor(slots: Slots, scoring: Scoring) {
    this.#slots = slots
    this.#scoring = scoring
    this.scores = new Float32Array(slots.size)
    this.masses = new Float32Array(slots.size)
    this.#title = new Uint32Array(slots.size)
    this.#body = new Uint32Array(slots.size)
    this.#holders = new Uint32Array(slots.size)
    this.#touched = new Uint32Array(slots.size)
    const total = { documents: 0, title: 0, body: 0 }
    for (const { liveCount, titleWords, bodyWords } of slots.segments) {
      total.documents += liveCount
      total.title += titleWords
      total.body += bodyWords
    }
    this.documents = total.documents
    const all = Math.max(total.documents, 1)
    this.#averages = { title: Math.max(total.title, 1) / all, body: Math.max(total.body, 1) / all }
  }

  /** Slots that hold a word, in the order found. */
  get touched(): Uint32Array {
    return this.#touched.subarray(0, this.#touchedCount)
  }

  /** Adds a word's share to every document that holds it; returns their number. */
  add(word: WordKey, count: number): number {
    this.#held = 0
    for (const at of this.#slots.segments.keys()) this.#gather(at, word)
    if (this.#held > 0) this.#score(count)
    return this.#held
  }

  #gather(at: number, word: WordKey): void {
    const { segments, bases } = this.#slots
    const segment = segments[at]
    if (segment === undefined) return
    const base = bases[at] as number
    const { live } = segment
    const title = this.#title
    const body = this.#body
    segment.visit(word, (entry) => {
      const postings = segment.postings(entry)
      while (postings.next()) {
        if (live[postings.ordinal] === 0) continue
        const slot = base + postings.ordinal
        if (title[slot] === 0 && body[slot] === 0) this.#holders[this.#held++] = slot
        if (postings.title > 0) title[slot] = (title[slot] as number) + postings.title
        body[slot] = (body[slot] as number) + postings.body
      }
    })
  }

  #score(count: number): void {
    const holders = this.#holders.subarray(0, this.#held)
    const { inTitle, inBody } = this.#documentFrequencies(holders)
    const title = new FieldScore(this.#scoring.title, this.#averages.title, count * this.idf(inTitle))
    const body = new FieldScore(this.#scoring.body, this.#averages.body, count * this.idf(inBody))
    this.#addBodies(holders, body)
    if (inTitle > 0) this.#addTitles(holders, title)
    this.maxScore += (inTitle > 0 ? title.max : 0) + (inBody > 0 ? body.max : 0)
  }

  #documentFrequencies(holders: Uint32Array): { readonly inTitle: number; readonly inBody: number } {
    const title = this.#title
    const body = this.#body
    let inTitle = 0
    let inBody = 0
    for (const slot of holders) {
      if (title[slot] !== 0) inTitle++
      if (body[slot] !== 0) inBody++
    }
    return { inTitle, inBody }
  }

  #addBodies(holders: Uint32Array, body: FieldScore): void {
    const { scores, masses } = this
    const counts = this.#body
    const lengths = this.#slots.bodyLengths
    const mass = this.idf(holders.length)
    for (const slot of holders) {
      if (masses[slot] === 0) this.#touched[this.#touchedCount++] = slot
      masses[slot] = (masses[slot] as number) + mass
      scores[slot] = (scores[slot] as number) + body.of(counts[slot] as number, lengths[slot] as number)
      counts[slot] = 0
    }
  }

  #addTitles(holders: Uint32Array, title: FieldScore): void {
    const { scores } = this
    const counts = this.#title
    const lengths = this.#slots.titleLengths
    for (const slot of holders) {
      if (counts[slot] === 0) continue
      scores[slot] = (scores[slot] as number) + title.of(counts[slot] as number, lengths[slot] as number)
      counts[slot] = 0
    }
  }

  /** The idf of a word that so many live documents hold. */
  idf(documents: number): number {
    return inverseDocumentFrequency(documents, this.documents)
  }
}
