import { RouxError } from '../core/errors.ts'
import { didYouMean, nearest } from '../core/text/nearest.ts'
import { findSetting, SECTIONS, SETTINGS } from './settings-schema.ts'

/** The variable that an API key is read from: no setting, because keys do not belong into files. */
export const API_KEY_VARIABLE = 'ROUX_EMBEDDER_API_KEY'
/** The variable that the password of the database is read from, for the same reason. */
export const STORE_PASSWORD_VARIABLE = 'ROUX_STORE_NEO4J_PASSWORD'

/** The same for the chat model. */
export const AI_KEY_VARIABLE = 'ROUX_AI_API_KEY'

const KEY_VARIABLES: readonly string[] = [API_KEY_VARIABLE, AI_KEY_VARIABLE, STORE_PASSWORD_VARIABLE]

/** One setting as one source gives it, before its value is read. */
export interface Given {
  readonly key: string
  /** A text where `written` is `text`, else what the file's YAML says. */
  readonly raw: unknown
  readonly written: 'text' | 'yaml'
  /** Where it was given, for messages: `--set`, `ROUX_VAULT_MODE`, `/x/roux.config.yaml:3`. */
  readonly where: string
  /** The folder that relative paths start from. */
  readonly base: string
}

/** The values of a source and its problems. */
export interface Gift {
  readonly given: readonly Given[]
  readonly problems: readonly RouxError[]
}

/** The settings of every `--set key=value`; the last one of a key wins. */
export function givenOnCommandLine(assignments: readonly string[], cwd: string): Gift {
  const given = new Map<string, Given>()
  const problems: RouxError[] = []
  for (const assignment of assignments) {
    const at = assignment.indexOf('=')
    const key = assignment.slice(0, at).trim()
    if (at > 0) given.set(key, { key, raw: assignment.slice(at + 1), written: 'text', where: '--set', base: cwd })
    else problems.push(invalid(`--set ${assignment}: expected key=value.`, 'For example: --set vault.mode=docs'))
  }
  return { given: [...given.values()], problems }
}

/**
 * The settings of the `ROUX_*` variables. An empty variable counts as absent, because clients pass on variables that
 * were never filled in; one that resembles no setting is another program's.
 */
export function givenInEnvironment(env: Readonly<Record<string, string | undefined>>, cwd: string): Gift {
  const names = Object.keys(env).filter((name) => name.startsWith('ROUX_') && env[name] !== '' && env[name] !== undefined)
  const given: Given[] = []
  const problems: RouxError[] = []
  for (const name of names.sort()) {
    if (KEY_VARIABLES.includes(name)) continue
    const key = keyOf(name)
    if (key !== undefined) given.push({ key, raw: env[name], written: 'text', where: name, base: cwd })
    else problems.push(...unknownVariable(name))
  }
  return { given, problems }
}

/** The variable that sets a key: `ROUX_VAULT_MODE`, and `ROUX_VAULT` for `vault.path`. */
export function variableOf(key: string): string {
  return key === 'vault.path' ? 'ROUX_VAULT' : `ROUX_${key.replaceAll('.', '_').toUpperCase()}`
}

/** The error for a key that does not exist, with the nearest ones that do; `names` are those of its section, where it is open. */
export function unknownKey({ key, where }: Pick<Given, 'key' | 'where'>, names: readonly string[] = []): RouxError {
  const sections = key.includes('.') ? [] : Object.keys(SECTIONS)
  const known = [...sections, ...SETTINGS.map((setting) => setting.key).filter((name) => !name.endsWith('*')), ...names]
  // `mode` alone, or under the wrong section, still says what was meant.
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const same = known.filter((name) => last(name) === key)
  const near = same.length > 0 ? same : nearest(key, known)
  const found = near.length > 0 ? near : known.filter((name) => nearest(last(key), [last(name)]).length > 0)
  if (/api_?key$/i.test(key)) {
    const hint = key.startsWith('ai.')
      ? `A key is read from the variable ${AI_KEY_VARIABLE}, or from where ai.key_file or ai.key_command say.`
      : `A key is read from the variable ${API_KEY_VARIABLE} only.`
    return invalid(`${where}: there is no setting "${key}".`, hint)
  }
  if (/password$/i.test(key)) {
    return invalid(
      `${where}: there is no setting "${key}".`,
      `A password is read from the variable ${STORE_PASSWORD_VARIABLE}, or from the file that store.neo4j.password_file names.`,
    )
  }
  return invalid(
    `${where}: there is no setting "${key}".`,
    didYouMean(found) ?? 'See "roux help settings" for the settings there are.',
    found,
  )
}

/** True if a value equals the default, as most do in a file with every key. */
export function isDefault({ key, raw }: Pick<Given, 'key' | 'raw'>): boolean {
  return JSON.stringify(raw) === JSON.stringify(findSetting(key)?.default)
}

/** An error about settings. */
export function invalid(message: string, hint?: string, candidates: readonly string[] = []): RouxError {
  return new RouxError('INVALID_SETTINGS', message, {
    hint,
    ...(candidates.length === 0 ? {} : { candidates }),
  })
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
  return [
    invalid(
      `The variable ${name} names no setting.`,
      didYouMean(near) ?? 'See "roux help settings" for the settings there are.',
      near,
    ),
  ]
}
