import type { NodeId } from '../../core/ids.ts'
import type { WordTerm } from '../../core/query.ts'
import type { NearWord, NoteLanguages, WordHits } from '../../core/search.ts'
import type { Scope } from '../../core/store.ts'
import { beginningsNear, inNearOrder, isOneSlipAway } from '../../search/words/query-terms.ts'
import { DEFAULT_SCORING, inverseDocumentFrequency } from '../../search/words/rank.ts'
import { isWhole } from '../note-facts.ts'
import { nearQuery, wordQuery } from './lucene.ts'
import type { QuestionContext } from './questions.ts'
import { filesIn } from './scope.ts'
import { wordNames } from './server/schema.ts'

/**
 * A word to look up. `before` contains the indexes of the compounds with this part. A part counts only if no note contains any of
 * them.
 */
interface WordLookup {
  readonly term: WordTerm
  readonly before: readonly number[]
}

/** Returns the lookups. Compounds come before their parts. */
export function lookupsOf(terms: readonly WordTerm[]): readonly WordLookup[] {
  const all: WordLookup[] = []
  const add = (term: WordTerm, before: readonly number[]): void => {
    const at = all.push({ term, before }) - 1
    for (const part of term.parts) add(part, [...before, at])
  }
  for (const term of terms) add(term, [])
  return all
}

export interface Ranked {
  /** For each word, the number of notes, or `undefined` if the word does not count. */
  readonly used: readonly (number | undefined)[]
}

export async function countDocuments({ cached, questions }: QuestionContext): Promise<number> {
  return await cached('documents', async () => {
    const count = await questions.one<number>('MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0 RETURN count(w) AS row')
    return count ?? 0
  })
}

/** Counts the notes of each language. Notes without indexed words do not count. */
async function countLanguages({ cached, questions }: QuestionContext): Promise<ReadonlyMap<string, number>> {
  return await cached('languages', async () => {
    const rows = await questions.ask<readonly [string, number]>(
      `MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0 AND w.language IS NOT NULL
       WITH w.language AS language, count(w) AS notes RETURN [language, notes] AS row`,
    )
    return new Map(rows)
  })
}

export async function languagesOf(asking: QuestionContext): Promise<readonly string[]> {
  return [...(await countLanguages(asking)).keys()]
}

export async function noteLanguages(asking: QuestionContext, ids: readonly NodeId[]): Promise<NoteLanguages> {
  const pending = asking.questions.one<readonly string[]>(
    `UNWIND range(0, size($ids) - 1) AS at
     WITH at, head(COLLECT { MATCH (f:RouxFile {vault: $vault, id: $ids[at]})<-[:ROUX_OF]-(w:RouxWords) WHERE f.path = w.path
                             RETURN w.language }) AS language
     ORDER BY at RETURN collect(coalesce(language, '')) AS row`,
    { ids: ids.map(asking.bare) },
  )
  const [words, notes] = await Promise.all([pending, countLanguages(asking)])
  return { codes: ids.map((_, at) => words?.[at] || undefined), notes }
}

/** Yields nodes `w` with their `score`. */
const HITS = 'CALL db.index.fulltext.queryNodes($wordIndex, $queries[toInteger(at)]) YIELD node AS w, score'

/**
 * Returns `used`; parameters are `$queries`, `$before` and `$wordIndex`. Words are looked up again for ranking, because a list of
 * hits would be repeated in every row.
 */
export const COUNTING = `CALL () { UNWIND range(0, size($queries) - 1) AS at CALL (at) { ${HITS} RETURN count(w) AS notes }
            WITH at, notes ORDER BY at RETURN collect(notes) AS counts }
  WITH [at IN range(0, size(counts) - 1) |
    CASE WHEN all(other IN $before[at] WHERE counts[toInteger(other)] = 0) THEN counts[at] END] AS used`

/** Returns a query for `f`, `score` and `words`. `limit` restricts the result to that many of the vault's best notes. */
export function ranking(fits: string, limit?: string): string {
  return `UNWIND [at IN range(0, size(used) - 1) WHERE used[at] > 0] AS at ${HITS}
    WITH w, sum(score) AS score, collect(at) AS words${limit === undefined ? '' : ` ORDER BY score DESC LIMIT toInteger(${limit})`}
    MATCH (w)-[:ROUX_OF]->(f:RouxFile) WHERE f.path = w.path AND ${fits}
    WITH f, score, words`
}

export async function rankingParameters(asking: QuestionContext, lookups: readonly WordLookup[]) {
  const languages = await languagesOf(asking)
  return {
    wordIndex: wordNames(asking.vault).wordIndex,
    queries: lookups.map(({ term }) => wordQuery({ ...term, languages }, term.count)),
    before: lookups.map(({ before }) => before),
  }
}

/** Number of top hits whose names are returned, because callers request them next. */
const NAMED_HITS = 10

/** Number of extra notes to fetch, because some may be outside the scope. */
const MORE = { times: 2, plus: 1_000 }

