import type { Socket } from 'node:net'
import { PassThrough, Readable, Writable } from 'node:stream'
import { openAll } from '../../app/vaults.ts'
import { type LoadedVaults, loadVaults } from '../../config/load-vaults.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/quietly.ts'
import { isSameSecret } from '../../http/tokens.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { type Hello, type Notice, noticeLine, PATIENCE, PROTOCOL, readFirstLine, type SharedStatus } from '../../relay/connect.ts'
import { SENT_VARIABLE } from '../../relay/greeting.ts'
import { parseArguments, splitCommand } from '../arguments.ts'
import type { Host, Out } from '../host.ts'
import { Printer } from '../output/printer.ts'
import { run } from '../run.ts'
import { type Invocation, settingsInput, withVaults } from '../session.ts'
import { findCommandOrTool, findTool } from '../tools/tool-command.ts'
import { needsWrite } from '../tools/tool-switch.ts'
import type { SharedVaults } from './shared-vaults.ts'
import { whyAlone } from './why-alone.ts'

/** Parts of the server that its connections use. */
export interface ConnectionParts {
  readonly host: Host
  readonly token: string
  readonly vaults: SharedVaults
  status(): SharedStatus
  /** Ends the server. */
  stop(): void
}

/** Milliseconds for the first line of a connection, and its greatest length. */
const FIRST_LINE = { within: PATIENCE, bytes: 10 << 20 }
/** Milliseconds for the other side to close its half of a connection. */
const LINGER = 5_000

const MINUTE = 60_000

/** One connection of a relay: an assistant, or a command. */
export class Connection {
  readonly #socket: Socket
  readonly #parts: ConnectionParts
  readonly #listeners: (() => void)[] = []
  #again: Notice['again']
  #keep: number | undefined
  /** True once the server has accepted the first line. */
  #isAccepted = false

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
  }

  /** Milliseconds that the server keeps running after this connection; `undefined` if it only asked about the server. */
  get keep(): number | undefined {
    return this.#keep
  }

  /** Ends the connection after the running calls. The relay then makes another one. */
  end(again: Notice['again']): void {
    this.#again ??= again
    if (!this.#isAccepted) this.#socket.destroy()
    for (const listener of this.#listeners.splice(0)) listener()
  }

  /** Serves the connection to its end. */
  async serve(): Promise<void> {
    const socket = this.#socket.on('error', () => {})
    try {
      const hello = await readHello(socket)
      if (hello === undefined) return void socket.destroy()
      if (!isSameSecret(String(hello.token), this.#parts.token)) return this.#close({ alone: 'its token is wrong' })
      if (hello.protocol !== PROTOCOL) return this.#close({ alone: 'it is of another version' })
      await this.#answer(hello)
    } catch (error) {
      this.#close({ alone: `it failed (${String(error)})` })
    }
  }

  async #answer(hello: Hello): Promise<void> {
    const { status, stop } = this.#parts
    if (hello.kind === 'status') return this.#close({ ok: true, status: status() })
    if (hello.kind === 'stop') {
      this.#close({ ok: true, status: status() })
      return stop()
    }
    const host = this.#hostFor(hello)
    const accepted = await accept(hello.argv, host)
    if (typeof accepted === 'string') return this.#close({ alone: accepted })
    const { loaded, invocation } = accepted
    this.#keep = loaded.server.settings.serve.keep_minutes * MINUTE
    this.#isAccepted = true
    if (hello.kind === 'warm') {
      this.#close({ ok: true, status: status() })
      return await withVaults(invocation, loaded.vaults, async (vaults) => void (await openAll(vaults)))
    }
    const writes = hello.kind === 'serve' ? (await host.tools()).filter(isWriting).map(({ name }) => name) : []
    this.#say({ ok: true, writes })
    const code = await run(hello.argv, Object.create(host, { loaded: { value: loaded } }) as Host)
    this.#close(this.#again === undefined ? { exit: code } : { again: this.#again })
  }

  #say(notice: Notice): void {
    if (this.#socket.writable) this.#socket.write(noticeLine(notice))
  }

  #close(notice: Notice): void {
    this.#say(notice)
    this.#socket.end()
    // The other side may never close its half.
    this.#socket.resume().setTimeout(LINGER, () => this.#socket.destroy())
  }

  /** Returns a host with the streams, folder and variables of the process at the other end. */
  #hostFor({ kind, cwd, env, terminals }: Hello): Host {
    const { host, vaults } = this.#parts
    const own = Object.entries(host.env).filter(([name]) => !SENT_VARIABLE.test(name))
    const composition = vaults.compositionFor({ keep: () => this.#keep ?? 0, onOutdated: () => this.end('now') })
    const socket = this.#socket
    const isServer = kind === 'serve'
    if (!isServer) socket.once('close', () => this.end('later')).resume()
    const { platform, program } = host
    return {
      platform,
      program,
      isTooWide: (folder) => host.isTooWide(folder),
      tools: () => host.tools(),
      get home() {
        return host.home
      },
      cwd,
      env: { ...Object.fromEntries(own), ...env },
      stdin: isServer ? inputOf(socket) : Readable.from([]),
      stdout: isServer ? socket : this.#outTo('out', terminals.stdout),
      stderr: this.#outTo('err', terminals.stderr),
      compose: async () => composition,
      onSignal: (listener) => void this.#listeners.push(listener),
    }
  }

  #outTo(name: 'out' | 'err', columns: number | undefined): Out {
    const socket = this.#socket
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        if (!socket.writable || socket.write(noticeLine({ [name]: chunk.toString() }))) return done()
        const go = (): void => {
          socket.off('drain', go).off('close', go)
          done()
        }
        socket.on('drain', go).on('close', go)
      },
    })
    return Object.assign(stream, columns === undefined ? {} : { isTTY: true, ...(columns === 0 ? {} : { columns }) })
  }
}

