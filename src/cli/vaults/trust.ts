import { join } from 'node:path'
import { CONFIG_FILE, readConfigFile } from '../../config/config-file.ts'
import { userFolders } from '../../config/folders.ts'
import { isDefault } from '../../config/given.ts'
import { folderMeant } from '../../config/load-vaults.ts'
import { widensTrust } from '../../config/settings-schema.ts'
import { fileTrust } from '../../config/trust.ts'
import { RouxError } from '../../core/errors.ts'
import { type Invocation, settingsInput } from '../session.ts'

/** Says that the settings file of a folder may widen trust, and shows what it then sets. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer } = invocation
  const path = join(await folderMeant(settingsInput(invocation, invocation.positionals[0])), CONFIG_FILE)
  const file = await readConfigFile(path)
  if (file === undefined)
    throw new RouxError('INVALID_SETTINGS', `There is no file ${path}.`, {
      hint: '"roux init" writes one; "roux trust <folder>" names another folder.',
    })
  const [problem] = file.problems
  if (problem) throw problem
  fileTrust(userFolders(host.env).state).trust(file)
  const widening = file.given
    .filter((item) => widensTrust(item.key, item.raw) && !isDefault(item))
    .map(({ key, raw }) => ({ key, value: raw }))
  if (printer.json) await printer.answer({ path, trusted: true, settings: widening })
  else {
    await printer.text(`Trusted ${path} as it is now; after a change it waits again.\n`)
    if (widening.length > 0) await printer.answer(widening)
  }
  return 0
}
