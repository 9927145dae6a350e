import { connect as openSocket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'
import { notUsable, type Place, readAnnouncement } from './place.ts'

/** The first line of a connection. The server must accept it before the client sends more. */
export interface Greeting {
  readonly kind: 'serve' | 'command' | 'warm' | 'status' | 'stop'
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The terminal widths in columns, or 0 if unknown. */
  readonly columns: { readonly stdout?: number | undefined; readonly stderr?: number | undefined }
}

/** Prefix of notices. JSON escapes this character, so no message starts with it. */
const MARK = '\u0001'

/** A control line from the server to the relay. The first one accepts the connection unless `alone` is set. */
export interface Notice {
  /** The reason why the server rejects the process. */
  readonly alone?: string
  readonly writes?: readonly string[]
  readonly status?: SharedStatus
  readonly out?: string
  readonly err?: string
  readonly exit?: number
  /**
   * When the relay reconnects: immediately (`now`), before the next message (`later`), or immediately with all open requests
   * (`repeat`).
   */
  readonly again?: 'now' | 'later' | 'repeat' | undefined
}

export interface SharedStatus {
  readonly process: number
  readonly version: string
  /** The memory of the server's process in megabytes. */
  readonly memory: number
  readonly connections: number
  readonly vaults: readonly { readonly vault: string; readonly connections: number }[]
}

export function noticeLine(notice: Notice): string {
  return `${MARK}${JSON.stringify(notice)}\n`
}

/** @returns `undefined` for an MCP message */
export function readNotice(line: string): Notice | undefined {
  if (!line.startsWith(MARK)) return undefined
  const notice = parseJson(line.slice(MARK.length))
  return isRecord(notice) ? notice : {}
}

/** Yields lines without line breaks. A stream error ends the input. */
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
    // The lines before the error are valid.
  }
  if (line !== '') yield line
}

/** Writes text. The promise resolves when more can be written or the stream has closed. */
export function writeAll(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stream.off('close', end)
      resolve()
    }
    stream.once('close', end).write(text, end)
  })
}

export interface Link {
  readonly socket: Duplex
  readonly notice: Notice
  readonly lines: AsyncIterable<string>
}

/** The time in milliseconds to wait for a listener's answer, which usually takes about 10 ms. */
const SILENCE_TIMEOUT = 2_000

/**
 * @param patience milliseconds to wait if the server's process is alive
 * @returns `undefined` if no server is running
 * @throws an error that explains why the server cannot be used
 */
export async function connect(place: Place, greeting: Greeting, patience = SILENCE_TIMEOUT): Promise<Link | undefined> {
  const { token, isAlive = false } = readAnnouncement(place) ?? {}
  if (token === undefined) return undefined
  const socket = openSocket({ path: place.socket, allowHalfOpen: true }).on('error', () => {})
  socket.write(`${JSON.stringify({ ...greeting, token })}\n`)
  const lines = linesOf(socket)
  const stranger: Notice = { alone: 'another program is using its socket' }
  const first = lines.next().then(({ value: line }) => (line === undefined ? undefined : (readNotice(line) ?? stranger)))
  const silence: Notice = { alone: 'the shared server does not answer' }
  const late = new Promise<Notice>((resolve) => {
    // If this process was busy, `setImmediate` lets it read a pending answer first.
    setTimeout(() => setImmediate(resolve, silence), isAlive ? patience : SILENCE_TIMEOUT).unref()
  })
  const notice = await Promise.race([first, late])
  if (notice !== undefined && notice.alone === undefined) return { socket, notice, lines }
  socket.destroy()
  // Another server may have replaced the announced one.
  if (notice?.alone === undefined || readAnnouncement(place)?.token !== token) return undefined
  throw notUsable(notice.alone, notice === silence && isAlive)
}
