import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { type HttpServer, type HttpServerOptions, openHttpServer } from '../../src/http/http-server.ts'
import {
  addToken,
  changeTokens,
  firstToken,
  requireToken,
  SCOPES,
  type Scope,
  type Token,
  tokenFileIn,
} from '../../src/http/tokens.ts'
import { createMcpServer } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'

/** A server over an in-memory vault with two tokens, and helpers to talk to it. */
export interface Listening {
  readonly server: HttpServer
  readonly port: number
  readonly file: string
  readonly token: string
  /** A second token, with read access only. */
  readonly reader: string
  readonly logged: readonly string[]
  /** Replaces the tokens. */
  write(tokens: readonly Token[]): void
  close(): Promise<void>
}

export async function listening(options: Partial<HttpServerOptions> = {}): Promise<Listening> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-http-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  const file = tokenFileIn(folder)
  const tokens = addToken([firstToken()], { name: 'reader', scopes: ['read'], vaults: '*' })
  changeTokens(file, () => tokens)
  const logged: string[] = []
  const core = fakeCore(fakeStore({ 'a.md': { body: '[[b]]' }, 'b.md': {} }))
  const log = (line: string): void => void logged.push(line)
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    origins: [],
    tokenFile: file,
    serverFor: ({ scopes }) =>
      createMcpServer({
        vaults: vaultsOnDemand([], async () => core),
        version: '0',
        tools: TOOLS,
        switchedOffBy: ({ needs }) => (needs === undefined && hasAny(scopes) ? undefined : 'tools.write'),
        log,
      }),
    log,
    ...options,
    // The value may change while the server runs.
    get enabled() {
      return options.enabled ?? true
    },
  }).catch((error: unknown) => {
    removeFolder()
    throw error
  })
  return {
    server,
    port: Number(new URL(server.url).port),
    file,
    token: requireToken(tokens, 'default').secret,
    reader: requireToken(tokens, 'reader').secret,
    logged,
    write: (changed) => void changeTokens(file, () => changed),
    async close() {
      await server.stop()
      removeFolder()
    },
  }
}

function hasAny(scopes: ReadonlySet<Scope>): boolean {
  return SCOPES.some((scope) => scopes.has(scope))
}

/** The data received until the connection closed, or until `isEnough`. */
export interface Heard {
  /** The statuses of all answers in order, without `100 Continue`. */
  readonly statuses: readonly number[]
  readonly text: string
  readonly wasClosed: boolean
}

/** Writes bytes in the order and at the pace of a script, and reads the answers. */
export async function speak(
  port: number,
  script: (socket: Socket) => Promise<void> | void,
  isEnough: (text: string) => boolean = hasWholeAnswer,
): Promise<Heard> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  const heard = new Promise<boolean>((resolve) => {
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      if (isEnough(text)) resolve(false)
    })
    socket.on('end', () => resolve(true)).on('close', () => resolve(true))
    // If the server cuts the connection, judge what arrived before.
    socket.on('error', () => resolve(true))
  })
  await script(socket)
  const wasClosed = await heard
  socket.destroy()
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)]
    .map(([, status]) => Number(status))
    .filter((status) => status !== 100)
  return { statuses, text, wasClosed }
}

/** Whether the first answer, after any `100 Continue`, has arrived with its whole body. */
function hasWholeAnswer(text: string): boolean {
  const final = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const end = final.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = Number(/^content-length: (\d+)/im.exec(final.slice(0, end))?.[1] ?? 0)
  return final.length >= end + 4 + length
}
