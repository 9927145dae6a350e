import { askKnownItems, IN_OTHER_WORDS, knownItems } from '../../app/eval/known-items.ts'
import {
  type EvaluatedMode,
  type MeaningGain,
  meaningGains,
  missed,
  type NotedQuery,
  scoreKnownItems,
  slowest,
  type VaultReport,
} from '../../app/eval/report.ts'
import type { Estimate } from '../../app/eval/statistics.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { invalid } from '../../core/errors.ts'
import { NO_TIMEOUT } from '../../core/waiting.ts'
import { interruptible, UsageError } from '../host.ts'
import { ProgressLine } from '../output/progress.ts'
import { type Column, renderTable } from '../output/table.ts'
import { type Look, wrapSentence } from '../output/text.ts'
import { type Invocation, requireSettings, withCore } from '../session.ts'

const QUERIES = 200
const SEED = 1
const SLOWEST = 5
const MISSED_PER_KIND = 20

export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const count = readCount(invocation.options.get('queries'))
  return await interruptible(host, async (signal) => {
    const patient = { ...invocation, alwaysShowsProgress: true, signal }
    const loaded = await requireSettings(invocation, positionals[0])
    const report = await withCore(patient, loaded, (core) => evaluate(patient, core, { count, path: loaded.settings.vault.path }))
    await printer.answer(report, { render: (_, look) => renderVaultReport(report, look) })
    return 0
  })
}

function readCount(value: unknown): number {
  const count = (value as number | undefined) ?? QUERIES
  if (count >= 1) return count
  throw new UsageError(`--queries must be 1 or more; got ${count}.`)
}

async function evaluate(
  { options, printer, signal }: Invocation & { readonly signal: AbortSignal },
  core: GraphCore,
  { count, path }: { readonly count: number; readonly path: string },
): Promise<VaultReport> {
  await core.indexing.awaitFindable('words', NO_TIMEOUT, signal)
  if (core.embedding !== undefined) await core.indexing.awaitFindable('meaning', NO_TIMEOUT, signal)
  const { message } = core.indexing.status().search ?? {}
  if (message !== undefined) printer.warn(message)
  const states = core.embedding === undefined ? [] : await core.store.read((snapshot) => snapshot.vectorStates())
  const modes = core.embedding === undefined ? (['keyword'] as const) : (['keyword', 'semantic', 'hybrid'] as const)
  const seed = (options.get('seed') as number | undefined) ?? SEED
  const items = await knownItems(core, { count, seed, signal })
  if (items.length === 0) throw invalid('The vault has no notes to test search with.')
  const progress = new ProgressLine(printer, { always: true })
  const total = items.length * modes.length
  let doneCount = 0
  const onAsked = (): void =>
    progress.show({ stage: 'queries', done: ++doneCount, total, text: `Queries: ${doneCount} of ${total}` })
  const results: EvaluatedMode[] = []
  for (const mode of modes) results.push({ mode, results: await askKnownItems(core, items, { mode, call: { signal }, onAsked }) })
  progress.clear()
  return {
    vault: path,
    seed,
    embedder: states[0]?.embedder ?? null,
    scores: scoreKnownItems(results),
    meaning: meaningGains(results),
    slowest: slowest(results, SLOWEST),
    missed: missed(results.slice(-1), MISSED_PER_KIND),
  }
}

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
    meaningSentence(meaning, look),
    queryList('Slowest', slowest, look),
    queryList('Not among the first ten', missed.slice(0, SHOWN), look),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function meaningSentence(gains: readonly MeaningGain[], { width }: Look): string {
  const gainList = (gains: readonly MeaningGain[]) =>
    gains.map(({ kind, gain }) => `${kind} ${signedGain(gain)}${significance(gain)}`).join('; ')
  const worth = gainList(gains.filter(({ kind }) => kind === IN_OTHER_WORDS))
  const copied = gainList(gains.filter(({ kind }) => kind !== IN_OTHER_WORDS))
  const sentences = [
    ...(worth === ''
      ? []
      : [`Gain from search by meaning for questions in other words than the note's (nDCG@10 minus that by words): ${worth}.`]),
    ...(copied === '' ? [] : [`Its effect on queries in the note's own words: ${copied}.`]),
  ]
  return sentences.map((sentence) => `${wrapSentence(sentence, width, '  ')}\n`).join('')
}

function signedGain({ value, low, high }: Estimate): string {
  const show = (part: number): string => (part < 0 ? part.toFixed(3) : `+${part.toFixed(3)}`)
  return `${show(value)} [${show(low)}, ${show(high)}]`
}

/** Describes an interval. One that contains 0 proves no difference. */
function significance({ low, high }: Estimate): string {
  return low > 0 ? ' (better)' : high < 0 ? ' (worse)' : ''
}

const SHOWN = 10

function queryList(title: string, queries: readonly NotedQuery[], look: Look): string {
  if (queries.length === 0) return ''
  const rows = queries.map(({ ms, mode, kind, query, wanted }) => [ms.toFixed(1), mode, kind, wanted, query])
  const columns: readonly Column[] = [
    { name: 'ms', align: 'right' },
    { name: 'mode' },
    { name: 'asked by' },
    { name: 'wanted' },
    { name: 'query', isProse: true },
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

function withoutInterval(cell: string): string {
  return cell.replace(/ \[[^\]]*\]$/, '')
}

function percent({ value, low, high }: Estimate): string {
  const show = (part: number): string => (100 * part).toFixed(1)
  return `${show(value)} [${show(low)}, ${show(high)}]`
}
