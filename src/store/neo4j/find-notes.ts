import type { Condition } from '../../core/query.ts'
import type { Found } from '../../core/search.ts'
import type { FindOptions, Page } from '../../core/store.ts'
import { toCypher } from './condition.ts'
import { type Asking, rangeOf } from './questions.ts'
import { COUNTING, countDocuments, greatestScore, lookedUp, type Ranked, ranking, rankingParameters } from './rank-words.ts'
import { filesIn, foundBy } from './scope.ts'
import { wordNames } from './word-index.ts'

/** The order of the notes `f` with `score`: what says no time comes last, in either direction. */
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

/** The notes that fit a condition, in the order asked for. */
export async function findNotes(
  asking: Asking,
  { condition, options: { scope, order } }: { readonly condition: Condition | undefined; readonly options: FindOptions },
  page: Page,
): Promise<Found> {
  const { idOf, bare, vault } = asking
  const fits = condition === undefined ? undefined : toCypher(condition, { ...wordNames(vault), bare })
  const { text, parameters } = filesIn(scope, bare)
  const looked = lookedUp(order.terms)
  const isScored = looked.length > 0
  const asked = asking.questions.one<
    Ranked & {
      readonly total: number
      readonly items: readonly { readonly id: string; readonly title: string; readonly score: number }[]
    }
  >(
    `${isScored ? COUNTING : 'WITH [] AS used'}
     CALL (used) { ${isScored ? ranking('true') : 'UNWIND [] AS f WITH f, 0.0 AS score'} RETURN collect({f: f, score: score}) AS ranked }
     ${fits?.before.join('\n') ?? ''}
     CALL (*) {
       MATCH (f:${foundBy(scope)} {vault: $vault}) WHERE ${text}${fits === undefined ? '' : ` AND ${fits.text}`}
       RETURN collect(f) AS fitting }
     CALL (ranked, fitting) {
       WITH ranked, fitting, [hit IN ranked | hit.f] AS known
       CALL (ranked, fitting) {
         UNWIND ranked AS hit WITH hit, fitting WHERE hit.f IN fitting
         RETURN hit.f AS f, CASE WHEN hit.f.id IN $first THEN ${FIRST} ELSE hit.score END AS score
         UNION ALL
         WITH ranked, fitting, [hit IN ranked | hit.f] AS known
         UNWIND fitting AS f WITH f, known WHERE NOT f IN known
         RETURN f, CASE WHEN f.id IN $first THEN ${FIRST} ELSE 0.0 END AS score
       }
       WITH f, score ORDER BY ${orderOf(order)}
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

/** Above every score. */
const FIRST = 1e9
/** What is not first is less. */
const ALMOST = 0.999
