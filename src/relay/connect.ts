import { connect as openSocket, type Socket } from 'node:net'
import { isRecord } from '../core/is-record.ts'
import { isRunning } from '../core/is-running.ts'
import { type Alone, type Place, readToken } from './place.ts'

/** The first line of a connection. */
export interface Hello {
  readonly protocol: typeof PROTOCOL
  readonly token: string
  readonly kind: 'serve' | 'command' | 'warm' | 'status' | 'stop'
  readonly argv: readonly string[]
  readonly cwd: string
  /** Environment variables that the command line depends on. */
  readonly env: Readonly<Record<string, string>>
  /** Columns of the streams that are terminals; 0 if unknown. */
  readonly terminals: { readonly stdout?: number; readonly stderr?: number }
}

/** The first line of a connection, without what `connect` adds. */
export type Greeting = Omit<Hello, 'protocol' | 'token'>

/** Version of the protocol between relay and server. Increase it with every incompatible change. */
export const PROTOCOL = 1

/** Begins a line that is for the relay. JSON cannot contain this character, so no message does. */
const MARK = '\u0001'

/** A line from the server for the relay, between the messages for the client. */
export interface Notice {
  /** The server accepts the connection. `writes` names the tools that change something. */
  readonly ok?: true
  readonly writes?: readonly string[]
  readonly status?: SharedStatus
  /** Why the server refuses, so the process works alone. */
  readonly alone?: string
  readonly out?: string
  readonly err?: string
  /** The work is done. */
  readonly exit?: number
  /** The connection ends and should be made again: at once, or when there is something to send. */
  readonly again?: 'now' | 'later'
}

/** The state of a shared server. */
export interface SharedStatus {
  readonly process: number
  readonly version: string
  /** Megabytes. */
  readonly memory: number
  readonly connections: number
  /** Seconds. */
  readonly running: number
  readonly vaults: readonly { readonly vault: string; readonly connections: number }[]
}

/** Formats a notice as a line. */
export function noticeLine(notice: Notice): string {
  return `${MARK}${JSON.stringify(notice)}\n`
}

/** Parses a notice. Returns `undefined` for a message to the client. */
export function readNotice(line: Buffer): Notice | undefined {
  if (line[0] !== MARK.charCodeAt(0)) return undefined
  const notice: unknown = JSON.parse(line.toString('utf8', 1))
  return isRecord(notice) ? notice : {}
}

/** Calls a listener for each line of a stream, without its line break. */
export class Lines {
  #parts: Buffer[] = []
  readonly #onLine: (line: Buffer) => void

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end)
      const parts = this.#parts
      this.#parts = []
      this.#onLine(parts.length === 0 ? line : Buffer.concat([...parts, line]))
      start = end + 1
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start))
  }

  /** Reports the text after the last line break, if any. */
  end(): void {
    const rest = Buffer.concat(this.#parts)
    this.#parts = []
    if (rest.length > 0) this.#onLine(rest)
  }
}

/** The first line of a connection, and the bytes that came with it. */
interface FirstLine {
  readonly line: Buffer
  readonly rest: Buffer
}

interface FirstLineOptions {
  readonly within: number
  readonly bytes?: number
  more?(): number
}

/**
 * Reads the first line of a socket and pauses the socket.
 * @param within milliseconds to wait
 * @param more returns how many milliseconds longer to wait, called once after `within`
 * @param bytes length above which the line is given up
 * @returns the line, `'late'` if it did not come in time, or `undefined` if there will be none
 */
export function readFirstLine(
  socket: Socket,
  { within, more = () => 0, bytes = Number.POSITIVE_INFINITY }: FirstLineOptions,
): Promise<FirstLine | 'late' | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let isOver = false
    const end = (outcome: FirstLine | 'late' | undefined): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      socket.off('data', onData).off('error', onGone).off('end', onGone).off('close', onGone).pause()
      resolve(outcome)
    }
    // A process that was itself too busy first reads what has arrived meanwhile.
    const late = (): void => void setImmediate(() => end('late'))
    let timer = setTimeout(() => {
      const longer = more()
      if (longer > 0) timer = setTimeout(late, longer)
      else late()
    }, within)
    const onGone = (): void => end(undefined)
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (!chunk.includes(10)) {
        if (size > bytes) end(undefined)
        return
      }
      const all = Buffer.concat(chunks)
      const at = all.indexOf(10)
      end({ line: all.subarray(0, at), rest: all.subarray(at + 1) })
    }
    socket.on('data', onData).on('error', onGone).on('end', onGone).on('close', onGone)
  })
}

/** A connection on which the server has accepted the first line. */
export interface Link {
  readonly socket: Socket
  readonly notice: Notice
  /** Bytes that came with the answer. */
  readonly rest: Buffer
}

/** Milliseconds for something that listens to answer the first line. A server needs some ten on a quiet machine. */
const SILENCE = 2_000

/** Milliseconds for a server to start, or to answer, while its process lives. Many processes that start together keep it busy. */
export const PATIENCE = 45_000

/**
 * Connects to the shared server.
 * @param patience milliseconds to wait for an answer while the server's process lives
 * @returns the connection, `undefined` if there is no server, or why it cannot be used
 */
export async function connect(place: Place, hello: Greeting, patience = SILENCE): Promise<Link | Alone | undefined> {
  const announced = readToken(place)
  if (announced === undefined || 'alone' in announced) return announced
  const { token, pid } = announced
  const socket = openSocket({ path: place.socket, allowHalfOpen: true })
  const line: Hello = { protocol: PROTOCOL, token, ...hello }
  socket.write(`${JSON.stringify(line)}\n`)
  const more = (): number => (isRunning(pid) ? patience - SILENCE : 0)
  const first = await readFirstLine(socket, { within: SILENCE, more })
  const outcome = first === 'late' ? lateness(isRunning(pid)) : linkOf(socket, first)
  if (outcome === undefined || 'alone' in outcome) socket.on('error', () => {}).destroy()
  return outcome
}

function lateness(isBusy: boolean): Alone {
  return { alone: 'the shared server does not answer', isBusy }
}

function linkOf(socket: Socket, first: FirstLine | undefined): Link | Alone | undefined {
  if (first === undefined) return undefined
  const notice = readNotice(first.line) ?? { alone: 'the shared server speaks another language' }
  return notice.ok === true ? { socket, notice, rest: first.rest } : { alone: notice.alone ?? 'it refused' }
}
