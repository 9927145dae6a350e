import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'
import { indexFile, searchIndexFile } from '../../src/compose/index-files.ts'
import { toSettings } from '../../src/config/settings.ts'
import { errorCode } from '../../src/core/errors.ts'
import { pauseThread } from '../../src/core/waiting.ts'
import { eventually } from '../support/eventually.ts'
import { PATIENCE } from '../support/patience.ts'

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Whether this run starts every program through the shared server, with `TEST_SHARED=auto`. */
export const SHARES = process.env.ROUX_SERVE_SHARED === 'auto'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))

/** A message from the wire; the test's expectation gives its type. */
// biome-ignore lint/suspicious/noExplicitAny: every test reads another shape
export type Wire = any

export interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** A temporary folder with a vault and user folders, removed after the test. */
export interface World {
  readonly root: string
  readonly vault: string
  readonly env: Readonly<Record<string, string>>
  /** Writes a file of the vault. */
  write(path: string, text: string | Uint8Array): void
  /** Runs a command to completion. */
  roux(args: readonly string[], options?: RunOptions): Promise<Outcome>
  /** Starts a command that runs until it is stopped. */
  start(args: readonly string[], options?: RunOptions): ChildProcessWithoutNullStreams
  /** Starts `roux serve`. */
  serve(args?: readonly string[], options?: RunOptions): Server
  /** Kills the shared servers of this world, if there are any. */
  killServers(): void
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** The script to run, instead of the built program. */
  readonly program?: string
  /** Starts the process in a process group of its own. */
  readonly detached?: boolean
}

export interface WorldOptions {
  /** The fixture to copy; without one the vault is empty. */
  readonly fixture?: string
  /** Registers what removes the world. Without it, the world lasts as long as the test. */
  readonly until?: (remove: () => void) => void
}

export function openWorld({ fixture, until = onTestFinished }: WorldOptions = {}): World {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'roux-e2e-')))
  const killServers = () => killSharedServers(join(root, 'run', 'roux'))
  until(() => removeWorld(root, killServers))
  const vault = join(root, 'vault')
  mkdirSync(join(root, 'home'))
  if (fixture === undefined) mkdirSync(vault)
  else cpSync(join(FIXTURES, fixture), vault, { recursive: true, preserveTimestamps: true })
  const env = cleanEnvironment(root)
  const start = (args: readonly string[], options: RunOptions = {}) =>
    startProgram(args, { ...options, cwd: options.cwd ?? root, env: { ...env, ...options.env } })
  return {
    root,
    vault,
    env,
    write(path, text) {
      mkdirSync(dirname(join(vault, path)), { recursive: true })
      writeFileSync(join(vault, path), text)
    },
    async roux(args, options = {}) {
      const { child, ended } = start(args, options)
      child.stdin.end(options.stdin ?? '')
      return ended
    },
    start: (args, options = {}) => start(args, options).child,
    serve: (args = [vault], options = {}) => new Server(start(['serve', ...args], options)),
    killServers,
  }
}

/**
 * Opens worlds with the demo vault in which programs find a finished index, for tests of something else. The vault is indexed once and the
 * index is copied. Called beside the tests.
 */
export function shareDemoIndex(): () => World {
  let indexed: World | undefined
  const ends: (() => void)[] = []
  afterAll(() => {
    for (const end of ends) end()
  })
  const build = (): World => {
    const world = openWorld({ fixture: 'demo', until: (remove) => ends.push(remove) })
    const env = { ...world.env, ROUX_SERVE_SHARED: 'off' }
    execFileSync(process.execPath, [PROGRAM, 'index', world.vault], { env, stdio: 'ignore' })
    return world
  }
  return () => {
    indexed ??= build()
    const world = openWorld({ fixture: 'demo' })
    const copies = indexesOf(world)
    mkdirSync(dirname(copies[0]), { recursive: true, mode: 0o700 })
    for (const [at, file] of indexesOf(indexed).entries()) cpSync(file, copies[at] ?? '')
    return world
  }
}

function indexesOf({ root, vault }: World): readonly [string, string] {
  const file = join(root, 'cache', 'roux', basename(indexFile(toSettings(), vault)))
  return [file, searchIndexFile(file)]
}

/** Removes a world. A server that was starting may write files at the same time. */
function removeWorld(root: string, killServers: () => void): void {
  const end = Date.now() + PATIENCE
  for (;;) {
    killServers()
    try {
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
      return
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY' || Date.now() > end) throw error
      pauseThread(100)
    }
  }
}

