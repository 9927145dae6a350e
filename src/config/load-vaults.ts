import { realpathSync } from 'node:fs'
import { RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { type LoadedSettings, readSettings, requireValid, type SettingsInput, VAULT_NAME } from './load.ts'

export interface LoadedVault extends LoadedSettings {
  readonly name?: string
  /** The vault's name in the database, if it has no folder. */
  readonly stored?: string
}

export interface LoadedVaults {
  /** Settings that do not depend on a vault, such as the offered tools. */
  readonly server: LoadedSettings
  /** If there are several, each has a name. */
  readonly vaults: readonly [LoadedVault, ...LoadedVault[]]
}

/**
 * Loads the selected vault, all of `vaults`, or `vault.path`. The settings file in a vault applies only to that vault, except for
 * `tools.*`.
 * @throws the error of `loadSettings`
 */
export async function loadVaults(input: SettingsInput): Promise<LoadedVaults> {
  const loadedVaults = await readVaults(input)
  for (const loadedSettings of [loadedVaults.server, ...loadedVaults.vaults]) requireValid(loadedSettings)
  return loadedVaults
}

/**
 * Works like `loadVaults`, but returns problems. `server` has the common problems, and each vault those of its own file. If
 * common settings are invalid, there is only one vault, because the settings may refer to another.
 */
export async function readVaults(input: SettingsInput): Promise<LoadedVaults> {
  const read = await readSettings(input)
  if (read.problems.length > 0) return { server: read, vaults: [read] }
  const stored = storedVaults(input, read)
  if (stored !== undefined) return stored
  const { distinct, problems } = separate(Object.entries(read.settings.vaults))
  const server = { ...read, problems }
  const selected = input.vault === undefined ? distinct : distinct.filter(([name]) => name === input.vault)
  const [first, ...more] = isVaultChosenForRun(input, server) ? [] : selected
  if (first === undefined) return { server, vaults: [server] }
  const readOne = (namedVault: NamedPath): Promise<LoadedVault> => readNamed(namedVault, input, server)
  return { server, vaults: [await readOne(first), ...(await Promise.all(more.map(readOne)))] }
}

/** Returns the folder of the selected vault. Problems in the settings are ignored. */
export async function vaultFolder(input: SettingsInput): Promise<string> {
  const { settings } = await readSettings(input)
  const entry = Object.entries(settings.vaults).find(([name]) => name === input.vault)
  return entry?.[1] || settings.vault.path
}

/** Returns the vaults of the database. A single vault needs no name. */
function storedVaults({ vault }: SettingsInput, read: LoadedSettings): LoadedVaults | undefined {
  const { store, tools } = read.settings
  const names = [...new Set(store['neo4j.vaults'])]
  if (store.type !== 'neo4j' || names.length === 0) return undefined
  const selected = names.filter((name) => vault === undefined || name === vault)
  // A name that is not in `store.neo4j.vaults` refers to a folder.
  const [first, ...more] = selected
  if (first === undefined) return undefined
  // Notes cannot be changed without a folder.
  const settings = { ...read.settings, tools: { ...tools, write: false, attach: false } }
  const problems = names.length === 1 ? [] : names.filter((name) => !VAULT_NAME.test(name)).map(notInIds)
  const server = { ...read, settings, problems }
  const toVault = (name: string): LoadedVault => ({
    ...server,
    problems: [],
    stored: name,
    ...(names.length === 1 ? {} : { name }),
  })
  return { server, vaults: [toVault(first), ...more.map(toVault)] }
}

function notInIds(name: string): RouxError {
  return new RouxError('INVALID_SETTINGS', `store.neo4j.vaults: "${name}" cannot be used as the prefix of an id.`, {
    hint: 'Feed it under a name of lower-case letters, digits, "-" and "_" (vaults.<name>), or list only this vault.',
  })
}

type NamedPath = readonly [name: string, path: string]

function isVaultChosenForRun({ vault }: SettingsInput, { origins }: LoadedSettings): boolean {
  return vault === undefined && ['ROUX_VAULT', 'ROUX_VAULT_PATH', '--set'].includes(origins.get('vault.path') ?? '')
}

async function readNamed([name, path]: NamedPath, input: SettingsInput, server: LoadedSettings): Promise<LoadedVault> {
  const vaultSettings = await readSettings({ ...input, vault: path })
  const { tools } = server.settings
  return { ...vaultSettings, settings: { ...vaultSettings.settings, tools }, vaultNamed: server.vaultNamed, name }
}

/** Separates vaults without a path, or with a duplicate folder, from the others. */
function separate(vaults: readonly NamedPath[]): {
  readonly distinct: readonly NamedPath[]
  readonly problems: readonly RouxError[]
} {
  const byFolder = new Map<string, NamedPath>()
  const problems: RouxError[] = []
  for (const namedVault of vaults) {
    const [name, path] = namedVault
    const folder = realFolder(path)
    const other = byFolder.get(folder)
    if (path !== '' && other === undefined) {
      byFolder.set(folder, namedVault)
      continue
    }
    const what =
      path === '' ? `vaults.${name} is empty` : `vaults.${name} and vaults.${other?.[0]} are the same folder, ${folder}`
    problems.push(new RouxError('INVALID_SETTINGS', `${what}.`, { hint: 'Give every vault its own folder.' }))
  }
  return { distinct: [...byFolder.values()], problems }
}

/** Resolves symbolic links and corrects case. A missing path is returned unchanged. */
export function realFolder(path: string): string {
  return quietly(() => realpathSync.native(path)) ?? path
}
