import { realpathSync } from 'node:fs'
import { RouxError } from '../core/errors.ts'
import { type LoadedSettings, loadSettings, readSettings, type SettingsInput } from './load.ts'

/** One vault and its settings. */
export interface LoadedVault extends LoadedSettings {
  /** Where the settings name several. */
  readonly name?: string
}

export interface LoadedVaults {
  /** What belongs to no vault: the tools that are offered, and where the settings were found. */
  readonly server: LoadedSettings
  /** At least one; several have a name each. */
  readonly vaults: readonly [LoadedVault, ...LoadedVault[]]
}

/**
 * The vaults that are meant: the one that is named, by its folder or its name, else all of `vaults`, else the one of `vault.path`. What
 * the file in a vault's own folder says holds for that vault, but for the tools, which are the server's.
 * @throws RouxError `INVALID_SETTINGS` for the first thing that is wrong.
 */
export async function loadVaults(input: SettingsInput): Promise<LoadedVaults> {
  const server = await loadSettings(input)
  const named = Object.entries(server.settings.vaults)
  requireDistinct(named)
  const meant = input.vault === undefined ? named : named.filter(([name]) => name === input.vault)
  const [first, ...more] = isNamedElsewhere(input, server) ? [] : meant
  if (first === undefined) return { server, vaults: [server] }
  const load = (one: Named): Promise<LoadedVault> => loadNamed(one, input, server)
  return { server, vaults: [await load(first), ...(await Promise.all(more.map(load)))] }
}

/** The folder of the one vault that is meant, by its folder or its name; what is wrong in the settings is left to whoever uses them. */
export async function folderMeant(input: SettingsInput): Promise<string> {
  const { settings } = await readSettings(input)
  const named = Object.entries(settings.vaults).find(([name]) => name === input.vault)
  return named?.[1] || settings.vault.path
}

type Named = readonly [name: string, path: string]

/** Whoever says `ROUX_VAULT`, by either of its names, or `--set vault.path` for one run means that vault alone. */
function isNamedElsewhere({ vault }: SettingsInput, { origins }: LoadedSettings): boolean {
  return vault === undefined && ['ROUX_VAULT', 'ROUX_VAULT_PATH', '--set'].includes(origins.get('vault.path') ?? '')
}

async function loadNamed([name, path]: Named, input: SettingsInput, server: LoadedSettings): Promise<LoadedVault> {
  const own = await loadSettings({ ...input, vault: path })
  const { tools } = server.settings
  return { ...own, settings: { ...own.settings, tools }, vaultNamed: server.vaultNamed, name }
}

function requireDistinct(named: readonly Named[]): void {
  const byFolder = new Map<string, string>()
  for (const [name, path] of named) {
    const folder = realFolder(path)
    const other = byFolder.get(folder)
    if (path !== '' && other === undefined) byFolder.set(folder, name)
    else {
      const what = path === '' ? `vaults.${name} is empty` : `vaults.${name} and vaults.${other} are the same folder, ${folder}`
      throw new RouxError('INVALID_SETTINGS', `${what}.`, { hint: 'Give every vault a folder of its own.' })
    }
  }
}

/** A folder by whichever link or spelling it is reached; one that is not there as it is written. */
function realFolder(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
