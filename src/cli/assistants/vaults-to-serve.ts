import { isAbsolute, join, resolve } from 'node:path'
import { CONFIG_FILE } from '../../config/config-file.ts'
import { userFolders } from '../../config/folders.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { Invocation } from '../session.ts'

/** How a server that is started elsewhere finds the vaults that are meant here. */
export interface VaultsToServe {
  /** A folder or a name; absent for all that its settings name. */
  readonly vault?: string
  /** A settings file that it would not read otherwise. */
  readonly config?: string
}

/**
 * How a program that starts a server in a folder of its own has it serve these vaults.
 * @throws RouxError `INVALID_SETTINGS` for several vaults that are named where such a server does not look.
 */
export function vaultsToServe(invocation: Invocation, { server, vaults }: LoadedVaults): VaultsToServe {
  const [{ name, settings }, ...more] = vaults
  if (name === undefined) return { vault: settings.vault.path }
  const sources = new Set(vaults.map((vault) => sourceOf(server.origins.get(`vaults.${vault.name}`))))
  const elsewhere = [...sources].filter((source) => !isReadEverywhere(source, invocation))
  if (elsewhere.length === 0) return more.length === 0 ? { vault: name } : {}
  if (more.length === 0) return { vault: settings.vault.path }
  const [file = '', ...others] = elsewhere
  if (others.length === 0 && isAbsolute(file) && !invocation.options.has('config')) return { config: file }
  throw new RouxError(
    'INVALID_SETTINGS',
    `The vaults are named by ${elsewhere.join(' and ')}, which a server that is started elsewhere does not read.`,
    {
      hint: `Name them in ${ownFile(invocation)}, or one of them: --vault <folder>.`,
    },
  )
}

/** `--set` is written into the entry as it is given. */
function isReadEverywhere(source: string, invocation: Invocation): boolean {
  const { host, options } = invocation
  const config = options.get('config') as string | undefined
  return [...(config === undefined ? [] : [resolve(host.cwd, config)]), ownFile(invocation), '--set'].includes(source)
}

function ownFile({ host }: Invocation): string {
  return join(userFolders(host.env).config, CONFIG_FILE)
}

/** The file of `/x/roux.config.yaml:3`; what is no file as it is. */
function sourceOf(origin = ''): string {
  return origin.replace(/:\d+$/, '')
}
