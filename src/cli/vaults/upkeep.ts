import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { History } from '../../compose/index.ts'
import { CONFIG_FILE, type FileVersion, fileTrust, readConfigFile } from '../../config/config-file.ts'
import { settingsDocument } from '../../config/document.ts'
import { userFolders } from '../../config/environment.ts'
import { isDefault } from '../../config/given.ts'
import { type LoadedVault, vaultFolder } from '../../config/load-vaults.ts'
import { widensTrust } from '../../config/settings-schema.ts'
import { RouxError } from '../../core/errors.ts'
import { amount } from '../../core/text/format.ts'
import { UsageError } from '../host.ts'
import { type Invocation, requireSettings, settingsInput } from '../session.ts'

/** Writes and trusts a settings file, unless there is one. */
export async function init(invocation: Invocation): Promise<number> {
  const { host, printer } = invocation
  const { settings } = await requireSettings(invocation, invocation.positionals[0])
  const path = join(settings.vault.path, CONFIG_FILE)
  const tools = (await host.tools()).map((tool) => tool.definition())
  const text = settingsDocument(tools, { inactive: true, without: ['vault.path'] })
  createFile(path, text)
  const file = { realPath: realpathSync.native(path), sha256: createHash('sha256').update(text).digest('hex') }
  const trusted = savesTrust(invocation, file)
  const message = `Wrote ${path}.\nIt lists every setting as a comment: remove a # to set one.\nAfter editing a setting that widens trust, run "roux trust" again.\n`
  await printer.answer({ path, trusted }, { render: () => message })
  return 0
}

/** Warns if trust cannot be saved. A new file has only comments, so it works without trust. */
function savesTrust({ host, printer }: Invocation, file: FileVersion): boolean {
  try {
    fileTrust(userFolders(host.env).state).trust(file)
    return true
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    printer.warn(error.message)
    return false
  }
}

function createFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new RouxError('NODE_EXISTS', `${path} already exists.`, {
        hint: 'Edit it; "roux help settings" explains the settings.',
        cause,
      })
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new RouxError('VAULT_NOT_FOUND', `${path} is in a folder that does not exist.`, {
        hint: 'Create the folder first.',
        cause,
      })
    throw new RouxError('PERMISSION_DENIED', `${path} cannot be written: ${message}.`, {
      hint: 'Make the folder writable.',
      cause,
    })
  }
}

export async function trust(invocation: Invocation): Promise<number> {
  const { host, printer } = invocation
  const path = join(await vaultFolder(settingsInput(invocation, invocation.positionals[0])), CONFIG_FILE)
  const file = await readConfigFile(path)
  if (file === undefined)
    throw new RouxError('INVALID_SETTINGS', `There is no file ${path}.`, {
      hint: 'Create it with "roux init", or trust another folder: "roux trust <folder>".',
    })
  const [problem] = file.problems
  if (problem) throw problem
  fileTrust(userFolders(host.env).state).trust(file)
  const widening = file.given
    .filter((item) => widensTrust(item.key, item.raw) && !isDefault(item))
    .map(({ key, raw }) => ({ key, value: raw }))
  if (printer.json) await printer.answer({ path, trusted: true, settings: widening })
  else {
    await printer.text(`Trusted ${path} as it is now. If the file changes, trust it again.\n`)
    if (widening.length > 0) await printer.answer(widening)
  }
  return 0
}

export async function forget(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const { settings } = await requireSettings(invocation, positionals[0])
  const { readHistory, forgetHistory } = await host.compose()
  const history = readHistory(settings)
  if (history.changes + history.commits === 0) {
    const noHistory = `There is no history of ${settings.vault.path}.\n`
    await printer.answer({ forgotten: { changes: 0, commits: 0 } }, { render: () => noHistory })
    return 0
  }
  if (!(await isConfirmed(invocation, settings, history))) {
    printer.note('Nothing was removed.')
    return 1
  }
  const { changes, commits, unfinished } = forgetHistory(settings)
  if (unfinished > 0)
    printer.warn(
      `${amount(unfinished, 'change')} that did not finish are kept: the next server or command that opens the vault completes or undoes them.`,
    )
  const message = `Forgotten: ${describe({ changes, commits })}.\n`
  await printer.answer({ forgotten: { changes, commits } }, { render: () => message })
  return 0
}

async function isConfirmed({ host, options }: Invocation, settings: LoadedVault['settings'], history: History): Promise<boolean> {
  if (options.get('yes') === true) return true
  if (host.stdin.isTTY !== true)
    throw new UsageError(
      'This command asks for confirmation, but there is no terminal.',
      `Add --yes to forget the history of ${settings.vault.path}.`,
    )
  const lines = createInterface({ input: host.stdin, output: host.stderr })
  try {
    const reply = lines.question(
      `Forget ${describe(history)} of ${settings.vault.path}? Earlier changes can then no longer be undone or listed. Your notes are not affected. [y/N] `,
    )
    // The end of input counts as "no".
    const inputEnd = once(lines, 'close').then(() => '')
    return /^y(es)?$/i.test((await Promise.race([reply, inputEnd])).trim())
  } finally {
    lines.close()
  }
}

function describe({ changes, commits }: Pick<History, 'changes' | 'commits'>): string {
  return `${amount(changes, 'change')} in the record for undo, ${amount(commits, 'entry', 'entries')} in the log of what changed`
}
