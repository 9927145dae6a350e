import type { WordTerm } from '../../core/query.ts'
import { type CompoundWords, joinsCompounds, joinWords, splitCompound } from './germanic-compound.ts'
import type { Slots, WordKey } from './index/segment.ts'
import { idOf, toTerm } from './query-terms.ts'
import { isStopWord, stemOf } from './stem.ts'

/** Limit for keys, so a double can hold a key and the 31 bits of a score. */
const KEYS = 2 ** 22

const MAX_BITS = 2 ** 31 - 1

/** The low bits of a score that the preselection ignores. They change the score by less than 1 %. */
const HIDDEN_BITS = 16

/**
 * The values are rounded. With k1 from .9 to 1.2 and b from .3 to .6 for the body, the mean nDCG@10 on CACM, Cranfield and
 * SciFact is .526–.531. With a title weight of 1, it is .520–.525; without titles, .495.
 */
export const DEFAULT_SCORING: Scoring = {
  title: { weight: 0.75, k1: 1.2, b: 0.75 },
  body: { weight: 1, k1: 1.2, b: 0.5 },
}

/** If a query has more distinct words, only the rarest are used. */
export const MAX_TERMS = 200

export interface RankOptions {
  readonly limit: number
  readonly accept?: (key: number) => boolean
  readonly scoring?: Scoring
  /** Returns all hits with the same score as the last one, for callers that order ties. */
  readonly withTies?: boolean
}

export interface WordHit {
  readonly key: number
  /** The score is between 0 and `Ranking.maxScore`, exclusive. */
  readonly score: number
  /** The idf of the query's words in the document, as a share of the idf of all query words, 0–1. */
  readonly matched: number
}

export interface TermFact {
  readonly term: WordTerm
  readonly documents: number
  readonly idf: number
}

export interface Ranking {
  /** The best hits come first. Ties are ordered by key. */
  readonly hits: readonly WordHit[]
  /**
   * The words that were looked up, in query order. Parts replace a word that does not occur in the vault. Other parts and
   * compounds come last.
   */
  readonly terms: readonly TermFact[]
  /**
   * The idf of the query's words that occur in the vault, as a share of the idf of all query words, 0–1. It is 0 for a query
   * without words.
   */
  readonly coverage: number
  /** An upper bound of the scores, so `score / maxScore` can be compared between queries. It is 0 if no word occurs. */
  readonly maxScore: number
}

/** Ranks live documents by the sum of the BM25 scores of both fields. */
export function rankTerms(slots: Slots, query: readonly WordTerm[], options: RankOptions): Ranking {
  const accumulator = new Accumulator(slots, options.scoring ?? DEFAULT_SCORING)
  const boundedTerms = withinBounds(slots, query)
  const terms: TermFact[] = []
  const extra: TermFact[] = []
  const ids = new Set(boundedTerms.map(idOf))
  const takeNew = (parts: readonly WordTerm[]): readonly WordTerm[] => {
    const partsById = new Map(parts.map((part) => [idOf(part), part]))
    for (const id of ids) partsById.delete(id)
    for (const id of partsById.keys()) ids.add(id)
    return [...partsById.values()]
  }
  const addExtra = (term: WordTerm, share: number, massIn: MassIn): number => {
    const documents = accumulator.add(term, share * term.count, massIn)
    const idf = accumulator.idf(documents)
    // The number is 0 if all documents with the word have been deleted.
    if (documents > 0) extra.push({ term, documents, idf })
    return idf
  }
  const words = compoundWords(slots, boundedTerms)
  const typedWords = words === undefined ? undefined : new TypedWords(slots.size)
  const add = (term: WordTerm): void => {
    const documents = accumulator.add(term, term.count)
    typedWords?.mark(term, accumulator.holders)
    const ofCompound = term.match === 'stem' && words !== undefined ? termsOf(splitCompound(term.form, words), term.count) : []
    const parts = term.parts.length > 0 ? term.parts : ofCompound
    if (documents > 0 || parts.length === 0) terms.push({ term, documents, idf: accumulator.idf(documents) })
    if (documents === 0) takeNew(parts).forEach(add)
    else if (typedWords !== undefined) {
      let remainingIdf = accumulator.idf(documents)
      for (const part of takeNew(ofCompound)) {
        remainingIdf -=
          PART * addExtra(part, PART, typedWords.massOfPart(part, { compound: term, parts: ofCompound, left: remainingIdf }))
        typedWords.mark(part, accumulator.holders)
      }
    }
  }
  boundedTerms.forEach(add)
  const mass = idfOf(terms)
  if (words !== undefined && typedWords !== undefined) {
    const idfs = new Map(terms.map(({ term, idf }) => [idOf(term), idf]))
    for (const { pair, compounds } of joinedTerms(boundedTerms, words)) {
      for (const compound of takeNew(compounds)) {
        addExtra(compound, JOINED, (slot) =>
          typedWords.missing(slot, pair).reduce((sum, term) => sum + (idfs.get(idOf(term)) ?? 0), 0),
        )
        for (const term of pair) typedWords.mark(term, accumulator.holders)
      }
    }
  }
  const accepted = acceptedOf(accumulator.touched, slots, options.accept)
  const { withTies = false } = options
  const best = bestSlots(accepted, options.limit, { scores: accumulator.scores, keys: slots.keys, withTies })
  return {
    hits: best.map((slot) => ({
      key: slots.keys[slot] as number,
      score: accumulator.scores[slot] as number,
      matched: Math.min(1, (accumulator.masses[slot] as number) / mass),
    })),
    terms: [...terms, ...extra],
    coverage: mass === 0 ? 0 : idfOf(terms.filter(({ documents }) => documents > 0)) / mass,
    maxScore: accumulator.maxScore,
  }
}

