import { isRecord } from '../core/is-record.ts'
import type { Entry } from './clients.ts'

export type OwnEntry =
  | {
      readonly kind: 'stdio'
      /** The path of the Node binary. It is omitted if the entry starts the program by name. */
      readonly node?: string
      readonly program: string
      readonly vault?: string
      readonly config?: string
      readonly settings?: readonly string[]
      readonly write?: true
    }
  | { readonly kind: 'http'; readonly url: string; readonly token: string }

/** Recognizes Roux entries by program (`…/dist/cli/main.js serve`, `roux serve`) or token format, including handwritten ones. */
export function readOwnEntry(entry: unknown): OwnEntry | undefined {
  if (!isRecord(entry)) return undefined
  // In Zed's files from 2024, the path and arguments are inside `command`.
  const { command, args = [] } = isRecord(entry.command) ? { command: entry.command.path, args: entry.command.args } : entry
  if (typeof command === 'string') return readWords([command, ...(Array.isArray(args) ? args.map(String) : [])])
  const { url, headers } = entry
  const bearer = isRecord(headers) ? headers.Authorization : undefined
  if (typeof url !== 'string' || typeof bearer !== 'string' || !bearer.startsWith('Bearer roux_')) return undefined
  return { kind: 'http', url, token: bearer.slice('Bearer '.length) }
}

/** The properties that Roux sets. All others belong to the user. */
const CONNECTION_KEYS: ReadonlySet<string> = new Set(['type', 'source', 'command', 'args', 'env', 'url', 'headers'])

/** Returns the entry with the user's unknown properties, environment variables and headers. */
export function keepAdditions(newEntry: Entry, formerEntry: unknown): Entry {
  if (!isRecord(formerEntry)) return newEntry
  const additions = Object.entries(formerEntry).filter(([key]) => !CONNECTION_KEYS.has(key))
  const env = 'command' in newEntry && isRecord(formerEntry.env) ? { env: formerEntry.env } : {}
  const headers = isRecord(newEntry.headers) ? { headers: withHeaders(newEntry.headers, formerEntry.headers) } : {}
  return { ...newEntry, ...env, ...headers, ...Object.fromEntries(additions) }
}

/** Merges headers, whose names ignore case. Roux's headers take precedence. */
function withHeaders(newEntry: Readonly<Record<string, unknown>>, formerEntry: unknown): Readonly<Record<string, unknown>> {
  const names = new Set(Object.keys(newEntry).map((name) => name.toLowerCase()))
  const others = isRecord(formerEntry) ? Object.entries(formerEntry).filter(([name]) => !names.has(name.toLowerCase())) : []
  return { ...newEntry, ...Object.fromEntries(others) }
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

function valuesOf(words: readonly string[], option: string): readonly string[] {
  return words.flatMap((word, at) => {
    if (word.startsWith(`${option}=`)) return [word.slice(option.length + 1)]
    const next = words[at + 1]
    return word === option && next !== undefined ? [next] : []
  })
}
