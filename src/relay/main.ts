import type { Readable, Writable } from 'node:stream'
import { isTransient } from '../core/errors.ts'
import { connect, type Greeting, type Link, readNotice, writeAll } from './connect.ts'
import { greetingFor, handOver } from './greeting.ts'
import { findPlace } from './place.ts'
import { openLink } from './start-server.ts'
import { StdioRelay } from './stdio-relay.ts'

/** Runs the program, in the shared server if possible. `loadProgram` loads and runs the whole program. */
export function start(script: string, loadProgram: () => void): void {
  const greeting = greetingFor(process.argv.slice(2), process.env)
  if (greeting === undefined) loadProgram()
  else void relay(script, greeting, loadProgram)
}

async function relay(script: string, greeting: Greeting, loadProgram: () => void): Promise<void> {
  const link = await linkTo(script, greeting)
  if (link === undefined) return loadProgram()
  if (greeting.kind === 'command') return await runCommand(link, loadProgram)
  const serveHere = (streams: { readonly stdin: Readable; readonly stdout: Writable }): Promise<number> =>
    new Promise((finish) => {
      Object.assign(handOver, { unsharedReason: 'the shared server is gone', streams: { ...streams, finish } })
      loadProgram()
    })
  const relaying = new StdioRelay({ link, reopen: () => openLink(script, greeting), serveHere, onFinished: exitWith })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => relaying.stop())
}

async function linkTo(script: string, greeting: Greeting): Promise<Link | undefined> {
  try {
    return await connect(findPlace(script, process.env), greeting)
  } catch (error) {
    // A transient error is not recorded, because a busy server is retried in the background.
    if (!isTransient(error)) handOver.unsharedReason = (error as Error).message
    return undefined
  }
}

/** Runs a command in the server, or in this process if the server ends without any output. */
async function runCommand({ socket, lines }: Link, loadProgram: () => void): Promise<void> {
  const { stdout, stderr } = process
  let hasPrinted = false
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  for await (const line of lines) {
    const { out, err, exit } = readNotice(line) ?? {}
    if (err !== undefined) stderr.write(err)
    if (out !== undefined) await writeAll(stdout, out)
    hasPrinted ||= out !== undefined
    if (exit !== undefined) return exitWith(exit)
  }
  socket.destroy()
  if (!hasPrinted) return loadProgram()
  stderr.write('error: The shared server ended before the answer was complete.\n  Run the command again.\n')
  exitWith(1)
}

function exitWith(code: number): void {
  process.stdout.write('', () => process.exit(code))
}
