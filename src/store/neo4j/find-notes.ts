import type { Condition } from '../../core/query.ts'
import type { FoundPage } from '../../core/search.ts'
import type { FindOptions, GroupBy, GroupedNote, GroupOptions, Page } from '../../core/store.ts'
import { toCypher } from './condition.ts'
import { SEPARATOR } from './note-properties.ts'
import { type QuestionContext, rangeOf } from './questions.ts'
import {
  COUNTING,
  countDocuments,
  greatestScore,
  languagesOf,
  lookupsOf,
  type Ranked,
  ranking,
  rankingParameters,
} from './rank-words.ts'
import { filesIn, labelFor } from './scope.ts'
import { wordNames } from './server/schema.ts'

/** Returns the order. Notes without a date come last in both directions. */
function orderOf({ by, direction }: FindOptions['order']): string {
  const sortDirection = direction === 'asc' ? 'ASC' : 'DESC'
  switch (by) {
    case 'relevance':
      return 'score DESC, f.sort'
    case 'title':
      return `f.sortTitle ${sortDirection}, f.sort`
    default:
      return `f.${by} IS NULL, f.${by} ${sortDirection}, f.sort`
  }
}

export async function findNotes(
  asking: QuestionContext,
  { condition, options: { scope, order } }: { readonly condition: Condition | undefined; readonly options: FindOptions },
  page: Page,
): Promise<FoundPage> {
  const { idOf, bare, vault } = asking
  const fits =
    condition === undefined ? undefined : toCypher(condition, { ...wordNames(vault), bare, languages: await languagesOf(asking) })
  const { text, parameters } = filesIn(scope, bare)
  const lookups = lookupsOf(order.terms)
  const isScored = lookups.length > 0
  // If a list contains every match, skip all other notes.
  const matched =
    fits?.within === undefined ? `MATCH (f:${labelFor(scope)} {vault: $vault})` : `UNWIND ${fits.within} AS f WITH f`
  const pending = asking.questions.one<
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
      ...(await rankingParameters(asking, lookups)),
      first: isScored ? order.first.map(bare) : [],
      ...rangeOf(page),
    },
  )
  const [row, documents] = await Promise.all([pending, isScored ? countDocuments(asking) : 0])
  if (row === undefined) return { items: [], total: 0 }
  const greatest = greatestScore(lookups, row, documents)
  const share = (score: number): number => (score === FIRST ? 1 : greatest === 0 ? 0 : Math.min(NEARLY_ONE, score / greatest))
  return {
    items: row.items.map(({ id, title, score }) => ({ id: idOf(id), title, ...(isScored ? { score: share(score) } : {}) })),
    total: row.total,
  }
}

export async function groupValues(
  asking: QuestionContext,
  condition: Condition | undefined,
  { scope, by }: GroupOptions,
): Promise<readonly GroupedNote[]> {
  const { questions, idOf, bare, vault } = asking
  const fits =
    condition === undefined ? undefined : toCypher(condition, { ...wordNames(vault), bare, languages: await languagesOf(asking) })
  const { text, parameters } = filesIn(scope, bare)
  const starts = by.map((grouping) => (grouping.kind === 'property' ? grouping.name + SEPARATOR : ''))
  const rows = await questions.ask<{ readonly id: string } & Omit<GroupedNote, 'id'>>(
    `WITH $starts AS starts, $separator AS separator
     ${fits?.before.join('\n') ?? ''}
     MATCH (f:${labelFor(scope)} {vault: $vault}) WHERE ${text}${fits === undefined ? '' : ` AND ${fits.text}`}
     WITH f, starts, separator ORDER BY f.sort
     RETURN {id: f.id, path: f.path, values: [${by.map(valuesOf).join(', ')}]} AS row`,
    { ...parameters, ...fits?.parameters, starts, separator: SEPARATOR },
  )
  return rows.map(({ id, path, values }) => ({
    id: idOf(id),
    path,
    values: values.map((texts, at) => (isTime(by[at]) ? texts.map((time) => String(Number(time))) : texts)),
  }))
}

function isTime(by: GroupBy | undefined): boolean {
  return by?.kind === 'created' || by?.kind === 'modified'
}

/** Returns a Cypher expression for the values of a note `f`. */
function valuesOf(by: GroupBy, at: number): string {
  switch (by.kind) {
    case 'property':
      return `[value IN coalesce(f.propertyValues, []) WHERE value STARTS WITH starts[${at}] | split(value, separator)[2]]`
    case 'folder':
      return '[f.folderPath]'
    case 'tag':
      return '[tag IN f.tagSpellings | split(tag, separator)[1]]'
    default:
      return `CASE WHEN f.${by.kind} IS NULL THEN [] ELSE [toString(f.${by.kind})] END`
  }
}

/** The score of the notes in `$first`, which is above all others. */
const FIRST = 1e9
/** Maximum relevance of the other notes. */
const NEARLY_ONE = 0.999