/** The weight of a part of a compound that occurs in the vault. A word has the weight 1. */
const PART = 0.3

/** The weight of a compound of two query words. In `matched`, a compound counts as both words. */
const JOINED = 0.6

type MassIn = (slot: number, idf: number) => number

/** Records the query words of each document, including parts of compounds. */
class TypedWords {
  readonly #bits: Uint32Array
  readonly #bitOf = new Map<string, number>()

  constructor(slots: number) {
    this.#bits = new Uint32Array(slots)
  }

  /** Each document has 32 bits, so only the first 32 words are recorded. */
  mark(term: WordTerm, holders: Uint32Array): void {
    const bit = this.#bitOf.get(idOf(term)) ?? this.#bitOf.size
    if (bit >= MAX_MARKED) return
    this.#bitOf.set(idOf(term), bit)
    for (const slot of holders) this.#bits[slot] = (this.#bits[slot] as number) | (1 << bit)
  }

  missing(slot: number, terms: readonly WordTerm[]): readonly WordTerm[] {
    return terms.filter((term) => {
      const bit = this.#bitOf.get(idOf(term))
      return bit === undefined || ((this.#bits[slot] as number) & (1 << bit)) === 0
    })
  }

  /** Returns the weight of a part of a compound. All parts add up to the compound's idf, but a single part adds little. */
  massOfPart(
    part: WordTerm,
    { compound, parts, left }: { readonly compound: WordTerm; readonly parts: readonly WordTerm[]; readonly left: number },
  ): MassIn {
    const others = parts.filter((other) => idOf(other) !== idOf(part))
    return (slot, idf) => {
      if (this.missing(slot, [compound]).length === 0) return 0
      return this.missing(slot, others).length === 0 ? left : PART * idf
    }
  }
}

const MAX_MARKED = 32

/** A longer query has enough words without compounds. Joining two words takes forty lookups. */
const MAX_SPLIT = 20
const MAX_JOINED = 4

/**
 * Looks up compounds in the language of the query or, if it is unclear, of the vault.
 * @returns undefined for long queries, and languages without compounds
 */
function compoundWords({ segments, language: mainLanguage }: Slots, terms: readonly WordTerm[]): CompoundWords | undefined {
  const language = terms.find((term) => term.language !== undefined)?.language ?? mainLanguage
  if (terms.length > MAX_SPLIT || !joinsCompounds(language)) return undefined
  return { language, frequencyOf: (stem) => segments.reduce((sum, segment) => sum + segment.sizeIn(language, stem), 0) }
}

interface JoinedTerms {
  readonly pair: readonly [WordTerm, WordTerm]
  readonly compounds: readonly WordTerm[]
}

function joinedTerms(terms: readonly WordTerm[], words: CompoundWords): readonly JoinedTerms[] {
  const joinable = terms.filter(({ form }) => !isStopWord(form, words.language))
  if (joinable.length > MAX_JOINED) return []
  return joinable.slice(1).map((term, at) => {
    const before = joinable[at] as WordTerm
    return { pair: [before, term], compounds: termsOf(joinWords(before.form, term.form, words)) }
  })
}

function termsOf(forms: readonly string[], count = 1): readonly WordTerm[] {
  return forms.map((form) => ({ ...toTerm({ form, stem: stemOf(form) }, 'stem'), count }))
}

function acceptedOf(slotsTouched: Uint32Array, { keys }: Slots, accept: RankOptions['accept']): Uint32Array {
  if (accept === undefined) return slotsTouched
  let count = 0
  for (const slot of slotsTouched) if (accept(keys[slot] as number)) slotsTouched[count++] = slot
  return slotsTouched.subarray(0, count)
}

function idfOf(terms: readonly TermFact[]): number {
  return terms.reduce((mass, { idf }) => mass + idf, 0)
}

function withinBounds(slots: Slots, query: readonly WordTerm[]): readonly WordTerm[] {
  if (query.length <= MAX_TERMS) return query
  const sizes = new Map(query.map((term) => [term, listBytes(slots, term)]))
  const rarest = [...query].sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0)).slice(0, MAX_TERMS)
  const keptTerms = new Set(rarest)
  return query.filter((term) => keptTerms.has(term))
}

