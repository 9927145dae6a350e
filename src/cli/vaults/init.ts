import { createHash } from 'node:crypto'
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_FILE } from '../../config/config-file.ts'
import { settingsDocument } from '../../config/document.ts'
import { userFolders } from '../../config/folders.ts'
import { fileTrust } from '../../config/trust.ts'
import { RouxError } from '../../core/errors.ts'
import { type Invocation, requireSettings } from '../session.ts'

/** Writes a settings file with every key into the vault and trusts it; one that is there is left alone. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer } = invocation
  const { settings } = await requireSettings(invocation, invocation.positionals[0])
  const path = join(settings.vault.path, CONFIG_FILE)
  const tools = (await host.tools()).map((tool) => tool.definition())
  const text = settingsDocument(tools, { inactive: true, without: ['vault.path'] })
  createFile(path, text)
  fileTrust(userFolders(host.env).state).trust({
    realPath: realpathSync.native(path),
    sha256: createHash('sha256').update(text).digest('hex'),
  })
  if (printer.json) await printer.answer({ path, trusted: true })
  else
    await printer.text(
      `Wrote ${path}.\nEvery setting is in it, switched to nothing: take away a # to set one.\nAfter editing a setting that widens trust, say "roux trust" again.\n`,
    )
  return 0
}

function createFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new RouxError('NODE_EXISTS', `${path} is there already.`, {
        hint: 'Edit it; "roux help settings" tells the settings.',
        cause,
      })
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new RouxError('VAULT_NOT_FOUND', `${path} has no folder to be in.`, { hint: 'Make the folder first.', cause })
    throw new RouxError('PERMISSION_DENIED', `${path} cannot be written: ${message}.`, {
      hint: 'Make the folder writable.',
      cause,
    })
  }
}
