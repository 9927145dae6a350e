import { connect as openSocket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'
import { notUsable, type Place, readAnnouncement } from './place.ts'

/** The first line of a connection, without the token. Nothing follows it before the server has accepted the connection. */
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
export interface Notice {
  /** Why the process must work alone. */
  readonly alone?: string
  /** Names of the tools that change something. */
  readonly writes?: readonly string[]
  readonly status?: SharedStatus
  readonly out?: string
  readonly err?: string
  /** The work is done. */
  readonly exit?: number
  /** The connection ends and should be made again: at once, when there is something to send, or at once to repeat the open requests. */
  readonly again?: 'now' | 'later' | 'repeat' | undefined
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
export function readNotice(line: string): Notice | undefined {
  if (!line.startsWith(MARK)) return undefined
  const notice = parseJson(line.slice(MARK.length))
  return isRecord(notice) ? notice : {}
}

/** Yields the lines of a stream without their line breaks, then what follows the last one. A stream that breaks has ended. */
export async function* linesOf(stream: Readable): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder()
  let line = ''
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      const [end, ...others] = decoder.write(chunk).split('\n')
      line += end
      for (const next of others) {
        yield line
        line = next
      }
    }
  } catch {
    // The lines before the break count.
  }
  if (line !== '') yield line
}

/** Writes a text. Resolves when the next one may follow, or the stream is gone. */
export function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stream.off('close', end)
      resolve()
    }
    stream.once('close', end).write(text, end)
  })
}

/** A connection that the server has accepted. */
export interface Link {
  readonly socket: Duplex
  readonly notice: Notice
  /** The server's lines after this notice. */
  readonly lines: AsyncIterable<string>
}

/** Milliseconds for something that listens to answer the first line. A server needs some ten on a quiet machine. */
const SILENCE = 2_000

/**
 * Connects to the shared server.
 * @param patience milliseconds to wait for an answer if the server's process lives
 * @returns `undefined` if no server runs
 * @throws an error whose message tells why the server cannot be used
 */
export async function connect(place: Place, greeting: Greeting, patience = SILENCE): Promise<Link | undefined> {
  const { token, isAlive = false } = readAnnouncement(place) ?? {}
  if (token === undefined) return undefined
  const socket = openSocket({ path: place.socket, allowHalfOpen: true }).on('error', () => {})
  socket.write(`${JSON.stringify({ ...greeting, token })}\n`)
  const lines = linesOf(socket)
  const stranger: Notice = { alone: 'another program listens there' }
  const first = lines.next().then(({ value: line }) => (line === undefined ? undefined : (readNotice(line) ?? stranger)))
  const silence: Notice = { alone: 'the shared server does not answer' }
  const late = new Promise<Notice>((resolve) => {
    // A process that was itself too busy first reads what has arrived meanwhile.
    setTimeout(() => setImmediate(resolve, silence), isAlive ? patience : SILENCE).unref()
  })
  const notice = await Promise.race([first, late])
  if (notice !== undefined && notice.alone === undefined) return { socket, notice, lines }
  socket.destroy()
  // A successor may have taken over the socket after the announcement was read.
  if (notice?.alone === undefined || readAnnouncement(place)?.token !== token) return undefined
  throw notUsable(notice.alone, notice === silence && isAlive)
}
