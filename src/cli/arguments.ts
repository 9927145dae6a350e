import { parseArgs } from 'node:util'
import { parseJson } from '../core/quietly.ts'
import { didYouMean, nearest } from '../core/text/nearest.ts'
import { UsageError } from './host.ts'

export interface Option {
  /** The option's name, in which `_` may be written as `-` on the command line. */
  readonly name: string
  readonly type: 'text' | 'flag' | 'integer' | 'number' | 'json'
  /** True if the number may be omitted. The value is then `true`. */
  readonly isValueOptional?: boolean
  readonly short?: string
  /** True if the option may be repeated. The value is then an array. */
  readonly isRepeatable?: boolean
  readonly values?: readonly string[]
  readonly default?: unknown
  readonly sentence: string
}

export interface Parsed {
  readonly options: ReadonlyMap<string, unknown>
  readonly positionals: readonly string[]
}

export const GLOBAL_OPTIONS: readonly Option[] = [
  { name: 'vault', type: 'text', sentence: 'The folder with the notes, or the name of a vault in the setting vaults.' },
  { name: 'config', type: 'text', sentence: 'A settings file.' },
  { name: 'set', type: 'text', isRepeatable: true, sentence: 'A setting, as key=value.' },
  { name: 'json', type: 'flag', sentence: 'Print JSON, even to a terminal.' },
  { name: 'alone', type: 'flag', sentence: 'Do not use the shared server in this run.' },
  { name: 'help', type: 'flag', short: 'h', sentence: 'Show what a command does.' },
  { name: 'version', type: 'flag', short: 'V', sentence: 'Show the version.' },
]

export const WRITE_OPTION: Option = {
  name: 'write',
  type: 'flag',
  sentence: 'Allow changes in this run (tools.write and tools.attach).',
}

export const HTTP_OPTION: Option = {
  name: 'http',
  type: 'integer',
  isValueOptional: true,
  sentence: 'Serve over HTTP instead of stdio, optionally on this port.',
}

export const PUBLIC_OPTION: Option = {
  name: 'public-url',
  type: 'text',
  sentence: 'With --http: the https address of this server on the internet (http.public_url).',
}

export function splitCommand(argv: readonly string[]): {
  readonly command: string | undefined
  readonly rest: readonly string[]
} {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--') break
    if (!word.startsWith('-')) return { command: word, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] }
    const option = GLOBAL_OPTIONS.find(({ name }) => word === `--${name}`)
    if (option?.type === 'text') at++
  }
  return { command: undefined, rest: argv }
}

/** Parses arguments. @throws UsageError for an unknown option or an invalid value */
export function parseArguments(args: readonly string[], options: readonly Option[]): Parsed {
  const flags = flagsOf(options)
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...flags].map(([flag, { option }]) => [
        flag,
        { type: option.type === 'flag' || option.isValueOptional ? 'boolean' : 'string' } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, unknown>()
  const positionals: string[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'positional' && !isValueOf(tokens[at - 1], token, flags)) positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = flags.get(token.rawName.replace(/^--?/, ''))
    if (flag === undefined) throw unknownOption(token.rawName, options)
    const { name, isRepeatable = false } = flag.option
    const value = readOption(flag, withNext(token, tokens[at + 1], flags))
    values.set(
      name,
      isRepeatable
        ? [...((values.get(name) as unknown[] | undefined) ?? []), ...(Array.isArray(value) ? value : [value])]
        : value,
    )
  }
  return { options: values, positionals }
}

/** Parses the value of an option. @throws UsageError if the value is invalid */
export function readValueOf(option: Option, text: string, shownName = flagOf(option)): unknown {
  const wrong = (expected: string): UsageError => new UsageError(`${shownName} must be ${expected}; got "${text}".`)
  if (option.values && !option.values.includes(text)) {
    throw new UsageError(wrong(`one of ${option.values.join(', ')}`).message, didYouMean(nearest(text, option.values)))
  }
  if (option.isRepeatable && text.startsWith('[')) return parseJson(text) ?? text
  if (option.type === 'json') return parseJson(text) ?? text
  if (option.type !== 'integer' && option.type !== 'number') return text
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw wrong('a number')
  if (option.type === 'integer' && !Number.isInteger(number)) throw wrong('a whole number')
  return number
}

export function flagOf({ name }: Pick<Option, 'name'>): string {
  return `--${name.replaceAll('_', '-')}`
}

interface Flag {
  readonly option: Option
  readonly negative: boolean
}

function flagsOf(options: readonly Option[]): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>()
  for (const option of options) {
    for (const name of [option.name, option.name.replaceAll('_', '-')]) {
      flags.set(name, { option, negative: false })
      if (option.type === 'flag') flags.set(`no-${name}`, { option, negative: true })
    }
    if (option.short) flags.set(option.short, { option, negative: false })
  }
  return flags
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/**
 * Returns true if a word is the value of the option before it. `--http` takes a value in `--http 7583` but not in `--http notes`.
 */
function isValueOf(before: Token | undefined, word: Token | undefined, flags: ReadonlyMap<string, Flag>): boolean {
  if (before?.kind !== 'option' || word?.kind !== 'positional' || word.index !== before.index + 1) return false
  const option = flags.get(before.rawName.replace(/^--?/, ''))?.option
  return option?.isValueOptional === true && before.value === undefined && /^\d+$/.test(word.value)
}

function withNext(token: Token & OptionToken, next: Token | undefined, flags: ReadonlyMap<string, Flag>): OptionToken {
  return isValueOf(token, next, flags) && next?.kind === 'positional' ? { rawName: token.rawName, value: next.value } : token
}

type OptionToken = { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined }

function readOption({ option, negative }: Flag, { rawName, value, inlineValue }: OptionToken): unknown {
  if (option.type === 'flag') {
    if (value === undefined) return !negative
    if (value !== 'true' && value !== 'false') throw new UsageError(`${rawName} must be true or false; got "${value}".`)
    return (value === 'true') !== negative
  }
  if (value === undefined && option.isValueOptional === true) return true
  if (value === undefined) throw new UsageError(`${rawName} needs a value.`, `Write ${rawName} <value>.`)
  // `--vault --json` lacks the value of `--vault`.
  if (inlineValue === false && value.startsWith('--'))
    throw new UsageError(`${rawName} needs a value.`, `To use "${value}" as the value, write ${rawName}=${value}.`)
  return readValueOf(option, value, rawName)
}

function unknownOption(rawName: string, options: readonly Option[]): UsageError {
  const near = nearest(
    rawName.replace(/^-+/, ''),
    options.map(flagOf).map((flag) => flag.slice(2)),
    2,
  )
  const hint = didYouMean(near.map((name) => `--${name}`))
  return new UsageError(`There is no option ${rawName}.`, hint ?? 'See --help; words that begin with a dash go after "--".')
}
