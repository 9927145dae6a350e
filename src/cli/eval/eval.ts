import { type LoadedSettings, loadSettings } from '../../config/load.ts'
import { interruptible, UsageError } from '../host.ts'
import { type Invocation, requireSettings, settingsInput } from '../session.ts'
import { evalCollections } from './collections.ts'
import { renderCollectionsReport, renderVaultReport } from './render.ts'
import { readSides } from './sides.ts'
import { Scratch, type Trial } from './trial.ts'
import { evalVault } from './vault.ts'

const QUERIES = 200
const SEED = 1

/** Tells how well notes are found: a vault's own, or those of collections with judgements. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, options, positionals } = invocation
  const folders = (options.get('collection') as readonly string[] | undefined) ?? []
  const [vault] = positionals
  if (folders.length > 0 && vault !== undefined)
    throw new UsageError(`A collection brings its own notes; "${vault}" is not read.`, 'Leave the vault or --collection out.')
  return await interruptible(host, (signal) => evaluate(invocation, { folders, vault, signal }))
}

interface Evaluating {
  readonly folders: readonly string[]
  readonly vault: string | undefined
  readonly signal: AbortSignal
}

async function evaluate(invocation: Invocation, { folders, vault, signal }: Evaluating): Promise<number> {
  const { host, options, printer } = invocation
  const scratch = new Scratch()
  const trial: Trial = {
    invocation,
    sides: readSides(options.get('compare') as string | undefined),
    count: readCount(options.get('queries')),
    seed: (options.get('seed') as number | undefined) ?? SEED,
    scratch,
    signal,
    load: (assignments) => load(withSet(invocation, assignments), folders.length > 0 ? 'no vault' : { vault }),
  }
  try {
    const shown = { ...(host.stdout.columns ? { width: host.stdout.columns } : {}), head: (text: string) => printer.bold(text) }
    if (folders.length > 0) {
      const report = await evalCollections(trial, folders)
      await (printer.json ? printer.answer(report) : printer.text(renderCollectionsReport(report, shown)))
    } else {
      const report = await evalVault(trial)
      await (printer.json ? printer.answer(report) : printer.text(renderVaultReport(report, shown)))
    }
    return 0
  } finally {
    scratch.remove()
  }
}

function readCount(given: unknown): number {
  const count = (given as number | undefined) ?? QUERIES
  if (count >= 1) return count
  throw new UsageError(`--queries must be 1 or more; got ${count}.`)
}

function withSet(invocation: Invocation, assignments: readonly string[]): Invocation {
  const given = (invocation.options.get('set') as readonly string[] | undefined) ?? []
  return { ...invocation, options: new Map([...invocation.options, ['set', [...given, ...assignments]]]) }
}

/** A collection is no vault of the user's: nothing is asked of the folder that the settings name. */
async function load(invocation: Invocation, from: 'no vault' | { readonly vault: string | undefined }): Promise<LoadedSettings> {
  if (from !== 'no vault') return await requireSettings(invocation, from.vault)
  const loaded = await loadSettings(settingsInput(invocation))
  for (const warning of loaded.warnings) invocation.printer.warn(warning)
  return loaded
}