/** Returns the best notes first. Ties are ordered by id. */
export async function rankWords(
  asking: QuestionContext,
  terms: readonly WordTerm[],
  { scope, limit }: { readonly scope: Scope; readonly limit: number },
): Promise<WordHits> {
  const lookups = lookupsOf(terms)
  if (lookups.length === 0) return { hits: [], coverage: 0, terms: [] }
  const query = { looked: lookups, scope, limit: Math.max(0, limit) }
  const maxHits = isWhole(scope) ? query.limit * MORE.times + MORE.plus : undefined
  const [documents, first] = await Promise.all([countDocuments(asking), rankedRow(asking, query, maxHits)])
  let row = first
  // If too many of the best hits are outside the scope, all hits are ranked.
  if (row !== undefined && maxHits !== undefined && row.hits.length < query.limit && sum(row.used) > maxHits) {
    row = await rankedRow(asking, query)
  }
  if (row === undefined) return { hits: [], coverage: 0, terms: [] }
  const { used } = row
  const isListed = (at: number): boolean =>
    used[at] !== undefined && used[at] !== null && (used[at] > 0 || lookups[at]?.term.parts.length === 0)
  const weight = (at: number): number => (isListed(at) ? inverseDocumentFrequency(used[at] ?? 0, documents) : 0)
  const all = lookups.reduce((total, _, at) => total + weight(at), 0)
  const totalWeight = lookups.reduce((total, _, at) => total + ((used[at] ?? 0) > 0 ? weight(at) : 0), 0)
  for (const { id, names } of row.hits) if (names !== null) asking.names.set(asking.idOf(id), names)
  return {
    hits: row.hits.map(({ id, score, words }) => ({
      id: asking.idOf(id),
      score,
      matched: all === 0 ? 0 : Math.min(1, words.reduce((total, at) => total + weight(at), 0) / all),
    })),
    coverage: all === 0 ? 0 : totalWeight / all,
    terms: lookups.flatMap(({ term }, at) => (isListed(at) ? [{ word: term.form, notes: used[at] ?? 0 }] : [])),
  }
}

const NEAR_NOTES = 1_000

export async function wordsNear(
  { questions, vault }: QuestionContext,
  words: readonly string[],
): Promise<readonly (readonly NearWord[])[]> {
  const rows = await questions.one<readonly (readonly { readonly word: string; readonly notes: number }[])[]>(
    `UNWIND range(0, size($words) - 1) AS at
     CALL (at) {
       CALL db.index.fulltext.queryNodes($wordIndex, $queries[toInteger(at)], {limit: ${NEAR_NOTES}}) YIELD node AS w
       MATCH (w)-[:ROUX_OF]->(f:RouxFile) WHERE f.path = w.path
       UNWIND split(w.titleForms + ' ' + w.bodyForms, ' ') AS word
       WITH w, at, word WHERE abs(size(word) - size($words[toInteger(at)])) <= 1 AND left(word, 1) IN $beginnings[toInteger(at)]
       WITH word, count(DISTINCT w) AS notes RETURN collect({word: word, notes: notes}) AS found }
     WITH at, found ORDER BY at RETURN collect(found) AS row`,
    { words, beginnings: words.map(beginningsNear), queries: words.map(nearQuery), wordIndex: wordNames(vault).wordIndex },
  )
  return words.map((word, at) => {
    const near = (rows?.[at] ?? []).filter((candidate) => isOneSlipAway(word, candidate.word))
    return inNearOrder(new Map(near.map((candidate) => [candidate.word, candidate.notes])))
  })
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
  maxHits?: number,
): Promise<RankedRow | undefined> {
  const { text, parameters } = filesIn(scope, asking.bare)
  return await asking.questions.one<RankedRow>(
    `${COUNTING}
     CALL (used) { ${ranking(text, maxHits === undefined ? undefined : '$most')} ORDER BY score DESC, f.sort LIMIT toInteger($limit)
                   RETURN collect({f: f, score: score, words: words}) AS found }
     RETURN {used: used, hits: [at IN range(0, size(found) - 1) | {id: found[at].f.id, score: found[at].score, words: found[at].words,
             names: CASE WHEN at < ${NAMED_HITS} THEN [found[at].f.title] + found[at].f.aliases END}]} AS row`,
    { ...parameters, ...(await rankingParameters(asking, looked)), limit, most: maxHits ?? 0 },
  )
}

function sum(counts: Ranked['used']): number {
  return counts.reduce((total: number, count) => total + (count ?? 0), 0)
}

/** Returns an upper bound for any score. */
export function greatestScore(lookups: readonly WordLookup[], { used }: Ranked, documents: number): number {
  const { title, body } = DEFAULT_SCORING
  return lookups.reduce((total, { term }, at) => {
    const count = used[at] ?? 0
    return count === 0 ? total : total + term.count * (title.weight + body.weight) * inverseDocumentFrequency(count, documents)
  }, 0)
}
