import { readdirSync } from 'node:fs'
import { isBeingRebuilt } from '../app/answer.ts'
import type { GraphCore } from '../app/graph-core.ts'
import { type LoadedSettings, loadSettings, type SettingsInput } from '../config/load.ts'
import { shellWord } from '../config/shell-word.ts'
import { RouxError } from '../core/errors.ts'
import { PATIENCE } from './findable.ts'
import type { Host } from './host.ts'
import type { Printer } from './printer.ts'
import { ProgressLine } from './progress.ts'
import { UsageError } from './usage-error.ts'

/** One run of one command: what was given to it, and the world. */
export interface Invocation {
  readonly host: Host
  readonly printer: Printer
  /** By the options' names; only what was given. */
  readonly options: ReadonlyMap<string, unknown>
  readonly positionals: readonly string[]
  /** Progress is told in any case, not only to a terminal. */
  readonly loud?: boolean
  /** Ends the command before it is done. */
  readonly signal?: AbortSignal
}

/** Where the settings of this run come from; `vault` is the one that a command takes as its argument. */
export function settingsInput({ host, options }: Invocation, vault?: string): SettingsInput {
  const option = options.get('vault') as string | undefined
  if (option !== undefined && vault !== undefined)
    throw new UsageError(`Two vaults: "${option}" and "${vault}".`, 'Name one of them.')
  const named = option ?? vault
  if (named === '') throw new UsageError('The name of the vault is empty.', 'Name a folder, or leave it out.')
  const config = options.get('config') as string | undefined
  return {
    cwd: host.cwd,
    env: host.env,
    set: [
      ...((options.get('set') as readonly string[] | undefined) ?? []),
      ...(options.get('write') === true ? WRITING : []),
      ...overHttp(options.get('http')),
    ],
    ...(config === undefined ? {} : { config }),
    ...(named === undefined ? {} : { vault: named }),
    toolNames: async () => (await host.tools()).map(({ name }) => name),
  }
}

/** What `--write` sets, for this run alone. */
const WRITING: readonly string[] = ['tools.write=true', 'tools.attach=true']

/** What `--http` sets, for this run alone; its value is a port, or `true`. */
function overHttp(value: unknown): readonly string[] {
  if (value === undefined) return []
  return ['http.enabled=true', ...(typeof value === 'number' ? [`http.port=${value}`] : [])]
}

/**
 * The settings of this run, with their warnings said.
 * @throws RouxError when something in them is wrong, or the vault is a folder that is hardly meant as one.
 */
export async function requireSettings(invocation: Invocation, vault?: string): Promise<LoadedSettings> {
  const loaded = await loadSettings(settingsInput(invocation, vault))
  for (const warning of loaded.warnings) invocation.printer.warn(warning)
  if (!loaded.vaultNamed) await refuseTooWide(invocation.host, loaded.settings.vault.path)
  return loaded
}

/**
 * Opens the vault, waits until its index says what the files say, and closes it after `use`, which is called once more when the
 * index is found damaged meanwhile. Progress is shown until `use` is done.
 * @throws RouxError `VAULT_NOT_FOUND` when the folder is not there; the signal's reason.
 */
export async function withCore<T>(
  invocation: Invocation,
  loaded: LoadedSettings,
  use: (core: GraphCore) => Promise<T>,
): Promise<T> {
  requireFolder(loaded.settings.vault.path)
  const { host, printer, loud = false } = invocation
  const { openCore } = await host.compose()
  const progress = new ProgressLine(printer, { always: loud })
  const core = await openCore(loaded.settings, {
    watch: false,
    onError: (stack) => printer.note(stack),
    ...(loaded.apiKey === undefined ? {} : { apiKey: loaded.apiKey }),
    onDownload: (download) => progress.download(download),
  })
  const following = progress.follow(core.indexing)
  try {
    await settle(invocation, core)
    try {
      return await use(core)
    } catch (error) {
      if (!(await isBeingRebuilt(core.store))) throw error
      await settle(invocation, core)
      return await use(core)
    }
  } finally {
    following.stop()
    await core.close()
  }
}

async function settle({ signal }: Invocation, core: GraphCore): Promise<void> {
  core.indexing.begin()
  await core.indexing.ready(PATIENCE, signal)
  const { phase, message } = core.indexing.status()
  if (phase === 'missing') requireFolder(core.root)
  if (phase === 'failed')
    throw new RouxError('PROVIDER_ERROR', `The vault cannot be indexed: ${message ?? 'for no known reason'}.`, {
      hint: 'Run "roux doctor".',
    })
}

function requireFolder(path: string): void {
  try {
    readdirSync(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const what =
      code === 'ENOENT'
        ? `There is no folder ${path}.`
        : code === 'ENOTDIR'
          ? `${path} is not a folder.`
          : `${path} may not be read (${code}).`
    throw new RouxError('VAULT_NOT_FOUND', what, { hint: 'Name the folder with the notes: roux … --vault <folder>', cause })
  }
}

async function refuseTooWide(host: Host, folder: string): Promise<void> {
  if (!(await host.isTooWide(folder))) return
  throw new RouxError('VAULT_NOT_FOUND', `${folder} is a home folder or a whole disk, hardly a vault.`, {
    hint: `Name the folder with the notes, or say that it is meant: --vault ${shellWord(folder)}`,
  })
}
