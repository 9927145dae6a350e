import { isRecord } from '../core/is-record.ts'
import type { Entry } from './clients.ts'

/** What an entry of Roux starts or connects to. */
export type OwnEntry =
  | {
      readonly kind: 'stdio'
      /** The Node that is started; absent where the program is started by its name. */
      readonly node?: string
      readonly program: string
      readonly vault?: string
      readonly config?: string
      /** The values of `--set`, in order; absent if there are none. */
      readonly settings?: readonly string[]
      /** Present where notes may be changed. */
      readonly write?: true
    }
  | { readonly kind: 'http'; readonly url: string; readonly token: string }

/**
 * An entry that starts Roux or asks one, also one that was written by hand; `undefined` of anything else. It is known by the program
 * (`…/dist/cli/main.js serve`, `roux serve`) or by the form of the token.
 */
export function readOwnEntry(entry: unknown): OwnEntry | undefined {
  if (!isRecord(entry)) return undefined
  // Zed's files of 2024 have path and arguments inside `command`.
  const { command, args = [] } = isRecord(entry.command) ? { command: entry.command.path, args: entry.command.args } : entry
  if (typeof command === 'string') return readWords([command, ...textsOf(args)])
  const { url, headers } = entry
  const bearer = isRecord(headers) ? headers.Authorization : undefined
  if (typeof url !== 'string' || typeof bearer !== 'string' || !bearer.startsWith('Bearer roux_')) return undefined
  return { kind: 'http', url, token: bearer.slice('Bearer '.length) }
}

/** Members that say how to reach a server; the others belong to the user. */
const REACHED_BY: ReadonlySet<string> = new Set(['type', 'source', 'command', 'args', 'env', 'url', 'headers'])

/** A new entry with what a user added to the one in its place: switches, variables where a program is started, headers where one is asked. */
export function keepAdditions(fresh: Entry, former: unknown): Entry {
  if (!isRecord(former)) return fresh
  const additions = Object.entries(former).filter(([key]) => !REACHED_BY.has(key))
  const env = 'command' in fresh && isRecord(former.env) ? { env: former.env } : {}
  const headers = isRecord(fresh.headers) ? { headers: withHeaders(fresh.headers, former.headers) } : {}
  return { ...fresh, ...env, ...headers, ...Object.fromEntries(additions) }
}

/** Our headers, and the user's others; case does not matter. */
function withHeaders(fresh: Readonly<Record<string, unknown>>, former: unknown): Readonly<Record<string, unknown>> {
  const names = new Set(Object.keys(fresh).map((name) => name.toLowerCase()))
  const others = isRecord(former) ? Object.entries(former).filter(([name]) => !names.has(name.toLowerCase())) : []
  return { ...fresh, ...Object.fromEntries(others) }
}

function readWords(words: readonly string[]): OwnEntry | undefined {
  const at = words.findIndex((word, index) => isProgram(word, index) && words[index + 1] === 'serve')
  const program = words[at]
  if (program === undefined) return undefined
  const [node] = words
  const options = words.slice(at + 2)
  const vault = vaultOf(options)
  const [config] = valuesOf(options, '--config')
  const settings = valuesOf(options, '--set')
  return {
    kind: 'stdio',
    ...(at === 1 && node !== undefined ? { node } : {}),
    program,
    ...(vault === undefined ? {} : { vault }),
    ...(config === undefined ? {} : { config }),
    ...(settings.length === 0 ? {} : { settings }),
    ...(options.includes('--write') ? { write: true } : {}),
  }
}

function isProgram(word: string, index: number): boolean {
  return /(?:^|[\\/])dist[\\/]cli[\\/]main\.js$/.test(word) || (index === 0 && /(?:^|[\\/])roux(?:\.cmd|\.exe)?$/.test(word))
}

function vaultOf(words: readonly string[]): string | undefined {
  const [first] = words
  if (first !== undefined && !first.startsWith('-')) return first
  return valuesOf(words, '--vault')[0]
}

/** `--option value` and `--option=value`. */
function valuesOf(words: readonly string[], option: string): readonly string[] {
  return words.flatMap((word, at) => {
    if (word.startsWith(`${option}=`)) return [word.slice(option.length + 1)]
    const next = words[at + 1]
    return word === option && next !== undefined ? [next] : []
  })
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