/** Kills the shared servers whose sockets are in this folder. Each has written who holds its lock. */
function killSharedServers(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names.filter((one) => one.endsWith('.holder'))) {
    try {
      process.kill(JSON.parse(readFileSync(join(folder, name), 'utf8')).pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
}

/** Variables that change how long the time limits of a program last. `change` is the source of a function of milliseconds. */
export function changedLimits({ root }: World, change: string): Readonly<Record<string, string>> {
  const hook = join(root, 'limits.cjs')
  writeFileSync(
    hook,
    `const change = ${change}
const [wait, signal] = [globalThis.setTimeout, AbortSignal.timeout]
globalThis.setTimeout = Object.assign((run, ms, ...args) => wait(run, change(ms), ...args), wait)
AbortSignal.timeout = (ms) => signal.call(AbortSignal, change(ms))\n`,
  )
  return { NODE_OPTIONS: `--require ${hook}` }
}

/**
 * A result without the members that differ between protocol eras, and without the warning that files are being compared, which depends on
 * chance.
 */
export function factsOf({ content, structuredContent, isError = false }: Wire): Wire {
  const { _warnings, ...facts } = structuredContent
  const warnings = (_warnings ?? []).filter(({ code }: Wire) => code !== 'INDEX_BUILDING')
  const texts = content
    .map(({ text }: Wire) => text.replace(/^INDEX_BUILDING: .*\n?|\nINDEX_BUILDING: .*/, ''))
    .filter((text: string) => text !== '')
  return { texts, facts, warnings, isError }
}

/** Only what the program needs, and nothing from the user's environment. */
function cleanEnvironment(root: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    XDG_CACHE_HOME: join(root, 'cache'),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_RUNTIME_DIR: join(root, 'run'),
    // This variable is set by vitest.config.ts.
    ROUX_SERVE_SHARED: process.env.ROUX_SERVE_SHARED ?? 'off',
    ROUX_SERVE_KEEP_MINUTES: '0',
    NO_COLOR: '1',
  }
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Outcome>
}

type StartOptions = RunOptions & { readonly cwd: string; readonly env: Record<string, string> }

function startProgram(args: readonly string[], { program = PROGRAM, cwd, env, detached = false }: StartOptions): Started {
  const child = spawn(process.execPath, [program, ...args], { cwd, env, detached })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk
  })
  // A program that exits before reading its input is expected here, not an unhandled error.
  child.stdin.on('error', () => {})
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, out, err }))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended }
}

/** A server written to and read from as bytes. */
export class Server {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when the process has exited and its pipes are closed. */
  readonly ended: Promise<Outcome>
  /** Every received line, in order. */
  readonly lines: string[] = []
  readonly #waiting = new Map<string | number, (message: Wire) => void>()
  #partial = ''
  #nextId = 1

  constructor({ child, ended }: Started) {
    this.child = child
    this.ended = ended
    child.stdout.on('data', (chunk: string) => this.#receive(chunk))
  }

  /** Writes one or more lines. */
  send(message: unknown): void {
    this.child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  }

  /** Sends a request and returns the whole answer, or an error. */
  request(method: string, params: object = {}, id: string | number = `r${this.#nextId++}`): Promise<Wire> {
    const answer = this.answerTo(id)
    this.send({ jsonrpc: '2.0', id, method, params })
    return answer
  }

  /** The answer to a request that the test wrote itself. */
  answerTo(id: string | number): Promise<Wire> {
    const answer = new Promise<Wire>((resolve) => {
      this.#waiting.set(id, resolve)
    })
    const gone = this.ended.then(({ code, signal, err }) => {
      throw new Error(`The server ended (${code ?? signal}) before it answered ${id}: ${err}`)
    })
    return Promise.race([answer, gone])
  }

  initialize(protocolVersion = '2025-11-25'): Promise<Wire> {
    const clientInfo = { name: 'test', version: '0' }
    return this.request('initialize', { protocolVersion, capabilities: {}, clientInfo })
  }

  /** The complete result of a tool. */
  async call(name: string, args: object = {}): Promise<Wire> {
    const { result, error } = await this.request('tools/call', { name, arguments: args })
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return result
  }

  /** The JSON of a tool's answer. */
  async ask(name: string, args: object = {}): Promise<Wire> {
    return JSON.parse((await this.call(name, args)).content[0].text)
  }

  /** Closes the input and waits for the exit. */
  end(): Promise<Outcome> {
    this.child.stdin.end()
    return this.ended
  }

  /** Waits until the received lines satisfy a condition. */
  async sees(condition: (lines: readonly string[]) => boolean): Promise<void> {
    await eventually(async () => {
      if (!condition(this.lines)) throw new Error(`It never came; what came: ${this.lines.join('\n').slice(0, 2000)}`)
    })
  }

  #receive(chunk: string): void {
    const parts = (this.#partial + chunk).split('\n')
    this.#partial = parts.pop() ?? ''
    for (const part of parts) {
      this.lines.push(part)
      const parsed: Wire = JSON.parse(part)
      for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
        this.#waiting.get(message.id)?.(message)
        this.#waiting.delete(message.id)
      }
    }
  }
}
