import type { Readable, Writable } from 'node:stream'
import { connect, type Greeting, Lines, type Link, readNotice } from './connect.ts'
import { greetingFor } from './greeting.ts'
import { handOver } from './hand-over.ts'
import { type Alone, findPlace } from './place.ts'
import { openLink } from './start-server.ts'
import { StdioRelay } from './stdio-relay.ts'

/** Runs a command line through the shared server if there is one, and otherwise with the whole program, which `loadProgram` runs. */
export function start(script: string, loadProgram: () => void): void {
  const greeting = greetingFor(process.argv.slice(2), process.env)
  if (greeting === undefined) loadProgram()
  else void relay(script, greeting, loadProgram)
}

async function relay(script: string, greeting: Greeting, loadProgram: () => void): Promise<void> {
  const link = await tryConnect(script, greeting)
  if (link === undefined) return loadProgram()
  if ('alone' in link) {
    // The program can answer the client while it waits for a busy server.
    if (link.isBusy !== true) handOver(link)
    return loadProgram()
  }
  if (greeting.kind === 'command') return runCommand(link, loadProgram)
  const { stdin, stdout, stderr } = process
  const relaying = new StdioRelay({
    stdin,
    stdout,
    stderr,
    link,
    reopen: () => openLink(script, greeting),
    serveHere: (streams) => runBetween(streams, loadProgram),
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => relaying.stop())
  exitWith(await relaying.finished)
}

async function tryConnect(script: string, greeting: Greeting): Promise<Link | Alone | undefined> {
  const place = findPlace(script, process.env)
  return 'alone' in place ? place : await connect(place, greeting)
}

/** Runs the whole program in this process between the streams of the relay. Resolves to the exit code. */
function runBetween(streams: { readonly stdin: Readable; readonly stdout: Writable }, loadProgram: () => void): Promise<number> {
  return new Promise((finish) => {
    handOver({ alone: 'the shared server is gone', streams: { ...streams, finish } })
    loadProgram()
  })
}

/** Prints what the server prints for a command. If the server ends before it printed anything, the command runs in this process. */
function runCommand({ socket, rest }: Link, loadProgram: () => void): void {
  const { stdout, stderr } = process
  let hasPrinted = false
  let isOver = false
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  stdout.on('drain', () => socket.resume())
  const lines = new Lines((line) => {
    const { out, err, exit } = readNotice(line) ?? {}
    if (err !== undefined) stderr.write(err)
    if (out !== undefined && !stdout.write(out)) socket.pause()
    hasPrinted ||= out !== undefined
    if (exit === undefined) return
    isOver = true
    exitWith(exit)
  })
  const gone = (): void => {
    if (isOver) return
    isOver = true
    socket.destroy()
    if (!hasPrinted) {
      loadProgram()
      return
    }
    stderr.write('error: The shared server ended before the answer was complete.\n  Run the command again.\n')
    exitWith(1)
  }
  socket
    .on('data', (chunk: Buffer) => lines.push(chunk))
    .on('end', gone)
    .on('close', gone)
    .on('error', gone)
  lines.push(rest)
  socket.resume()
}

function exitWith(code: number): void {
  process.stdout.write('', () => process.exit(code))
}
