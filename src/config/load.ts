import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { KeySource } from '../core/chat.ts'
import { RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { didYouMean, nearest } from '../core/text/nearest.ts'
import { CONFIG_FILE, type ConfigFile, fileTrust, readConfigFile, type TrustStore, trustFile } from './config-file.ts'
import { AI_KEY_VARIABLE, API_KEY_VARIABLE, STORE_PASSWORD_VARIABLE, userFolders } from './environment.ts'
import {
  type GivenSetting,
  givenInEnvironment,
  givenOnCommandLine,
  invalid,
  invalidAt,
  isDefault,
  type SettingsSource,
  unknownKey,
  variableOf,
} from './given.ts'
import { type Settings, toSettings } from './settings.ts'
import { findSetting, type Setting, widensTrust } from './settings-schema.ts'
import { expandPath, readValue, shellWord } from './values.ts'

export interface SettingsInput {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly set?: readonly string[]
  readonly config?: string
  /** A folder or name from the command line. */
  readonly vault?: string
  /** The trust file. The default is the user's own. */
  readonly trust?: TrustStore
  /** Returns the names allowed in `tools.<name>`. */
  toolNames(): Promise<readonly string[]>
}

export interface LoadedSettings {
  /** The settings, in which `vault.path` is absolute. */
  readonly settings: Settings
  /** True for a vault on the command line, which may even be a home folder. */
  readonly vaultNamed: boolean
  /** Warnings for the user, for example about ignored settings. */
  readonly warnings: readonly string[]
  /** The problems that were found. Settings with problems have their default values. */
  readonly problems: readonly RouxError[]
  readonly files: readonly string[]
  /** The paths of all settings files, including those that do not exist. */
  readonly places: readonly string[]
  /** The source of each setting that differs from the default. */
  readonly origins: ReadonlyMap<string, string>
  /** The API key for `embedder.base_url`. It is omitted if a file in the vault or the working directory sets this address. */
  readonly apiKey?: string
  /** The password for `store.neo4j.user`. It is omitted if a file in the vault or the working directory sets the server. */
  readonly storePassword?: string
  /**
   * The sources of the API key for `ai.base_url`. They are omitted if a file in the vault or the working directory sets the
   * address or the source of the key.
   */
  readonly aiKey?: KeySource
}

/**
 * Loads settings from `--set`, `ROUX_*`, `--config`, the user's file, the working directory's file and the vault's file, in this
 * order of precedence.
 * @throws RouxError for the first problem: `INVALID_PARAMS` on the command line, otherwise `INVALID_SETTINGS`
 */
export async function loadSettings(input: SettingsInput): Promise<LoadedSettings> {
  const loadedSettings = await readSettings(input)
  requireValid(loadedSettings)
  return loadedSettings
}

/** Checks that there are no problems. @throws the error of `loadSettings` */
export function requireValid({ problems }: Pick<LoadedSettings, 'problems'>): void {
  const [first, ...more] = problems
  if (first === undefined) return
  const rest = more.length === 0 ? undefined : `"roux doctor" shows ${more.length} more.`
  const hint = [first.hint, rest].filter((part) => part !== undefined).join(' ')
  throw new RouxError(first.code, first.message, {
    ...(hint === '' ? {} : { hint }),
    candidates: first.candidates,
  })
}

/** Works like `loadSettings`, but returns problems. */
export async function readSettings(input: SettingsInput): Promise<LoadedSettings> {
  const merge = new Merge(input)
  const { cwd, env, set = [], config } = input
  await merge.add(givenOnCommandLine(set, cwd))
  await merge.add(givenInEnvironment(env, cwd))
  if (config !== undefined) await merge.addFile(expandPath(config, cwd), 'required')
  await merge.addFile(join(userFolders(env).config, CONFIG_FILE), 'own')
  await merge.addFile(join(cwd, CONFIG_FILE), 'found')

  const vault = expandPath(input.vault ?? '', cwd) || merge.vault() || resolve(cwd)
  await merge.addFile(join(vault, CONFIG_FILE), 'of the vault')
  return merge.result(vault)
}

/**
 * Returns false for a vault that cannot be accessed. The error is reported when the vault is read, not as a problem with the
 * settings.
 */
function mayEnter(folder: string): boolean {
  return quietly(() => accessSync(folder, constants.X_OK) === undefined) ?? false
}

/** The roles of a file. `found` and `of the vault` mean that it was discovered by location, not named by the user. */
type FileRole = 'required' | 'own' | 'found' | 'of the vault'

function isFoundRole(role: FileRole | undefined): role is 'found' | 'of the vault' {
  return role === 'found' || role === 'of the vault'
}

/** Merges settings from several sources. Earlier sources take precedence. */
class Merge {
  readonly #input: SettingsInput
  readonly #values = new Map<string, unknown>()
  readonly #origins = new Map<string, string>()
  readonly #files = new Map<string, string>()
  readonly #places = new Set<string>()
  /** The keys that a file in the vault or the working directory sets. */
  readonly #foundFiles = new Set<string>()
  readonly #problems: RouxError[] = []
  readonly #warnings: string[] = []

  constructor(input: SettingsInput) {
    this.#input = input
  }

  async add({ given, problems }: SettingsSource, role?: FileRole): Promise<void> {
    this.#problems.push(...problems)
    for (const item of given) {
      const setting = findSetting(item.key)
      const problem = setting === undefined ? unknownKey(item) : (wrongVaultName(item) ?? (await this.#unknownTool(item)))
      if (setting === undefined || problem !== undefined) {
        if (problem !== undefined) this.#problems.push(problem)
        continue
      }
      const read = readValue(setting.type, item)
      if (!read.ok) this.#problems.push(wrongValue(item, read))
      else if (this.#values.has(item.key)) this.#combine(item.key, setting, read.value)
      else {
        this.#values.set(item.key, read.value)
        this.#origins.set(item.key, item.where)
        if (isFoundRole(role)) this.#foundFiles.add(item.key)
      }
    }
  }

  /** If a note must match every list, an empty string separates the lists. */
  #combine(key: string, { combines }: Setting, value: unknown): void {
    if (combines === undefined || !Array.isArray(value) || value.length === 0) return
    const values = (this.#values.get(key) ?? []) as readonly unknown[]
    const between = combines === 'every' && values.length > 0 ? [''] : []
    this.#values.set(key, [...values, ...between, ...value])
  }

  async addFile(path: string, role: FileRole): Promise<void> {
    this.#places.add(path)
    if (isFoundRole(role) && !mayEnter(dirname(path))) return
    const file = await readConfigFile(path)
    if (file === undefined) {
      if (role === 'required') this.#problems.push(invalid(`There is no file ${path}.`, 'Check the path after --config.'))
    } else if (!this.#files.has(file.realPath)) {
      this.#files.set(file.realPath, path)
      await this.add({ problems: file.problems, given: isFoundRole(role) ? this.#allowedSettings(file, role) : file.given }, role)
    }
  }

  vault(): string {
    return String(this.#values.get('vault.path') ?? '')
  }

  result(vault: string): LoadedSettings {
    const settings = toSettings(new Map([...this.#values, ['vault.path', vault]]))
    return {
      settings,
      ...this.#apiKeyFor(settings),
      ...this.#aiKeyFor(settings),
      ...this.#passwordFor(settings),
      vaultNamed: (this.#input.vault ?? '') !== '',
      warnings: this.#warnings,
      problems: this.#problems,
      files: [...this.#files.values()],
      places: [...this.#places, trustFile(userFolders(this.#input.env).state)],
      origins: this.#origins,
    }
  }

  /** Returns the settings that the file may set. Settings that require trust are skipped unless the user trusts the file. */
  #allowedSettings(file: ConfigFile, role: FileRole): readonly GivenSetting[] {
    const useful = role === 'of the vault' ? file.given.filter(({ key }) => key !== 'vault.path') : file.given
    const warn = (message: string) => this.#warnings.push(`${file.path}: ${message}.`)
    if (file.given.some((item) => !useful.includes(item) && !isDefault(item)))
      warn("vault.path has no effect in the vault's own file")
    const widening = useful.filter(({ key, raw }) => widensTrust(key, raw))
    const trust = this.#input.trust ?? fileTrust(userFolders(this.#input.env).state)
    if (widening.length === 0 || trust.isTrusted(file)) return useful
    const missed = widening.filter((item) => !isDefault(item)).map(({ key }) => key)
    if (missed.length > 0) warn(`ignored until you run "roux trust ${shellWord(dirname(file.path))}": ${missed.join(', ')}`)
    return useful.filter((item) => !widening.includes(item))
  }

  #apiKeyFor({ embedder }: Settings): Pick<LoadedSettings, 'apiKey'> {
    const apiKey = this.#input.env[API_KEY_VARIABLE] ?? ''
    if (apiKey === '' || embedder.kind !== 'openai') return {}
    return embedder.base_url === '' || this.#maySend(API_KEY_VARIABLE, 'embedder.base_url') ? { apiKey } : {}
  }

  #passwordFor({ store }: Settings): Pick<LoadedSettings, 'storePassword'> {
    if (store.type !== 'neo4j') return {}
    const file = this.#isOwn('store.neo4j.password_file') ? store['neo4j.password_file'] : ''
    const storePassword = this.#input.env[STORE_PASSWORD_VARIABLE] || this.#passwordIn(file) || ''
    return storePassword !== '' && this.#maySend(STORE_PASSWORD_VARIABLE, 'store.neo4j.url') ? { storePassword } : {}
  }

  /** Returns true if the user chose the address. Even a trusted file must not decide where the user's keys are sent. */
  #maySend(secret: string, address: string): boolean {
    if (!this.#foundFiles.has(address)) return true
    this.#warnings.push(
      `${this.#origins.get(address)}: ${secret} is not sent to an address from this file; set ${address} in your own settings, or ${variableOf(address)}.`,
    )
    return false
  }

  #passwordIn(file: string): string | undefined {
    if (file === '') return undefined
    try {
      return readFileSync(file, 'utf8').trim()
    } catch {
      this.#problems.push(
        invalid(`store.neo4j.password_file: ${file} cannot be read.`, 'Set it to a file that contains the password.'),
      )
      return undefined
    }
  }

  /**
   * Returns true if the user set the key. Even a trusted file must not choose a program to run, or a file to send to a server.
   */
  #isOwn(key: string): boolean {
    if (!this.#foundFiles.has(key)) return true
    this.#warnings.push(`${this.#origins.get(key)}: ${key} is ignored in this file; set it in your own settings.`)
    return false
  }

  #aiKeyFor({ ai }: Settings): Pick<LoadedSettings, 'aiKey'> {
    const value = this.#input.env[AI_KEY_VARIABLE] ?? ''
    const file = this.#isOwn('ai.key_file') ? ai.key_file : ''
    const command = this.#isOwn('ai.key_command') ? ai.key_command : []
    const aiKey = { ...(value && { value }), ...(file && { file }), ...(command.length > 0 && { command }) }
    return Object.keys(aiKey).length > 0 && this.#maySend("the chat model's key", 'ai.base_url') ? { aiKey } : {}
  }

  async #unknownTool(item: GivenSetting): Promise<RouxError | undefined> {
    if (findSetting(item.key)?.key !== 'tools.*') return undefined
    const names = (await this.#input.toolNames()).map((name) => `tools.${name}`)
    return names.includes(item.key) ? undefined : unknownKey(item, names)
  }
}

/** Vault names occur before the colon in ids, and in names of variables and files. */
export const VAULT_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/

function wrongVaultName({ key, where }: GivenSetting): RouxError | undefined {
  if (findSetting(key)?.key !== 'vaults.*' || VAULT_NAME.test(key.slice('vaults.'.length))) return undefined
  return invalidAt(
    where,
    `"${key.slice('vaults.'.length)}" is not a valid name for a vault.`,
    'Use up to 32 lower-case letters, digits, "-" and "_", starting with a letter or digit.',
  )
}

function wrongValue(
  { key, where, raw }: GivenSetting,
  { expected, got }: { readonly expected: string; readonly got: string },
): RouxError {
  const type = findSetting(key)?.type
  const near = type?.kind === 'choice' ? nearest(String(raw), type.values) : []
  return invalidAt(where, `${key} must be ${expected}; got ${got}.`, didYouMean(near), near)
}
