import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Vaults } from '../app/vaults.ts'
import type { Settings } from '../config/settings.ts'
import { openHttpServer } from '../http/http-server.ts'
import { openTokens, tokenFileIn } from '../http/token-file.ts'
import { serveStdioServer } from '../mcp/serve-stdio.ts'
import { createMcpServer } from '../mcp/server.ts'
import { TOOLS } from '../mcp/tools/index.ts'
import type { Finding } from './doctor-checks.ts'
import { switchOff } from './tool-switch.ts'
import { VERSION } from './version.ts'

/** Starts the server twice as an assistant would find it, over stdio and over HTTP, and has it say hello and list its tools. */
export async function checkProtocol(settings: Settings): Promise<readonly Finding[]> {
  return [
    await checkWay('over stdio', () => greetOverStdio(settings)),
    await checkWay('over HTTP', () => greetOverHttp(settings)),
  ]
}

/** What a server said of itself. */
interface Greeting {
  readonly version: string
  readonly tools: number
}

const PATIENCE_MS = 5_000

async function checkWay(way: string, greet: () => Promise<Greeting>): Promise<Finding> {
  try {
    const { version, tools } = await inTime(greet())
    return { check: 'protocol', state: 'ok', message: `${way}: version ${version}, ${tools} tools` }
  } catch (error) {
    return {
      check: 'protocol',
      state: 'fail',
      message: `${way}: a client would get no answer: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Please report it with this line.',
    }
  }
}

async function greetOverStdio(settings: Settings): Promise<Greeting> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const stderr = new PassThrough().resume()
  const server = serveStdioServer({
    vaults: NO_VAULT,
    version: VERSION,
    switchedOffBy: (tool) => switchOff(tool, settings)?.setting,
    stdin,
    stdout,
    stderr,
  })
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const ask = async (message: object): Promise<unknown> => {
    stdin.write(`${JSON.stringify(message)}\n`)
    return JSON.parse((await lines.next()).value ?? 'null')
  }
  try {
    return readGreeting(await ask(INITIALIZE), await ask(LIST))
  } finally {
    stdin.end()
    await server.finished
  }
}

async function greetOverHttp(settings: Settings): Promise<Greeting> {
  // Tokens of its own: looking at an installation makes none for it.
  const folder = mkdtempSync(join(tmpdir(), 'roux-doctor-'))
  const tokenFile = tokenFileIn(folder)
  const [token] = openTokens(tokenFile)
  const switchedOffBy = (tool: Parameters<typeof switchOff>[0]) => switchOff(tool, settings)?.setting
  const server = await openHttpServer({
    ...{ enabled: true, host: '127.0.0.1', port: 0, hosts: [], origins: [], tokenFile },
    serverFor: () => createMcpServer({ vaults: NO_VAULT, version: VERSION, tools: TOOLS, switchedOffBy, log: () => {} }),
    log: () => {},
  })
  const headers = { Authorization: `Bearer ${token?.secret}`, 'Content-Type': 'application/json' }
  const ask = async (message: object, session = {}): Promise<Response> =>
    fetch(server.url, { method: 'POST', headers: { ...headers, ...session }, body: JSON.stringify(message) })
  try {
    const opened = await ask(INITIALIZE)
    const listed = await ask(LIST, { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' })
    return readGreeting(await opened.json(), await listed.json())
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'roux-doctor', version: VERSION } },
}
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

function readGreeting(opened: unknown, listed: unknown): Greeting {
  const { protocolVersion } = resultOf(opened)
  const { tools } = resultOf(listed)
  if (typeof protocolVersion !== 'string' || !Array.isArray(tools)) throw new Error('its answers are not what the protocol wants')
  return { version: protocolVersion, tools: tools.length }
}

function resultOf(answer: unknown): Readonly<Record<string, unknown>> {
  if (
    typeof answer === 'object' &&
    answer !== null &&
    'result' in answer &&
    typeof answer.result === 'object' &&
    answer.result !== null
  )
    return answer.result as Readonly<Record<string, unknown>>
  throw new Error(JSON.stringify(answer))
}

/** A greeting touches no vault. */
const NO_VAULT: Vaults = { names: [], open: () => new Promise(() => {}) }

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
