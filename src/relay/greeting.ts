import type { Readable, Writable } from 'node:stream'
import { keyVariableIn } from '../config/environment.ts'
import type { Greeting } from './connect.ts'

type Env = Greeting['env']

/** The commands that the shared server does not run. It runs `ask`, `call` and tools. */
const NOT_SHARED: ReadonlySet<string> = new Set([
  ...['open', 'init', 'install', 'uninstall', 'status', 'stop', 'doctor', 'index', 'feed', 'eval', 'export', 'trust', 'forget'],
  ...['token', 'ai', 'usage', 'help', 'connect', 'shared-server'],
])

export const SENT_VARIABLE = /^(?:ROUX_.*|NO_COLOR|TERM)$/

const UNSHARED_OPTION = /^(?:--(?:alone|background|web|http(?:=.*)?|help|version)|-h|-V)$/
const WITH_VALUE: ReadonlySet<string> = new Set(['--vault', '--config', '--set'])

/** @returns `undefined` if the process must run alone */
export function greetingFor(argv: readonly string[], env: Env): Greeting | undefined {
  // The arguments after `--` are text.
  const end = argv.indexOf('--')
  const options = end < 0 ? argv : argv.slice(0, end)
  const word = options.find((option, at) => !option.startsWith('-') && !WITH_VALUE.has(argv[at - 1] ?? ''))
  const isAlone = env.ROUX_SERVE_SHARED === 'off' || keyVariableIn(env) !== undefined
  if (word === undefined || isAlone || NOT_SHARED.has(word) || options.some((option) => UNSHARED_OPTION.test(option)))
    return undefined
  // `roux serve` prints setup instructions if it runs on a terminal.
  if (word === 'serve' && process.stdin.isTTY === true) return undefined
  return greetingOf(word === 'serve' ? 'serve' : 'command', argv, env)
}

export function greetingOf(kind: Greeting['kind'], argv: readonly string[], env: Env): Greeting {
  const variables = Object.entries(env).filter(([name]) => SENT_VARIABLE.test(name))
  const columnsOf = (stream: NodeJS.WriteStream) => (stream.isTTY === true ? stream.columns || 0 : undefined)
  const columns = { stdout: columnsOf(process.stdout), stderr: columnsOf(process.stderr) }
  return { kind, argv, cwd: process.cwd(), env: Object.fromEntries(variables), columns }
}

interface HandOver {
  unsharedReason?: string
  /** The client's streams. They are omitted if the relay has not taken over stdin and stdout. */
  streams?: { readonly stdin: Readable; readonly stdout: Writable; finish(code: number): void }
}

const KEY = Symbol.for('roux.hand-over')
const common = globalThis as { [KEY]?: HandOver }
common[KEY] ??= {}

/** The data shared by the relay and the program, which are separate scripts in one process. */
export const handOver: HandOver = common[KEY]