/** Returns what a socket still sends. The socket itself was paused, and would stay so for the next reader. */
function inputOf(socket: Socket): Readable {
  const input = socket.pipe(new PassThrough())
  socket.once('close', () => input.end())
  return input
}

/** Reads the first line, or `undefined` if there is none in time. */
async function readHello(socket: Socket): Promise<Hello | undefined> {
  const first = await readFirstLine(socket, FIRST_LINE)
  if (first === undefined || first === 'late') return undefined
  if (first.rest.length > 0) socket.unshift(first.rest)
  const hello = parseJson(first.line.toString())
  return isRecord(hello) ? (hello as unknown as Hello) : undefined
}

interface Accepted {
  readonly loaded: LoadedVaults
  readonly invocation: Invocation
}

/** Loads the settings of a command line, or returns why its process should run it alone. */
async function accept(argv: readonly string[], host: Host): Promise<Accepted | string> {
  const { command = '', rest } = splitCommand(argv)
  const named = await findCommandOrTool(host, command)
  if (named === undefined) return `there is no command "${command}"`
  try {
    const parsed = parseArguments(rest, named.options)
    const tool = command === 'call' ? await findTool(host, parsed.positionals[0] ?? '') : named.tool
    if (command === 'call' && parsed.positionals[1] === '-') return 'the arguments come from stdin'
    if (tool === undefined ? command === 'call' : isDecision(tool, parsed.options)) return `"${command}" is not only reading`
    // The command itself prints warnings and errors.
    const invocation = {
      ...parsed,
      host,
      printer: new Printer(Object.create(host, { stderr: { value: NOWHERE } }) as Host, true),
    }
    const vault = command === 'serve' ? parsed.positionals[0] : undefined
    const loaded = await loadVaults(settingsInput(invocation, vault))
    return whyAlone(invocation, loaded) ?? { loaded, invocation }
  } catch (error) {
    // The process reports the same error.
    return String(error)
  }
}

const NOWHERE = new Writable({ write: (_chunk, _encoding, done) => done() })

function isWriting(tool: Tool): boolean {
  return needsWrite(tool) || !tool.annotations.readOnlyHint
}

/** Checks whether a tool, or an option of its command, changes something. */
function isDecision(tool: Tool, options: ReadonlyMap<string, unknown>): boolean {
  return isWriting(tool) || ['name', 'dismiss', 'apply'].some((option) => options.has(option))
}
