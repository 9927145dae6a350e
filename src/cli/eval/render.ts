import type { NotedQuery } from '../../app/eval/report.ts'
import type { Estimate } from '../../app/eval/statistics.ts'
import { type Column, renderTable, type TableOptions } from '../output/table.ts'
import type { CollectionsReport, CollectionsSide } from './collections.ts'
import type { VaultReport, VaultSide } from './vault.ts'

/** The report on a vault, for people. */
export function renderVaultReport({ sides, differences }: VaultReport, options: TableOptions): string {
  const parts = sides.map((side) => renderVaultSide(side, options))
  if (differences !== undefined) {
    const rows = differences.map(({ kind, mode, mrr }) => [kind, mode, signed(mrr)])
    parts.push(`${titleOf('MRR', sides)}\n\n${table(['queries', 'mode'], ['difference [95 %]'], rows, options)}`)
  }
  return parts.join('\n')
}

/** The report on collections, for people. */
export function renderCollectionsReport({ sides, differences }: CollectionsReport, options: TableOptions): string {
  const parts = sides.map((side) => renderCollectionsSide(side, options))
  if (differences !== undefined) {
    const rows = differences.map(({ collection, mode, ndcg }) => [collection, mode, signed(ndcg)])
    parts.push(`${titleOf('nDCG@10', sides)}\n\n${table(['collection', 'mode'], ['difference [95 %]'], rows, options)}`)
  }
  return parts.join('\n')
}

function renderVaultSide(side: VaultSide, options: TableOptions): string {
  const rows = side.scores.map(({ kind, mode, queries, hit1, hit5, mrr, median, p99 }) => [
    kind,
    mode,
    String(queries),
    percent(hit1),
    percent(hit5),
    share(mrr),
    `${median.toFixed(1)} / ${p99.toFixed(1)}`,
  ])
  const figures = ['queries', 'hit@1 % [95 %]', 'hit@5 % [95 %]', 'MRR@10 [95 %]', 'ms p50 / p99']
  return [
    `${headOf(side)}\n\n${table(['asked by', 'mode'], figures, rows, options)}`,
    queryList('Slowest', side.slowest, options),
    queryList('Not among the first ten', side.missed.slice(0, SHOWN), options),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** Of what was missed; `--json` has more. */
const SHOWN = 10

function renderCollectionsSide(side: CollectionsSide, options: TableOptions): string {
  const rows = side.scores.map(({ collection, mode, queries, ndcg, recall, mrr }) => [
    collection,
    mode,
    String(queries),
    share(ndcg),
    share(recall),
    share(mrr),
  ])
  const figures = ['queries', 'nDCG@10 [95 %]', 'recall@100 [95 %]', 'MRR@10 [95 %]']
  return `${headOf(side)}\n\n${table(['collection', 'mode'], figures, rows, options)}`
}

function headOf({ settings, embedder }: { readonly settings: string; readonly embedder: string | null }): string {
  const by = embedder === null ? 'by words only' : `by words and by meaning (${embedder})`
  return settings === 'default' ? `Found ${by}` : `With ${settings}, found ${by}`
}

function titleOf(figure: string, sides: readonly { readonly settings: string }[]): string {
  return `${figure} with ${sides[1]?.settings ?? ''} less that with ${sides[0]?.settings ?? ''}`
}

function queryList(title: string, queries: readonly NotedQuery[], options: TableOptions): string {
  if (queries.length === 0) return ''
  const rows = queries.map(({ ms, mode, kind, query, wanted }) => [ms.toFixed(1), mode, kind, wanted, query])
  const columns: readonly Column[] = [
    { name: 'ms', align: 'right' },
    { name: 'mode' },
    { name: 'asked by' },
    { name: 'wanted' },
    { name: 'query', wraps: true },
  ]
  return `${title}\n\n${renderTable(columns, rows, options)}`
}

function table(
  names: readonly string[],
  figures: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const columns = [...names.map((name) => ({ name })), ...figures.map((name): Column => ({ name, align: 'right' }))]
  if (fits(renderTable(columns, rows), options)) return renderTable(columns, rows, options)
  const narrow = renderTable(
    columns.map((column) => ({ ...column, name: withoutInterval(column.name) })),
    rows.map((row) => row.map(withoutInterval)),
    options,
  )
  return `${narrow}A wider terminal shows the intervals too, and so does --json.\n`
}

function fits(table: string, { width = Number.POSITIVE_INFINITY }: TableOptions): boolean {
  return table.split('\n').every((line) => line.length <= width)
}

/** Half an interval says nothing: rather none than one that is cut. */
function withoutInterval(cell: string): string {
  return cell.replace(/ \[[^\]]*\]$/, '')
}

function percent({ value, low, high }: Estimate): string {
  const show = (part: number): string => (100 * part).toFixed(1)
  return `${show(value)} [${show(low)}, ${show(high)}]`
}

function share({ value, low, high }: Estimate): string {
  return `${value.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]`
}

function signed({ value, low, high }: Estimate): string {
  const show = (part: number): string => `${part < 0 ? '−' : '+'}${Math.abs(part).toFixed(4)}`
  return `${show(value)} [${show(low)}, ${show(high)}]`
}
