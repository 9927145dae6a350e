import type { WordTerm } from '../../core/query.ts'
import { Accumulator } from './accumulator.ts'
import { bestSlots } from './best-slots.ts'
import type { Slots } from './index/slots.ts'
import { idOf } from './query-terms.ts'
import { DEFAULT_SCORING, type Scoring } from './scoring.ts'

/** Distinct words of a query that are used; of more the rarest. */
export const MAX_TERMS = 200

export interface RankOptions {
  readonly limit: number
  /** Which documents may be found; all when absent. */
  readonly accept?: (key: number) => boolean
  readonly scoring?: Scoring
  /** Includes all hits that score like the last one, however many, for callers with their own order. */
  readonly withTies?: boolean
}

export interface WordHit {
  readonly key: number
  /** Above 0, below `Ranking.maxScore`. */
  readonly score: number
  /** Share of the query's idf that lies on words this document holds, 0–1. */
  readonly matched: number
}

/** The facts about a query word. */
export interface TermFact {
  readonly term: WordTerm
  /** Live documents that hold it. */
  readonly documents: number
  readonly idf: number
}

export interface Ranking {
  /** Best first; of equal scores the smaller key. */
  readonly hits: readonly WordHit[]
  /** Documents that would be hits without the limit. */
  readonly total: number
  /** The words used, in the order of the query; in the place of a word that occurs nowhere its parts, if it has some. */
  readonly terms: readonly TermFact[]
  /** Share of the query's idf that lies on words that occur at all, 0–1; 0 for no words. */
  readonly coverage: number
  /** Above every possible score of this query, so `score / maxScore` compares between queries; 0 when nothing occurs. */
  readonly maxScore: number
}

/** Scores the live documents that hold any of the words: BM25 in two fields, each with its own lengths and idf, added up. */
export function rankTerms(slots: Slots, query: readonly WordTerm[], options: RankOptions): Ranking {
  const accumulator = new Accumulator(slots, options.scoring ?? DEFAULT_SCORING)
  const used = withinBounds(slots, query)
  const terms: TermFact[] = []
  const ids = new Set(used.map(idOf))
  const add = (term: WordTerm): void => {
    const documents = accumulator.add(term, term.count)
    const parts = documents > 0 ? [] : term.parts.filter((part) => !ids.has(idOf(part)))
    if (documents > 0 || term.parts.length === 0) terms.push({ term, documents, idf: accumulator.idf(documents) })
    for (const part of parts) {
      ids.add(idOf(part))
      add(part)
    }
  }
  used.forEach(add)
  const mass = idfOf(terms)
  const accepted = acceptedOf(accumulator.touched, slots, options.accept)
  const { withTies = false } = options
  const best = bestSlots(accepted, options.limit, { scores: accumulator.scores, keys: slots.keys, withTies })
  return {
    hits: best.map((slot) => ({
      key: slots.keys[slot] as number,
      score: accumulator.scores[slot] as number,
      matched: Math.min(1, (accumulator.masses[slot] as number) / mass),
    })),
    total: accepted.length,
    terms,
    coverage: mass === 0 ? 0 : idfOf(terms.filter(({ documents }) => documents > 0)) / mass,
    maxScore: accumulator.maxScore,
  }
}

/** Leaves out of these slots what is not accepted, in place. */
function acceptedOf(touched: Uint32Array, { keys }: Slots, accept: RankOptions['accept']): Uint32Array {
  if (accept === undefined) return touched
  let count = 0
  for (const slot of touched) if (accept(keys[slot] as number)) touched[count++] = slot
  return touched.subarray(0, count)
}

function idfOf(terms: readonly TermFact[]): number {
  return terms.reduce((mass, { idf }) => mass + idf, 0)
}

/** The rarest words where there are too many, in the order of the query. */
function withinBounds(slots: Slots, query: readonly WordTerm[]): readonly WordTerm[] {
  if (query.length <= MAX_TERMS) return query
  const sizes = new Map(query.map((term) => [term, listBytes(slots, term)]))
  const rarest = [...query].sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0)).slice(0, MAX_TERMS)
  const kept = new Set(rarest)
  return query.filter((term) => kept.has(term))
}

/** Bytes of a word's lists: grows with the documents, dead ones too, and needs no decoding. */
function listBytes({ segments }: Slots, term: WordTerm): number {
  let bytes = 0
  for (const segment of segments) {
    segment.visit(term, ({ postings }) => {
      bytes += postings.end - postings.start
    })
  }
  return bytes
}
