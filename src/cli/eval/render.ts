import { IN_OTHER_WORDS } from '../../app/eval/known-items.ts'
import type { MeaningGain, NotedQuery, VaultReport } from '../../app/eval/report.ts'
import type { Estimate } from '../../app/eval/statistics.ts'
import { type Column, renderTable } from '../output/table.ts'
import type { Look } from '../output/text.ts'

/** Renders the scores for each kind of query, followed by the slowest queries and some of the missed ones. */
export function renderVaultReport({ embedder, scores, meaning, slowest, missed }: VaultReport, look: Look): string {
  const rows = scores.map(({ kind, mode, queries, hit1, hit5, ndcg, median, p99 }) => [
    kind,
    mode,
    String(queries),
    percent(hit1),
    percent(hit5),
    `${ndcg.value.toFixed(4)} [${ndcg.low.toFixed(4)}, ${ndcg.high.toFixed(4)}]`,
    `${median.toFixed(1)} / ${p99.toFixed(1)}`,
  ])
  const by = embedder === null ? 'by words only' : `by words and by meaning (${embedder})`
  return [
    `Found ${by}\n\n${scoreTable(rows, look)}`,
    meaningSentence(meaning),
    queryList('Slowest', slowest, look),
    queryList('Not among the first ten', missed.slice(0, SHOWN), look),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** Says how much semantic search improves the results in this vault, and how it affects queries copied from the notes. */
function meaningSentence(gains: readonly MeaningGain[]): string {
  const gainList = (gains: readonly MeaningGain[]) =>
    gains.map(({ kind, gain }) => `${kind} ${signedGain(gain)}${significance(gain)}`).join('; ')
  const worth = gainList(gains.filter(({ kind }) => kind === IN_OTHER_WORDS))
  const copied = gainList(gains.filter(({ kind }) => kind !== IN_OTHER_WORDS))
  return [
    ...(worth === ''
      ? []
      : [`Gain from search by meaning for questions in other words than the note's (nDCG@10 minus that by words): ${worth}.\n`]),
    ...(copied === '' ? [] : [`Its effect on queries in the note's own words: ${copied}.\n`]),
  ].join('')
}

function signedGain({ value, low, high }: Estimate): string {
  const show = (part: number): string => (part < 0 ? part.toFixed(3) : `+${part.toFixed(3)}`)
  return `${show(value)} [${show(low)}, ${show(high)}]`
}

/** Interprets a confidence interval. An interval that contains 0 proves no difference. */
function significance({ low, high }: Estimate): string {
  return low > 0 ? ' (better)' : high < 0 ? ' (worse)' : ''
}

/** Maximum number of missed queries shown. `--json` includes more. */
const SHOWN = 10

function queryList(title: string, queries: readonly NotedQuery[], look: Look): string {
  if (queries.length === 0) return ''
  const rows = queries.map(({ ms, mode, kind, query, wanted }) => [ms.toFixed(1), mode, kind, wanted, query])
  const columns: readonly Column[] = [
    { name: 'ms', align: 'right' },
    { name: 'mode' },
    { name: 'asked by' },
    { name: 'wanted' },
    { name: 'query', wraps: true },
  ]
  return `${title}\n\n${renderTable(columns, rows, look)}`
}

const COLUMNS: readonly Column[] = [
  { name: 'asked by' },
  { name: 'mode' },
  ...['queries', 'hit@1 % [95 %]', 'hit@5 % [95 %]', 'nDCG@10 [95 %]', 'ms p50 / p99'].map(
    (name): Column => ({ name, align: 'right' }),
  ),
]

function scoreTable(rows: readonly (readonly string[])[], look: Look): string {
  if (fits(renderTable(COLUMNS, rows), look)) return renderTable(COLUMNS, rows, look)
  const narrow = renderTable(
    COLUMNS.map((column) => ({ ...column, name: withoutInterval(column.name) })),
    rows.map((row) => row.map(withoutInterval)),
    look,
  )
  return `${narrow}A wider terminal shows the intervals too, and so does --json.\n`
}

function fits(table: string, { width = Number.POSITIVE_INFINITY }: Look): boolean {
  return table.split('\n').every((line) => line.length <= width)
}

/** Removes the confidence interval from a cell that has no room for it. */
function withoutInterval(cell: string): string {
  return cell.replace(/ \[[^\]]*\]$/, '')
}

function percent({ value, low, high }: Estimate): string {
  const show = (part: number): string => (100 * part).toFixed(1)
  return `${show(value)} [${show(low)}, ${show(high)}]`
}
