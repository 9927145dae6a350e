import { accessSync, constants, existsSync, opendirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBeingRebuilt } from '../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../app/graph-core.ts'
import { type Vaults, vaultsOnDemand } from '../app/vaults.ts'
import type { AiDesk } from '../compose/index.ts'
import type { SettingsInput } from '../config/load.ts'
import { type LoadedVault, type LoadedVaults, loadVaults } from '../config/load-vaults.ts'
import { shellWord } from '../config/values.ts'
import { errorCode, providerError, RouxError } from '../core/errors.ts'
import { NO_TIMEOUT } from '../core/waiting.ts'
import type { Parsed } from './arguments.ts'
import { type Host, UsageError } from './host.ts'
import type { Printer } from './output/printer.ts'
import { ProgressLine } from './output/progress.ts'
import { folderIn } from './vaults/open-vaults.ts'

export interface Invocation extends Parsed {
  readonly host: Host
  readonly printer: Printer
  readonly alwaysShowsProgress?: boolean
  /** True if the work may already have written something when an index is found to be damaged, so it is not repeated. */
  readonly runsOnce?: boolean
  readonly signal?: AbortSignal
}

export function settingsInput({ host, options }: Invocation, vault?: string): SettingsInput {
  const option = options.get('vault') as string | undefined
  if (option !== undefined && vault !== undefined)
    throw new UsageError(`Two vaults were specified: "${option}" and "${vault}".`, 'Name only one of them.')
  const path = option ?? vault
  if (path === '') throw new UsageError('The name of the vault is empty.', 'Name a folder, or omit the name.')
  const config = options.get('config') as string | undefined
  return {
    cwd: host.cwd,
    env: host.env,
    set: [
      ...((options.get('set') as readonly string[] | undefined) ?? []),
      ...(options.get('write') === true ? WRITING : []),
      ...overHttp(options),
      ...settingGiven('store.type', options.get('store')),
      ...settingGiven('http.public_url', options.get('public-url')),
    ],
    ...(config === undefined ? {} : { config }),
    ...(path === undefined ? {} : { vault: path }),
    toolNames: async () => (await host.tools()).map(({ name }) => name),
  }
}

const WRITING: readonly string[] = ['tools.write=true', 'tools.attach=true']

function settingGiven(key: string, value: unknown): readonly string[] {
  return typeof value === 'string' ? [`${key}=${value}`] : []
}

/** Returns the settings for `--http`, and for `--port` of `roux open`. @throws UsageError for an invalid port */
function overHttp(options: Invocation['options']): readonly string[] {
  const value = options.get('http')
  if (typeof value !== 'number') return []
  if (value >= 0 && value <= 65_535) return [`http.port=${value}`]
  const flag = options.has('port') ? '--port' : '--http'
  throw new UsageError(`${flag} must be a port, a whole number from 0 to 65535; got ${value}.`, '0 means any free port.')
}

/** Loads the settings of all vaults. @throws RouxError if a setting is invalid or the folder is unlikely to be a vault */
export async function requireVaults(invocation: Invocation, vault?: string): Promise<LoadedVaults> {
  const loaded = invocation.host.loaded ?? (await loadVaults(settingsInput(invocation, vault)))
  const warnings = [loaded.server, ...loaded.vaults].flatMap((settings) => settings.warnings)
  for (const warning of new Set(warnings)) invocation.printer.warn(warning)
  for (const { vaultNamed, settings, stored, origins } of loaded.vaults) {
    const { path } = settings.vault
    if (!vaultNamed && stored === undefined) await refuseUnlikelyVault(invocation.host, path)
    const isHere = path === invocation.host.cwd && !vaultNamed && !origins.has('vault.path')
    const outer = isHere && !hasMarker(path) ? outerVault(path) : undefined
    if (outer !== undefined)
      invocation.printer.warn(
        `Only this folder is used. It is in the vault ${outer}: --vault ${shellWord(outer)} uses all of it.`,
      )
  }
  return loaded
}

export function requireFolders(vaults: readonly LoadedVault[], command: string): void {
  const elsewhere = vaults.find(({ stored }) => stored !== undefined)
  if (elsewhere === undefined) return
  throw new UsageError(`The folder of "${elsewhere.stored}" is unknown here.`, `Name the folder: roux ${command} <folder>`)
}

/**
 * Loads the settings of the selected vault.
 * @throws UsageError if several vaults are configured and none is selected, or the errors of `requireVaults`
 */
export async function requireSettings(invocation: Invocation, vault?: string): Promise<LoadedVault> {
  const { vaults } = await requireVaults(invocation, vault)
  const [only, ...more] = vaults
  if (more.length === 0) return only
  const names = vaults.map(({ name }) => name)
  throw new UsageError(`There are several vaults: ${names.join(', ')}.`, `Name one: --vault ${names[0]}`)
}

/**
 * Updates the index and calls `run`, and calls it again if the index was damaged.
 * @throws RouxError `VAULT_NOT_FOUND`, or the signal's reason
 */
export function withCore<T>(invocation: Invocation, loaded: LoadedVault, run: (core: GraphCore) => Promise<T>): Promise<T> {
  return withVaults(invocation, [loaded], async (vaults) => run(await vaults.open(loaded.name)))
}

