import type { WordTerm } from '../../core/query.ts'
import type { WordHits } from '../../core/search.ts'
import type { Scope } from '../../core/store.ts'
import { DEFAULT_SCORING, inverseDocumentFrequency } from '../../search/words/rank.ts'
import { wordQuery } from './lucene.ts'
import type { QuestionContext } from './questions.ts'
import { filesIn, isNarrow } from './scope.ts'
import { wordNames } from './server/schema.ts'

/** A word to look up, and words that must not occur anywhere for it to count: a compound before its parts. */
interface WordLookup {
  readonly term: WordTerm
  readonly before: readonly number[]
}

/** Returns the query words and the parts of compounds. Each compound comes before its parts. */
export function lookedUp(terms: readonly WordTerm[]): readonly WordLookup[] {
  const all: WordLookup[] = []
  const add = (term: WordTerm, before: readonly number[]): void => {
    const at = all.push({ term, before }) - 1
    for (const part of term.parts) add(part, [...before, at])
  }
  for (const term of terms) add(term, [])
  return all
}

/** The search results for each word. */
export interface Ranked {
  /** The number of notes with each word that counts; `undefined` for words that do not. */
  readonly used: readonly (number | undefined)[]
}

/** Counts the notes whose words are indexed. */
export async function countDocuments({ kept, questions }: QuestionContext): Promise<number> {
  return await kept('documents', async () => {
    const counted = await questions.one<number>('MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0 RETURN count(w) AS row')
    return counted ?? 0
  })
}

/** The notes with each word, as `w` with `score`. */
const HITS = 'CALL db.index.fulltext.queryNodes($wordIndex, $queries[toInteger(at)]) YIELD node AS w, score'

/**
 * Statements that return `used`, with the parameters `$queries`, `$before` and `$wordIndex`. Words are looked up twice, for
 * counting and for ranking, because a list kept for later is charged again to each following row and soon exhausts the memory. A
 * count may briefly include a note that has changed; the ranking never does.
 */
export const COUNTING = `CALL () { UNWIND range(0, size($queries) - 1) AS at CALL (at) { ${HITS} RETURN count(w) AS notes }
            WITH at, notes ORDER BY at RETURN collect(notes) AS counts }
  WITH [at IN range(0, size(counts) - 1) |
    CASE WHEN all(other IN $before[at] WHERE counts[toInteger(other)] = 0) THEN counts[at] END] AS used`

/**
 * Statements that return a row for each matching note with a word in `used`: `f`, `score` and `words`. With the parameter `most`,
 * only the best of all notes are considered.
 */
export function ranking(fits: string, most?: string): string {
  return `UNWIND [at IN range(0, size(used) - 1) WHERE used[at] > 0] AS at ${HITS}
    WITH w, sum(score) AS score, collect(at) AS words${most === undefined ? '' : ` ORDER BY score DESC LIMIT toInteger(${most})`}
    MATCH (w)-[:ROUX_OF]->(f:RouxFile) WHERE f.path = w.path AND ${fits}
    WITH f, score, words`
}

export function rankingParameters({ vault }: QuestionContext, looked: readonly WordLookup[]) {
  return {
    wordIndex: wordNames(vault).wordIndex,
    queries: looked.map(({ term }) => wordQuery(term, term.count)),
    before: looked.map(({ before }) => before),
  }
}

/** Number of hits returned with their names, which callers request next. */
const NAMED = 10

/** How many more of the best notes to fetch than requested, in case some lie outside the scope. */
const MORE = { times: 2, plus: 1_000 }

/** Notes with any of some words, best first, then by id. */
export async function rankWords(
  asking: QuestionContext,
  terms: readonly WordTerm[],
  { scope, limit }: { readonly scope: Scope; readonly limit: number },
): Promise<WordHits> {
  const looked = lookedUp(terms)
  if (looked.length === 0) return { hits: [], coverage: 0, terms: [] }
  const wanted = { looked, scope, limit: Math.max(0, limit) }
  const most = isNarrow(scope) ? undefined : wanted.limit * MORE.times + MORE.plus
  const [documents, first] = await Promise.all([countDocuments(asking), rankedRow(asking, wanted, most)])
  let row = first
  // Too many of the best hits were outside the scope.
  if (row !== undefined && most !== undefined && row.hits.length < wanted.limit && sum(row.used) > most) {
    row = await rankedRow(asking, wanted)
  }
  if (row === undefined) return { hits: [], coverage: 0, terms: [] }
  const { used } = row
  const isTold = (at: number): boolean =>
    used[at] !== undefined && used[at] !== null && (used[at] > 0 || looked[at]?.term.parts.length === 0)
  const weight = (at: number): number => (isTold(at) ? inverseDocumentFrequency(used[at] ?? 0, documents) : 0)
  const all = looked.reduce((total, _, at) => total + weight(at), 0)
  const there = looked.reduce((total, _, at) => total + ((used[at] ?? 0) > 0 ? weight(at) : 0), 0)
  for (const { id, names } of row.hits) if (names !== null) asking.names.set(asking.idOf(id), names)
  return {
    hits: row.hits.map(({ id, score, words }) => ({
      id: asking.idOf(id),
      score,
      matched: all === 0 ? 0 : Math.min(1, words.reduce((total, at) => total + weight(at), 0) / all),
    })),
    coverage: all === 0 ? 0 : there / all,
    terms: looked.flatMap(({ term }, at) => (isTold(at) ? [{ word: term.form, notes: used[at] ?? 0 }] : [])),
  }
}

interface RankedRow extends Ranked {
  readonly hits: readonly {
    readonly id: string
    readonly score: number
    readonly words: readonly number[]
    readonly names: readonly string[] | null
  }[]
}

async function rankedRow(
  asking: QuestionContext,
  { looked, scope, limit }: { readonly looked: readonly WordLookup[]; readonly scope: Scope; readonly limit: number },
  most?: number,
): Promise<RankedRow | undefined> {
  const { text, parameters } = filesIn(scope, asking.bare)
  return await asking.questions.one<RankedRow>(
    `${COUNTING}
     CALL (used) { ${ranking(text, most === undefined ? undefined : '$most')} ORDER BY score DESC, f.sort LIMIT toInteger($limit)
                   RETURN collect({f: f, score: score, words: words}) AS found }
     RETURN {used: used, hits: [at IN range(0, size(found) - 1) | {id: found[at].f.id, score: found[at].score, words: found[at].words,
             names: CASE WHEN at < ${NAMED} THEN [found[at].f.title] + found[at].f.aliases END}]} AS row`,
    { ...parameters, ...rankingParameters(asking, looked), limit, most: most ?? 0 },
  )
}

function sum(counts: Ranked['used']): number {
  return counts.reduce((total: number, count) => total + (count ?? 0), 0)
}

/** An upper bound of the score of any note for these words. */
export function greatestScore(looked: readonly WordLookup[], { used }: Ranked, documents: number): number {
  const { title, body } = DEFAULT_SCORING
  return looked.reduce((total, { term }, at) => {
    const count = used[at] ?? 0
    return count === 0 ? total : total + term.count * (title.weight + body.weight) * inverseDocumentFrequency(count, documents)
  }, 0)
}
