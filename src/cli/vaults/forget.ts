import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { History } from '../../compose/index.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import { amount } from '../output/amounts.ts'
import { type Invocation, requireSettings } from '../session.ts'
import { UsageError } from '../usage-error.ts'

/** Forgets what is remembered of a vault's past: what changed in its graph, and what was written. Asks before. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const { settings } = await requireSettings(invocation, positionals[0])
  const { readHistory, forgetHistory } = await host.compose()
  const known = readHistory(settings)
  if (known.changes + known.commits === 0) {
    if (printer.json) await printer.answer({ forgotten: { changes: 0, commits: 0 } })
    else await printer.text(`Nothing is remembered of ${settings.vault.path}.\n`)
    return 0
  }
  if (!(await isMeant(invocation, settings, known))) {
    printer.note('Nothing was forgotten.')
    return 1
  }
  const { changes, commits, unfinished } = forgetHistory(settings)
  if (unfinished > 0)
    printer.warn(
      `${amount(unfinished, 'change')} that did not end yet stayed: the next server or command that opens the vault ends them.`,
    )
  if (printer.json) await printer.answer({ forgotten: { changes, commits } })
  else await printer.text(`Forgotten: ${describe({ changes, commits })}.\n`)
  return 0
}

async function isMeant({ host, options }: Invocation, settings: LoadedVault['settings'], known: History): Promise<boolean> {
  if (options.get('yes') === true) return true
  if (host.stdin.isTTY !== true)
    throw new UsageError('It is not said that this is meant, and there is no one to ask.', 'Write: roux forget --yes')
  const lines = createInterface({ input: host.stdin, output: host.stderr })
  try {
    const asked = lines.question(
      `Forget ${describe(known)} of ${settings.vault.path}? None of it can be undone or told any more; notes stay as they are. [y/N] `,
    )
    // An input that is closed is no consent.
    const ended = once(lines, 'close').then(() => '')
    return /^y(es)?$/i.test((await Promise.race([asked, ended])).trim())
  } finally {
    lines.close()
  }
}

function describe({ changes, commits }: Pick<History, 'changes' | 'commits'>): string {
  return `${amount(changes, 'change')} in the record for undo, ${amount(commits, 'entry', 'entries')} in the log of what changed`
}
