import type { WordTerm } from '../../core/query.ts'
import type { WordHits } from '../../core/search.ts'
import type { Scope } from '../../core/store.ts'
import { DEFAULT_SCORING, inverseDocumentFrequency } from '../../search/words/scoring.ts'
import { wordQuery } from './lucene.ts'
import { shortHash } from './note-properties.ts'
import type { Asking } from './questions.ts'
import { filesIn } from './scope.ts'

/** A word that is looked up, and which others must occur nowhere for it to count: a compound before its parts. */
interface Looked {
  readonly term: WordTerm
  readonly before: readonly number[]
}

/** The words of a question and the parts of compounds, each before its parts. */
export function lookedUp(terms: readonly WordTerm[]): readonly Looked[] {
  const all: Looked[] = []
  const add = (term: WordTerm, before: readonly number[]): void => {
    const at = all.push({ term, before }) - 1
    for (const part of term.parts) add(part, [...before, at])
  }
  for (const term of terms) add(term, [])
  return all
}

/** What the database found of each word. */
export interface Ranked {
  /** In how many notes each word occurs that counts; `undefined` for those that do not. */
  readonly used: readonly (number | undefined)[]
  /** All notes whose words are indexed. */
  readonly documents: number
}

/** The notes of each word, as `f` with `score`. */
const HITS = `CALL db.index.fulltext.queryNodes('roux_words', $queries[toInteger(at)]) YIELD node AS w, score
  MATCH (w)-[:ROUX_OF]->(f:RouxFile) WHERE f.path = w.path`

/**
 * Statements that leave `documents` and `used`; `$queries` and `$before` are theirs. Words are looked up once to be counted and once to be
 * ranked: the database counts a list that is kept for later in each row that comes after it, and soon has no memory left.
 */
export const COUNTING = `CALL () { MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0 RETURN count(w) AS documents }
  CALL () { UNWIND range(0, size($queries) - 1) AS at CALL (at) { ${HITS} RETURN count(f) AS notes }
            WITH at, notes ORDER BY at RETURN collect(notes) AS counts }
  WITH documents, [at IN range(0, size(counts) - 1) |
    CASE WHEN all(other IN $before[at] WHERE counts[toInteger(other)] = 0) THEN counts[at] END] AS used`

/** Statements that leave a row for each note that has a word that is `used`, and fits: `f`, `score` and `words`. */
export function ranking(fits: string): string {
  return `UNWIND [at IN range(0, size(used) - 1) WHERE used[at] > 0] AS at ${HITS} AND ${fits}
    WITH f, sum(score) AS score, collect(at) AS words`
}

export function rankingParameters({ vault }: Asking, looked: readonly Looked[]) {
  const owner = shortHash(vault)
  return {
    queries: looked.map(({ term }) => wordQuery(owner, term, term.count)),
    before: looked.map(({ before }) => before),
  }
}

/** Notes that hold any of some words, best first, then by id. */
export async function rankWords(
  asking: Asking,
  terms: readonly WordTerm[],
  { scope, limit }: { readonly scope: Scope; readonly limit: number },
): Promise<WordHits> {
  const looked = lookedUp(terms)
  if (looked.length === 0) return { hits: [], coverage: 0, terms: [] }
  const { text, parameters } = filesIn(scope, asking.bare)
  const row = await asking.questions.one<
    Ranked & { readonly hits: readonly { readonly id: string; readonly score: number; readonly words: readonly number[] }[] }
  >(
    `${COUNTING}
     CALL (used) { ${ranking(text)} ORDER BY score DESC, f.sort LIMIT toInteger($limit)
                   RETURN collect({id: f.id, score: score, words: words}) AS hits }
     RETURN {documents: documents, used: used, hits: hits} AS row`,
    { ...parameters, ...rankingParameters(asking, looked), limit: Math.max(0, limit) },
  )
  if (row === undefined) return { hits: [], coverage: 0, terms: [] }
  const { used, documents } = row
  const isTold = (at: number): boolean =>
    used[at] !== undefined && used[at] !== null && (used[at] > 0 || looked[at]?.term.parts.length === 0)
  const weight = (at: number): number => (isTold(at) ? inverseDocumentFrequency(used[at] ?? 0, documents) : 0)
  const all = looked.reduce((sum, _, at) => sum + weight(at), 0)
  const there = looked.reduce((sum, _, at) => sum + ((used[at] ?? 0) > 0 ? weight(at) : 0), 0)
  return {
    hits: row.hits.map(({ id, score, words }) => ({
      id: asking.idOf(id),
      score,
      matched: all === 0 ? 0 : Math.min(1, words.reduce((sum, at) => sum + weight(at), 0) / all),
    })),
    coverage: all === 0 ? 0 : there / all,
    terms: looked.flatMap(({ term }, at) => (isTold(at) ? [{ word: term.form, notes: used[at] ?? 0 }] : [])),
  }
}

/** Above every score that a note can have for these words. */
export function greatestScore(looked: readonly Looked[], { used, documents }: Ranked): number {
  const { title, body } = DEFAULT_SCORING
  return looked.reduce((sum, { term }, at) => {
    const count = used[at] ?? 0
    return count === 0 ? sum : sum + term.count * (title.weight + body.weight) * inverseDocumentFrequency(count, documents)
  }, 0)
}
