import { connect as openSocket, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { isRecord } from '../core/is-record.ts'
import { isRunning } from '../core/is-running.ts'
import { type Alone, type Place, readToken } from './place.ts'

/** The first line of a connection, without the token. */
export interface Greeting {
  readonly kind: 'serve' | 'command' | 'warm' | 'status' | 'stop'
  readonly argv: readonly string[]
  readonly cwd: string
  /** Environment variables that the command line depends on. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Columns of the streams that are terminals; 0 if unknown. */
  readonly columns: { readonly stdout?: number | undefined; readonly stderr?: number | undefined }
}

/** Begins a line that is for the relay. JSON cannot contain this character, so no message does. */
const MARK = '\u0001'

/** A line from the server for the relay, between the messages for the client. The first one accepts the connection, unless it has `alone`. */
export interface Notice extends Partial<Alone> {
  /** Names of the tools that change something. */
  readonly writes?: readonly string[]
  readonly status?: SharedStatus
  readonly out?: string
  readonly err?: string
  /** The work is done. */
  readonly exit?: number
  /** The connection ends and should be made again: at once, or when there is something to send. */
  readonly again?: 'now' | 'later' | undefined
}

/** The state of a shared server. */
export interface SharedStatus {
  readonly process: number
  readonly version: string
  /** Megabytes. */
  readonly memory: number
  readonly connections: number
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

/**
 * Calls a listener for each line of a stream, without its line break.
 * @param onEnd called when the stream ends or breaks, perhaps several times, with the text after the last line break
 */
export function eachLine(stream: Readable, onLine: (line: Buffer) => void, onEnd: (rest: Buffer) => void): void {
  let parts: Buffer[] = []
  const take = (part: Buffer): Buffer => {
    const line = Buffer.concat([...parts, part])
    parts = []
    return line
  }
  const onData = (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      onLine(take(chunk.subarray(start, end)))
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  const end = (): void => onEnd(take(Buffer.alloc(0)))
  stream.on('data', onData).on('end', end).on('close', end).on('error', end)
  if (stream.readableEnded || stream.destroyed) process.nextTick(end)
}

/**
 * Reads the first line of a socket and leaves the rest in it. Resolves to `undefined` if the socket ends before.
 * @param most bytes above which the line is given up
 */
export function readFirstLine(socket: Socket, most = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0)
    const end = (line?: Buffer): void => {
      socket.off('readable', read).off('end', gone).off('close', gone)
      resolve(line)
    }
    const gone = (): void => end()
    const read = (): void => {
      seen = Buffer.concat([seen, socket.read() ?? Buffer.alloc(0)])
      const at = seen.indexOf(10)
      if (at >= 0) socket.unshift(seen.subarray(at + 1))
      if (at >= 0) end(seen.subarray(0, at))
      else if (seen.length > most) end()
    }
    socket.on('readable', read).on('end', gone).on('close', gone)
  })
}

/** A connection that the server has accepted. */
export interface Link {
  readonly socket: Socket
  readonly notice: Notice
}

/** Milliseconds for something that listens to answer the first line. A server needs some ten on a quiet machine. */
const SILENCE = 2_000

/** Milliseconds for a server to start, or to answer, while its process lives. Many processes that start together keep it busy. */
export const PATIENCE = 45_000

/**
 * Connects to the shared server.
 * @param patience milliseconds to wait for an answer if the server's process lives
 * @returns the connection, `undefined` if there is no server, or why it cannot be used
 */
export async function connect(place: Place | Alone, greeting: Greeting, patience = SILENCE): Promise<Link | Alone | undefined> {
  if ('alone' in place) return place
  const announced = readToken(place)
  if (announced === undefined || 'alone' in announced) return announced
  const { token, pid } = announced
  const socket = openSocket({ path: place.socket, allowHalfOpen: true }).on('error', () => {})
  socket.write(`${JSON.stringify({ ...greeting, token })}\n`)
  const late = new Promise<Notice>((resolve) => {
    const give = (): void => resolve({ alone: 'the shared server does not answer', isBusy: isRunning(pid) })
    // A process that was itself too busy first reads what has arrived meanwhile.
    setTimeout(() => setImmediate(give), isRunning(pid) ? patience : SILENCE).unref()
  })
  const first = await Promise.race([readFirstLine(socket), late])
  const notice = Buffer.isBuffer(first) ? (readNotice(first) ?? { alone: 'another program listens there' }) : first
  if (notice !== undefined && notice.alone === undefined) return { socket, notice }
  socket.destroy()
  return notice as Alone | undefined
}
