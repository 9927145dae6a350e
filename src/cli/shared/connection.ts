import type { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { openAll } from '../../app/vaults.ts'
import { loadVaults } from '../../config/load-vaults.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/quietly.ts'
import { isSameSecret } from '../../http/tokens.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { type Greeting, linesOf, type Notice, noticeLine, type SharedStatus } from '../../relay/connect.ts'
import { SENT_VARIABLE } from '../../relay/greeting.ts'
import { notUsable, STARTUP_TIMEOUT } from '../../relay/place.ts'
import { parseArguments, splitCommand } from '../arguments.ts'
import type { Host, Out } from '../host.ts'
import { Printer } from '../output/printer.ts'
import { run } from '../run.ts'
import { settingsInput, withVaults } from '../session.ts'
import { findCommandOrTool, findTool } from '../tools/tool-command.ts'
import { decisionOptions } from '../tools/tool-help.ts'
import { whyAlone } from './relay-first.ts'
import { overlaid, type SharedVaults } from './shared-vaults.ts'

export interface ConnectionParts {
  readonly host: Host
  readonly token: string
  readonly vaults: SharedVaults
  status(): SharedStatus
  stop(): void
}

const LINGER_MS = 5_000

const MINUTE = 60_000

export class Connection {
  readonly #socket: Socket
  readonly #parts: ConnectionParts
  readonly #listeners: (() => void)[] = []
  /** The time in milliseconds that the server runs after this connection. Refused connections and status requests have none. */
  keep: number | undefined
  #retry: Notice['again']

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
  }

  /** Ends the connection after running calls have finished. The relay then reconnects. */
  end(retry: Notice['again']): void {
    this.#retry ??= retry
    if (this.keep === undefined) this.#socket.destroy()
    for (const listener of this.#listeners.splice(0)) listener()
  }

  async serve(): Promise<void> {
    const socket = this.#socket
    socket.on('error', () => {}).on('timeout', () => socket.destroy())
    try {
      socket.setTimeout(STARTUP_TIMEOUT)
      const lines = linesOf(socket)
      const hello = parseJson((await lines.next()).value ?? '')
      await lines.return(undefined)
      socket.setTimeout(0)
      const isOwn = isRecord(hello) && isSameSecret(String(hello.token), this.#parts.token)
      if (!isOwn) throw notUsable('its token is wrong')
      await this.#answer(hello as unknown as Greeting)
    } catch (error) {
      this.#close({ alone: (error as Error).message })
    }
  }

  async #answer(greeting: Greeting): Promise<void> {
    const { kind, argv } = greeting
    const { status, stop } = this.#parts
    if (kind === 'status' || kind === 'stop') {
      this.#close({ status: status() })
      return kind === 'stop' ? stop() : undefined
    }
    const host = this.#hostFor(greeting)
    const { loaded, invocation } = await accept(argv, host)
    this.keep = loaded.server.settings.serve.keep_minutes * MINUTE
    if (kind === 'warm') {
      this.#close({ status: status() })
      return await withVaults(invocation, loaded.vaults, async (vaults) => void (await openAll(vaults)))
    }
    const writing = (await host.tools()).filter(({ annotations }) => !annotations.readOnlyHint)
    this.#sendNotice({ writes: writing.map(({ name }) => name) })
    const code = await run(argv, overlaid(host, { loaded }))
    this.#close(this.#retry === undefined ? { exit: code } : { again: this.#retry })
  }

  #sendNotice(notice: Notice): void {
    if (this.#socket.writable) this.#socket.write(noticeLine(notice))
  }

  #close(notice: Notice): void {
    this.#sendNotice(notice)
    this.#socket.end()
    // A client may never close its half of the connection.
    this.#socket.resume().setTimeout(LINGER_MS)
  }

  #hostFor({ kind, cwd, env, columns }: Greeting): Host {
    const { host, vaults } = this.#parts
    const ownVariables = Object.entries(host.env).filter(([name]) => !SENT_VARIABLE.test(name))
    const composition = vaults.compositionFor({ keep: () => this.keep ?? 0, onOutdated: () => this.end('now') })
    const socket = this.#socket
    const isServer = kind === 'serve'
    if (!isServer) socket.once('close', () => this.end('later')).resume()
    return overlaid(host, {
      cwd,
      env: { ...Object.fromEntries(ownVariables), ...env },
      stdin: isServer ? socket : Readable.from([]),
      stdout: isServer ? socket : this.#outTo('out', columns.stdout),
      stderr: this.#outTo('err', columns.stderr),
      compose: async () => composition,
      onSignal: (listener) => void this.#listeners.push(listener),
      sharing: undefined,
    })
  }

  #outTo(name: 'out' | 'err', columns: number | undefined): Out {
    const socket = this.#socket
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, callback) =>
        socket.writable ? socket.write(noticeLine({ [name]: String(chunk) }), () => callback()) : callback(),
    })
    return Object.assign(stream, columns === undefined ? {} : { isTTY: true, ...(columns === 0 ? {} : { columns }) })
  }
}

async function accept(argv: readonly string[], host: Host) {
  const { command = '', rest } = splitCommand(argv)
  const target = await findCommandOrTool(host, command)
  const parsed = parseArguments(rest, target?.options ?? [])
  const [name = '', json] = parsed.positionals
  const tool = command === 'call' ? await findTool(host, name) : target?.tool
  const isReading = tool === undefined ? target !== undefined && command !== 'call' : !isDecision(tool, parsed.options)
  // Only the client can run a command that changes something, or `roux call` with `-`, which reads stdin.
  if (!isReading || json === '-') throw notUsable(`"${command}" may change something`)
  const invocation = { ...parsed, host, printer: new Printer(host, true) }
  const loaded = await loadVaults(settingsInput(invocation, command === 'serve' ? parsed.positionals[0] : undefined))
  const reason = whyAlone(invocation, loaded)
  if (reason !== undefined) throw notUsable(reason)
  return { loaded, invocation }
}

/** Returns true if an option records a decision. Even a reading tool changes data with such an option. */
function isDecision({ name, annotations }: Tool, options: ReadonlyMap<string, unknown>): boolean {
  return !annotations.readOnlyHint || decisionOptions(name).some((option) => options.has(option.name))
}
