import { askKnownItems } from '../../app/eval/ask.ts'
import { knownItems } from '../../app/eval/known-items.ts'
import { type EvaluatedMode, meaningGains, missed, scoreKnownItems, slowest, type VaultReport } from '../../app/eval/report.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { invalid } from '../../core/errors.ts'
import { NO_TIMEOUT } from '../../core/waiting/aborting.ts'
import { interruptible, UsageError } from '../host.ts'
import { ProgressLine } from '../output/progress.ts'
import { type Invocation, requireSettings, withCore } from '../session.ts'
import { renderVaultReport } from './render.ts'

const QUERIES = 200
const SEED = 1
const SLOWEST = 5
const MISSED_PER_KIND = 20

export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const count = readCount(invocation.options.get('queries'))
  return await interruptible(host, async (signal) => {
    const patient = { ...invocation, loud: true, signal }
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

/**
 * Waits until indexing is complete, then runs queries for the vault's own notes in every search mode.
 * @throws RouxError if the vault has no notes
 */
async function evaluate(
  { options, printer, signal }: Invocation & { readonly signal: AbortSignal },
  core: GraphCore,
  { count, path }: { readonly count: number; readonly path: string },
): Promise<VaultReport> {
  await core.indexing.findable('words', NO_TIMEOUT, signal)
  if (core.embedding !== undefined) await core.indexing.findable('meaning', NO_TIMEOUT, signal)
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