/** Returns the size of a term's lists in bytes, including dead documents. The lists are not decoded. */
function listBytes({ segments }: Slots, term: WordTerm): number {
  let bytes = 0
  for (const segment of segments) {
    segment.visit(term, ({ postings }) => {
      bytes += postings.end - postings.start
    })
  }
  return bytes
}

/** A document whose sum is 0 would not count as found. */
const MIN_MASS = 1e-9

interface Columns {
  readonly scores: Float32Array
  readonly masses: Float32Array
  readonly title: Uint32Array
  readonly body: Uint32Array
  readonly holders: Uint32Array
  readonly touched: Uint32Array
}

const columnsOf = new WeakMap<Slots, Columns>()

/** Returns arrays for a query. Those of earlier queries are reused, because they take megabytes in a large vault. */
function columnsFor(slots: Slots): Columns {
  const cached = columnsOf.get(slots)
  if (cached !== undefined) {
    for (const column of [cached.scores, cached.masses, cached.title, cached.body]) column.fill(0)
    return cached
  }
  const { size } = slots
  const columns = {
    scores: new Float32Array(size),
    masses: new Float32Array(size),
    title: new Uint32Array(size),
    body: new Uint32Array(size),
    holders: new Uint32Array(size),
    touched: new Uint32Array(size),
  }
  columnsOf.set(slots, columns)
  return columns
}

/** A sum of scores, to which words are added one at a time. Only one accumulator may use `slots`. */
class Accumulator {
  readonly documents: number
  /** All scores are below this number. */
  maxScore = 0
  readonly scores: Float32Array
  /** The sum of the idf of each document's words, by slot. */
  readonly masses: Float32Array
  readonly #slots: Slots
  readonly #scoring: Scoring
  readonly #averages: { readonly title: number; readonly body: number }
  /** Occurrences of the current word, by slot. They are reset to 0 after each word. */
  readonly #title: Uint32Array
  readonly #body: Uint32Array
  readonly #holders: Uint32Array
  #count = 0
  readonly #touchedSlots: Uint32Array
  #touchedCount = 0

  constructor(slots: Slots, scoring: Scoring) {
    this.#slots = slots
    this.#scoring = scoring
    const { scores, masses, title, body, holders, touched } = columnsFor(slots)
    this.scores = scores
    this.masses = masses
    this.#title = title
    this.#body = body
    this.#holders = holders
    this.#touchedSlots = touched
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

  get touched(): Uint32Array {
    return this.#touchedSlots.subarray(0, this.#touchedCount)
  }

  /**
   * Adds the scores of a word. The masses increase by `massIn`, or by default the word's idf.
   * @returns the number of documents with the word
   */
  add(word: WordKey, count: number, massIn?: MassIn): number {
    this.#count = 0
    for (const at of this.#slots.segments.keys()) this.#gather(at, word)
    if (this.#count > 0) this.#score(count, massIn)
    return this.#count
  }

  get holders(): Uint32Array {
    return this.#holders.subarray(0, this.#count)
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
        if (title[slot] === 0 && body[slot] === 0) this.#holders[this.#count++] = slot
        if (postings.title > 0) title[slot] = (title[slot] as number) + postings.title
        body[slot] = (body[slot] as number) + postings.body
      }
    })
  }