/** Calls `run` with vaults that are opened on demand. @throws the errors of `withCore` when a vault is opened */
export async function withVaults<T>(
  invocation: Invocation,
  loaded: readonly LoadedVault[],
  run: (vaults: Vaults) => Promise<T>,
): Promise<T> {
  const { host, printer, alwaysShowsProgress = false } = invocation
  const progress = new ProgressLine(printer, { always: alwaysShowsProgress })
  const closers = new Map<GraphCore, () => void>()
  const { openCore, shareParts } = await host.compose()
  const shared = loaded.length > 1 ? shareParts() : undefined
  const open = async (name: string | undefined): Promise<GraphCore> => {
    const vault = loaded.find((candidate) => candidate.name === name)
    if (vault === undefined) throw new Error(`There is no vault ${name}.`)
    if (vault.stored === undefined) requireFolder(vault.settings.vault.path, Object.keys(vault.settings.vaults))
    const core = await openCore(vault.settings, {
      ...vault,
      watch: false,
      onError: (stack) => printer.note(stack),
      shared,
      onDownload: (download) => progress.download(download),
    })
    closers.set(core, progress.follow(core.indexing))
    await awaitUpToDate(invocation, core)
    return core
  }
  const names = loaded.flatMap(({ name }) => name ?? [])
  const vaults = vaultsOnDemand(names, open, folderIn(loaded))
  try {
    return await runWithRetry(invocation, { opened: () => [...closers.keys()], use: () => run(vaults) })
  } finally {
    for (const stop of closers.values()) stop()
    // An error must not be thrown here, because the result still has to be printed.
    const noteFailure = (error: unknown) => printer.note(String(error))
    await Promise.all([...closers.keys()].map((core) => core.close().catch(noteFailure)))
    await shared?.close().catch(noteFailure)
  }
}

export async function withDesk<T>(
  host: Host,
  { settings, aiKey }: Pick<LoadedVault, 'settings' | 'aiKey'>,
  use: (desk: AiDesk) => T | Promise<T>,
): Promise<T> {
  const { openAiDesk } = await host.compose()
  const desk = await openAiDesk(settings, aiKey)
  try {
    return await use(desk)
  } finally {
    desk.close()
  }
}

interface Use<T> {
  opened(): readonly GraphCore[]
  use(): Promise<T>
}

async function runWithRetry<T>(invocation: Invocation, { opened, use }: Use<T>): Promise<T> {
  try {
    return await use()
  } catch (error) {
    const damaged = opened().filter((core) => isBeingRebuilt(core, error))
    if (damaged.length === 0) throw error
    for (const core of damaged) await awaitUpToDate(invocation, core)
    if (invocation.runsOnce === true) throw error
    return await use()
  }
}

async function awaitUpToDate({ signal }: Invocation, core: GraphCore): Promise<void> {
  core.indexing.begin()
  await core.indexing.ready(NO_TIMEOUT, signal)
  const { phase, message = 'the reason is unknown', hint = 'Run "roux doctor".' } = core.indexing.status()
  if (phase === 'missing') requireFolder(core.root)
  if (phase === 'failed') throw providerError(`The vault cannot be indexed: ${message.replace(/\.$/, '')}.`, hint)
}

function requireFolder(path: string, names: readonly string[] = []): void {
  const fault = folderFault(path)
  if (fault === undefined) return
  throw new RouxError('VAULT_NOT_FOUND', fault.problem, { hint: fault.hint ?? vaultOptionHint(names) })
}

/** A person sees that a folder is missing, while assistants of a server wait for it. @throws RouxError `VAULT_NOT_FOUND` */
export function requireAnyFolder(vaults: readonly LoadedVault[]): void {
  const isReadable = ({ stored, settings }: LoadedVault) => stored !== undefined || folderFault(settings.vault.path) === undefined
  const [first] = vaults
  if (first === undefined || vaults.some(isReadable)) return
  requireFolder(first.settings.vault.path, Object.keys(first.settings.vaults))
}

/** Returns the vault whose subfolder this is. */
export function outerVault(path: string): string | undefined {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) if (hasMarker(above)) return above
  return undefined
}

function hasMarker(folder: string): boolean {
  return ['.obsidian', '.foam'].some((marker) => existsSync(join(folder, marker)))
}

/** Returns the problem with a folder, with a hint only if a permission is missing. */
export function folderFault(path: string): { readonly problem: string; readonly hint?: string } | undefined {
  try {
    opendirSync(path).closeSync()
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return { problem: `There is no folder ${path}.` }
    if (code === 'ENOTDIR') return { problem: `${path} is not a folder.` }
    const problem = `${path} cannot be read (${code}).`
    const isForbidden = code === 'EACCES' || code === 'EPERM'
    return isForbidden ? { problem, hint: 'Give this user or application permission to read it.' } : { problem }
  }
}

function vaultOptionHint(names: readonly string[]): string {
  if (names.length === 0) return 'Give the folder that contains the notes: roux … --vault <folder>'
  return `Name one of your vaults (${names.join(', ')}) or the folder with the notes: roux … --vault <name or folder>`
}

async function refuseUnlikelyVault(host: Host, folder: string): Promise<void> {
  if (!(await host.isUnlikelyVault(folder))) return
  throw new RouxError('VAULT_NOT_FOUND', `${folder} contains a home folder or a whole disk, so it is probably not a vault.`, {
    hint: `Give the folder that contains the notes, or accept this one: --vault ${shellWord(folder)}`,
  })
}
