import type { Readable, Writable } from 'node:stream'
import { connect, eachLine, type Greeting, type Link, readNotice } from './connect.ts'
import { greetingFor } from './greeting.ts'
import { handOver } from './hand-over.ts'
import { findPlace } from './place.ts'
import { openLink } from './start-server.ts'
import { StdioRelay } from './stdio-relay.ts'

/** Runs a command line through the shared server if there is one, and otherwise with the whole program, which `loadProgram` runs. */
export function start(script: string, loadProgram: () => void): void {
  const greeting = greetingFor(process.argv.slice(2), process.env)
  if (greeting === undefined) loadProgram()
  else void relay(script, greeting, loadProgram)
}

async function relay(script: string, greeting: Greeting, loadProgram: () => void): Promise<void> {
  const link = await connect(findPlace(script, process.env), greeting)
  if (link === undefined || 'alone' in link) {
    // The program can answer the client while it waits for a busy server.
    if (link !== undefined && link.isBusy !== true) handOver(link)
    return loadProgram()
  }
  if (greeting.kind === 'command') return runCommand(link, loadProgram)
  // The whole program then serves in this process, between the streams of the relay.
  const serveHere = (streams: { readonly stdin: Readable; readonly stdout: Writable }): Promise<number> =>
    new Promise((finish) => {
      handOver({ alone: 'the shared server is gone', streams: { ...streams, finish } })
      loadProgram()
    })
  const relaying = new StdioRelay({ link, reopen: () => openLink(script, greeting), serveHere, onFinished: exitWith })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => relaying.stop())
}

/** Prints what the server prints for a command. If the server ends before it printed anything, the command runs in this process. */
function runCommand({ socket }: Link, loadProgram: () => void): void {
  const { stdout, stderr } = process
  let hasPrinted = false
  let isOver = false
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  stdout.on('drain', () => socket.resume())
  const print = (line: Buffer): void => {
    const { out, err, exit } = readNotice(line) ?? {}
    if (err !== undefined) stderr.write(err)
    if (out !== undefined && !stdout.write(out)) socket.pause()
    hasPrinted ||= out !== undefined
    if (exit === undefined) return
    isOver = true
    exitWith(exit)
  }
  eachLine(socket, print, () => {
    if (isOver) return
    isOver = true
    socket.destroy()
    if (!hasPrinted) return loadProgram()
    stderr.write('error: The shared server ended before the answer was complete.\n  Run the command again.\n')
    exitWith(1)
  })
}

function exitWith(code: number): void {
  process.stdout.write('', () => process.exit(code))
}
