import type { Condition } from '../../core/query.ts'
import type { Found } from '../../core/search.ts'
import type { FindOptions, Page } from '../../core/store.ts'
import { toCypher } from './condition.ts'
import { type QuestionContext, rangeOf } from './questions.ts'
import { COUNTING, countDocuments, greatestScore, lookedUp, type Ranked, ranking, rankingParameters } from './rank-words.ts'
import { filesIn, foundBy } from './scope.ts'
import { wordNames } from './server/schema.ts'

/** Returns the sort order for the notes `f` with `score`. Notes without the date come last in either direction. */
function orderOf({ by, direction }: FindOptions['order']): string {
  const way = direction === 'asc' ? 'ASC' : 'DESC'
  switch (by) {
    case 'relevance':
      return 'score DESC, f.sort'
    case 'title':
      return `f.sortTitle ${way}, f.sort`
    default:
      return `f.${by} IS NULL, f.${by} ${way}, f.sort`
  }
}

/** Returns the notes that match a condition, in the requested order. */
export async function findNotes(
  asking: QuestionContext,
  { condition, options: { scope, order } }: { readonly condition: Condition | undefined; readonly options: FindOptions },
  page: Page,
): Promise<Found> {
  const { idOf, bare, vault } = asking
  const fits = condition === undefined ? undefined : toCypher(condition, { ...wordNames(vault), bare })
  const { text, parameters } = filesIn(scope, bare)
  const looked = lookedUp(order.terms)
  const isScored = looked.length > 0
  // If every match must contain one of the words, only notes with such a word are considered.
  const matched = fits?.within === undefined ? `MATCH (f:${foundBy(scope)} {vault: $vault})` : `UNWIND ${fits.within} AS f WITH f`
  const asked = asking.questions.one<
    Ranked & {
      readonly total: number
      readonly items: readonly { readonly id: string; readonly title: string; readonly score: number }[]
    }
  >(
    `${isScored ? COUNTING : 'WITH [] AS used'}
     ${fits?.before.join('\n') ?? ''}
     CALL (*) {
       CALL (*) {
         ${isScored ? `${ranking('true')} RETURN f, score, false AS fits UNION ALL` : ''}
         ${matched} WHERE ${text}${fits === undefined ? '' : ` AND ${fits.text}`} RETURN f, 0.0 AS score, true AS fits
       }
       WITH f, max(score) AS score, max(fits) AS fits WHERE fits
       WITH f, CASE WHEN f.id IN $first THEN ${FIRST} ELSE score END AS score ORDER BY ${orderOf(order)}
       RETURN collect({f: f, score: score}) AS ordered }
     RETURN {used: used, total: size(ordered),
             items: [hit IN ordered[toInteger($offset)..toInteger($end)] | {id: hit.f.id, title: hit.f.title, score: hit.score}]} AS row`,
    {
      ...parameters,
      ...fits?.parameters,
      ...rankingParameters(asking, looked),
      first: isScored ? order.first.map(bare) : [],
      ...rangeOf(page),
    },
  )
  const [row, documents] = await Promise.all([asked, isScored ? countDocuments(asking) : 0])
  if (row === undefined) return { items: [], total: 0 }
  const greatest = greatestScore(looked, row, documents)
  const share = (score: number): number => (score === FIRST ? 1 : greatest === 0 ? 0 : Math.min(ALMOST, score / greatest))
  return {
    items: row.items.map(({ id, title, score }) => ({ id: idOf(id), title, ...(isScored ? { score: share(score) } : {}) })),
    total: row.total,
  }
}

/** Higher than any score. */
const FIRST = 1e9
/** Ranks hits that come later slightly lower. */
const ALMOST = 0.999