  #score(count: number, massIn: MassIn | undefined): void {
    const { holders } = this
    const { inTitle, inBody } = this.#documentFrequencies(holders)
    const title = new FieldScore(this.#scoring.title, this.#averages.title, count * this.idf(inTitle))
    const body = new FieldScore(this.#scoring.body, this.#averages.body, count * this.idf(inBody))
    const idf = this.idf(holders.length)
    if (massIn === undefined) this.#addBodies(holders, body, () => idf)
    else this.#addBodies(holders, body, (slot) => Math.max(MIN_MASS, massIn(slot, idf)))
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

  #addBodies(holders: Uint32Array, body: FieldScore, massIn: (slot: number) => number): void {
    const { scores, masses } = this
    const counts = this.#body
    const lengths = this.#slots.bodyLengths
    for (const slot of holders) {
      if (masses[slot] === 0) this.#touchedSlots[this.#touchedCount++] = slot
      masses[slot] = (masses[slot] as number) + massIn(slot)
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

  idf(documents: number): number {
    return inverseDocumentFrequency(documents, this.documents)
  }
}

export interface SlotOrder {
  readonly scores: Float32Array
  /** The keys are distinct and below 2²². */
  readonly keys: Uint32Array
  /** If true, all slots with the same score as the last one are included. */
  readonly withTies?: boolean
}

/**
 * Returns the best slots. Each slot is encoded as a number, with the score in the high bits and the key in the low bits. Sorting
 * numbers is five times as fast as comparing slots.
 */
export function bestSlots(slots: Uint32Array, limit: number, { scores, keys, withTies = false }: SlotOrder): readonly number[] {
  const candidates = slots.length > limit ? likeliest(slots, limit, scores) : slots
  const bits = bitsOf(candidates, scores)
  const marks = new Float64Array(candidates.length)
  const slotOf = new Uint32Array(candidates.reduce((max, slot) => Math.max(max, keys[slot] as number), 0) + 1)
  for (let at = 0; at < marks.length; at++) {
    const slot = candidates[at] as number
    const key = keys[slot] as number
    slotOf[key] = slot
    // The bit patterns of positive floats have the same order as the floats.
    marks[at] = (MAX_BITS - (bits[at] as number)) * KEYS + key
  }
  marks.sort()
  const best: number[] = []
  for (const mark of marks.subarray(0, withTies ? tiedEnd(marks, limit) : limit))
    best.push(slotOf[mark - Math.floor(mark / KEYS) * KEYS] as number)
  return best
}

/** Returns the end of the slots with the same score as the last one. */
function tiedEnd(marks: Float64Array, limit: number): number {
  const score = Math.floor((marks[limit - 1] ?? 0) / KEYS)
  let end = Math.min(limit, marks.length)
  while (end < marks.length && Math.floor((marks[end] as number) / KEYS) === score) end++
  return end
}

function bitsOf(slots: Uint32Array, scores: Float32Array): Uint32Array {
  const values = new Float32Array(slots.length)
  for (let at = 0; at < values.length; at++) values[at] = scores[slots[at] as number] as number
  return new Uint32Array(values.buffer)
}

/** Returns the slots with the highest scores, and those whose scores share the leading bits of the last one. */
function likeliest(slots: Uint32Array, limit: number, scores: Float32Array): Uint32Array {
  const bits = bitsOf(slots, scores)
  const counts = new Uint32Array(1 << (31 - HIDDEN_BITS))
  let minScore = 0
  for (let at = 0; at < bits.length; at++) {
    const step = (bits[at] as number) >>> HIDDEN_BITS
    counts[step] = (counts[step] as number) + 1
    if (step > minScore) minScore = step
  }
  let count = counts[minScore] as number
  while (count < limit) count += counts[--minScore] as number
  // A loop is used, because `filter` would take eight times as long.
  const best = new Uint32Array(count)
  for (let at = 0, next = 0; next < count; at++) {
    if ((bits[at] as number) >>> HIDDEN_BITS >= minScore) best[next++] = slots[at] as number
  }
  return best
}

/** The parameters of BM25 (Robertson, Zaragoza, The probabilistic relevance framework: BM25 and beyond, 2009). */
export interface FieldScoring {
  readonly weight: number
  /** The saturation of repeated words, which is greater than 0. */
  readonly k1: number
  /** The length normalization, 0–1. */
  readonly b: number
}

export interface Scoring {
  readonly title: FieldScoring
  readonly body: FieldScoring
}

/** Returns the idf, which is greater than 0 even for words in all documents. */
export function inverseDocumentFrequency(documents: number, all: number): number {
  return Math.log(1 + (Math.max(all - documents, 0) + 0.5) / (documents + 0.5))
}

class FieldScore {
  /** All scores are below this number. */
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
