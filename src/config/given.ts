import { RouxError } from '../core/errors.ts'
import { didYouMean, nearest } from '../core/text/nearest.ts'
import { AI_KEY_VARIABLE, API_KEY_VARIABLE, KEY_VARIABLES, STORE_PASSWORD_VARIABLE } from './environment.ts'
import { findSetting, SECTIONS, SETTINGS } from './settings-schema.ts'

export interface GivenSetting {
  readonly key: string
  /** The value. It is a string if `written` is `text`, and otherwise a YAML value. */
  readonly raw: unknown
  readonly written: 'text' | 'yaml'
  /** The source as named in messages: `--set`, `ROUX_VAULT_MODE` or `/x/roux.config.yaml:3`. */
  readonly where: string
  /** The folder against which relative paths are resolved. */
  readonly base: string
}

export interface SettingsSource {
  readonly given: readonly GivenSetting[]
  readonly problems: readonly RouxError[]
}

const ON_COMMAND_LINE = '--set'

/** Parses `--set` options. The last assignment to a key wins. */
export function givenOnCommandLine(assignments: readonly string[], cwd: string): SettingsSource {
  const lastGiven = new Map<string, GivenSetting>()
  const problems: RouxError[] = []
  for (const assignment of assignments) {
    const at = assignment.indexOf('=')
    const key = assignment.slice(0, at).trim()
    if (at > 0) lastGiven.set(key, { key, raw: assignment.slice(at + 1), written: 'text', where: ON_COMMAND_LINE, base: cwd })
    else
      problems.push(invalidAt(ON_COMMAND_LINE, `expected key=value; got "${assignment}".`, 'For example: --set vault.mode=docs'))
  }
  return { given: [...lastGiven.values()], problems }
}

/**
 * Clients may pass on empty variables, so these are ignored. Variables that do not resemble a setting belong to other programs.
 */
export function givenInEnvironment(env: Readonly<Record<string, string | undefined>>, cwd: string): SettingsSource {
  const names = Object.keys(env).filter((name) => name.startsWith('ROUX_') && env[name] !== '' && env[name] !== undefined)
  const items: GivenSetting[] = []
  const problems: RouxError[] = []
  for (const name of names.sort()) {
    if (KEY_VARIABLES.includes(name)) continue
    const key = keyOf(name)
    if (key !== undefined) items.push({ key, raw: env[name], written: 'text', where: name, base: cwd })
    else problems.push(...unknownVariable(name))
  }
  return { given: items, problems }
}

/** Returns a name such as `ROUX_VAULT_MODE`. The variable for `vault.path` is `ROUX_VAULT`. */
export function variableOf(key: string): string {
  return key === 'vault.path' ? 'ROUX_VAULT' : `ROUX_${key.replaceAll('.', '_').toUpperCase()}`
}

/** @param names the keys of a section such as `tools` */
export function unknownKey({ key, where }: Pick<GivenSetting, 'key' | 'where'>, names: readonly string[] = []): RouxError {
  const sections = key.includes('.') ? [] : Object.keys(SECTIONS)
  const knownKeys = [...sections, ...SETTINGS.map((setting) => setting.key).filter((name) => !name.endsWith('*')), ...names]
  // The last part of a key, such as `mode`, identifies a setting whose section is missing or wrong.
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const sameName = knownKeys.filter((name) => last(name) === key)
  const near = sameName.length > 0 ? sameName : nearest(key, knownKeys)
  const suggestions = near.length > 0 ? near : knownKeys.filter((name) => nearest(last(key), [last(name)]).length > 0)
  const secretHint = secretHintFor(key)
  return invalidAt(
    where,
    `there is no setting "${key}".`,
    secretHint ?? didYouMean(suggestions) ?? SETTINGS_HELP,
    secretHint === undefined ? suggestions : [],
  )
}

const SETTINGS_HELP = '"roux help settings" lists all settings.'

function secretHintFor(key: string): string | undefined {
  if (/password$/i.test(key))
    return `The password is read from the variable ${STORE_PASSWORD_VARIABLE}, or from the file set in store.neo4j.password_file.`
  if (!/api_?key$/i.test(key)) return undefined
  return key.startsWith('ai.')
    ? `API keys are read from the variable ${AI_KEY_VARIABLE}, or from ai.key_file or ai.key_command.`
    : `API keys are read from the variable ${API_KEY_VARIABLE} only.`
}

/** Returns true for a default value. Generated settings files contain mostly such values. */
export function isDefault({ key, raw }: Pick<GivenSetting, 'key' | 'raw'>): boolean {
  return JSON.stringify(raw) === JSON.stringify(findSetting(key)?.default)
}

export function invalid(message: string, hint?: string, candidates: readonly string[] = []): RouxError {
  return new RouxError('INVALID_SETTINGS', message, { hint, ...(candidates.length === 0 ? {} : { candidates }) })
}

/** A problem with a setting from `where`. On the command line, it is a wrong argument. */
export function invalidAt(where: string, message: string, hint?: string, candidates: readonly string[] = []): RouxError {
  const code = where === ON_COMMAND_LINE ? 'INVALID_PARAMS' : 'INVALID_SETTINGS'
  return new RouxError(code, `${where}: ${message}`, { hint, ...(candidates.length === 0 ? {} : { candidates }) })
}

function keyOf(variable: string): string | undefined {
  if (variable === 'ROUX_VAULT') return 'vault.path'
  const nested = SETTINGS.find(({ key }) => variableOf(key) === variable)
  if (nested !== undefined) return nested.key
  const [section = '', ...rest] = variable.slice('ROUX_'.length).toLowerCase().split('_')
  const key = `${section}.${rest.join('_')}`
  return findSetting(key) === undefined ? undefined : key
}

function unknownVariable(name: string): readonly RouxError[] {
  const near = nearest(name, [...SETTINGS.map(({ key }) => variableOf(key)), ...KEY_VARIABLES])
  const section = name.split('_')[1]?.toLowerCase() ?? ''
  if (near.length === 0 && !Object.hasOwn(SECTIONS, section)) return []
  return [invalid(`The variable ${name} does not match any setting.`, didYouMean(near) ?? SETTINGS_HELP, near)]
}
