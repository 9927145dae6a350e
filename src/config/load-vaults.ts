import { realpathSync } from 'node:fs'
import { RouxError } from '../core/errors.ts'
import { type LoadedSettings, readSettings, requireRight, type SettingsInput, VAULT_NAME } from './load.ts'

/** One vault and its settings. */
export interface LoadedVault extends LoadedSettings {
  /** Where the settings name several. */
  readonly name?: string
  /** The vault's name in the database, when it is served without its folder. */
  readonly stored?: string
}

export interface LoadedVaults {
  /** Settings that belong to no vault: the offered tools and the sources of settings. */
  readonly server: LoadedSettings
  /** At least one; several have a name each. */
  readonly vaults: readonly [LoadedVault, ...LoadedVault[]]
}

/**
 * The selected vaults: one by folder or name, otherwise all of `vaults`, otherwise that of `vault.path`. The file in a
 * vault's folder applies to that vault, except `tools.*`, which belong to the server.
 * @throws RouxError `INVALID_SETTINGS` for the first problem
 */
export async function loadVaults(input: SettingsInput): Promise<LoadedVaults> {
  const loaded = await readVaults(input)
  for (const one of [loaded.server, ...loaded.vaults]) requireRight(one)
  return loaded
}

/**
 * Like `loadVaults`, but answers what is wrong instead of throwing it: in `server` what is so for all, and which vaults are left out; in
 * each vault what is so in its own file. With settings that are wrong for all there is one vault, because what they name may be another.
 */
export async function readVaults(input: SettingsInput): Promise<LoadedVaults> {
  const read = await readSettings(input)
  if (read.problems.length > 0) return { server: read, vaults: [read] }
  const stored = storedVaults(input, read)
  if (stored !== undefined) return stored
  const { distinct, problems } = separate(Object.entries(read.settings.vaults))
  const server = { ...read, problems }
  const meant = input.vault === undefined ? distinct : distinct.filter(([name]) => name === input.vault)
  const [first, ...more] = isNamedElsewhere(input, server) ? [] : meant
  if (first === undefined) return { server, vaults: [server] }
  const readOne = (one: Named): Promise<LoadedVault> => readNamed(one, input, server)
  return { server, vaults: [await readOne(first), ...(await Promise.all(more.map(readOne)))] }
}

/** The folder of the selected vault, by folder or name. Leaves problems in settings to the code that uses them. */
export async function folderMeant(input: SettingsInput): Promise<string> {
  const { settings } = await readSettings(input)
  const named = Object.entries(settings.vaults).find(([name]) => name === input.vault)
  return named?.[1] || settings.vault.path
}

/** The vaults of a database that are answered for without their folders; one needs no name. */
function storedVaults({ vault }: SettingsInput, read: LoadedSettings): LoadedVaults | undefined {
  const { store, tools } = read.settings
  const listed = [...new Set(store['neo4j.vaults'])]
  if (store.type !== 'neo4j' || listed.length === 0) return undefined
  const meant = listed.filter((name) => vault === undefined || name === vault)
  // A folder that is named is meant as a folder.
  const [first, ...more] = meant
  if (first === undefined) return undefined
  // Notes are written where their folder is.
  const settings = { ...read.settings, tools: { ...tools, write: false, attach: false } }
  const problems = listed.length === 1 ? [] : listed.filter((name) => !VAULT_NAME.test(name)).map(notInIds)
  const server = { ...read, settings, problems }
  const named = (name: string): LoadedVault => ({
    ...server,
    problems: [],
    stored: name,
    ...(listed.length === 1 ? {} : { name }),
  })
  return { server, vaults: [named(first), ...more.map(named)] }
}

function notInIds(name: string): RouxError {
  return new RouxError('INVALID_SETTINGS', `store.neo4j.vaults: "${name}" cannot be used before the colon of an id.`, {
    hint: 'Feed it under a name of lower-case letters, digits, "-" and "_" (vaults.<name>), or list it alone.',
  })
}

type Named = readonly [name: string, path: string]

/** `ROUX_VAULT`, by either of its names, and `--set vault.path` for one run mean that vault alone. */
function isNamedElsewhere({ vault }: SettingsInput, { origins }: LoadedSettings): boolean {
  return vault === undefined && ['ROUX_VAULT', 'ROUX_VAULT_PATH', '--set'].includes(origins.get('vault.path') ?? '')
}

async function readNamed([name, path]: Named, input: SettingsInput, server: LoadedSettings): Promise<LoadedVault> {
  const own = await readSettings({ ...input, vault: path })
  const { tools } = server.settings
  return { ...own, settings: { ...own.settings, tools }, vaultNamed: server.vaultNamed, name }
}

/** The vaults that have a folder of their own, and what is wrong with the others. */
function separate(named: readonly Named[]): { readonly distinct: readonly Named[]; readonly problems: readonly RouxError[] } {
  const byFolder = new Map<string, Named>()
  const problems: RouxError[] = []
  for (const one of named) {
    const [name, path] = one
    const folder = realFolder(path)
    const other = byFolder.get(folder)
    if (path !== '' && other === undefined) {
      byFolder.set(folder, one)
      continue
    }
    const what =
      path === '' ? `vaults.${name} is empty` : `vaults.${name} and vaults.${other?.[0]} are the same folder, ${folder}`
    problems.push(new RouxError('INVALID_SETTINGS', `${what}.`, { hint: 'Give every vault a folder of its own.' }))
  }
  return { distinct: [...byFolder.values()], problems }
}

/** The real path of a folder, whichever link or spelling reaches it; a missing folder stays as written. */
function realFolder(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
