import { askKnownItems } from '../../app/eval/ask.ts'
import { knownItems } from '../../app/eval/known-items.ts'
import {
  type AskedMode,
  differencesOf,
  type KnownItemDifference,
  type KnownItemScores,
  missed,
  type NotedQuery,
  scoreKnownItems,
  slowest,
} from '../../app/eval/report.ts'
import type { LoadedSettings } from '../../config/load.ts'
import { RouxError } from '../../core/errors.ts'
import { Counter } from './progress.ts'
import { type Side, withOwnCache } from './sides.ts'
import { type Trial, withFindable } from './trial.ts'

/** How well a vault's own notes are found. */
export interface VaultReport {
  readonly vault: string
  readonly seed: number
  readonly sides: readonly VaultSide[]
  /** The second side's MRR less the first one's. */
  readonly differences?: readonly KnownItemDifference[]
}

export interface VaultSide {
  readonly settings: string
  readonly embedder: string | null
  readonly scores: readonly KnownItemScores[]
  readonly slowest: readonly NotedQuery[]
  /** What was not found among the first ten. */
  readonly missed: readonly NotedQuery[]
}

const SLOWEST = 5
const MISSED_OF_A_KIND = 20

/** Asks a vault for its own notes, with the settings of every side in turn. @throws RouxError where it has no notes. */
export async function evalVault(trial: Trial): Promise<VaultReport> {
  const own = await trial.load([])
  const asked: (readonly AskedMode[])[] = []
  const sides: VaultSide[] = []
  for (const side of trial.sides) {
    const loaded = withOwnCache(await trial.load(side.assignments), own, () => trial.scratch.folder())
    const answered = await askVault(trial, side, loaded)
    asked.push(answered.modes)
    sides.push(answered.report)
  }
  const [first, second] = asked
  return {
    vault: own.settings.vault.path,
    seed: trial.seed,
    sides,
    ...(first === undefined || second === undefined ? undefined : { differences: differencesOf(first, second) }),
  }
}

async function askVault(
  trial: Trial,
  { label }: Side,
  loaded: LoadedSettings,
): Promise<{ readonly modes: readonly AskedMode[]; readonly report: VaultSide }> {
  const { count, seed, signal, invocation } = trial
  return await withFindable(trial, loaded, async ({ core, modes, embedder }) => {
    const items = await knownItems(core, { count, seed, signal })
    if (items.length === 0) throw new RouxError('INVALID_PARAMS', 'The vault has no notes that could be asked for.')
    const counter = new Counter(invocation.printer, label === 'default' ? 'Queries' : `Queries with ${label}`)
    const answered: AskedMode[] = []
    for (const mode of modes) {
      const onAsked = (): void => counter.add(items.length * modes.length)
      answered.push({ mode, asked: await askKnownItems(core, items, { mode, call: { signal }, onAsked }) })
    }
    counter.end()
    const last = answered.slice(-1)
    const scores = scoreKnownItems(answered)
    const report = {
      settings: label,
      embedder,
      scores,
      slowest: slowest(answered, SLOWEST),
      missed: missed(last, MISSED_OF_A_KIND),
    }
    return { modes: answered, report }
  })
}
