import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Vaults } from '../../app/vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { switchOff } from '../../config/tool-switch.ts'
import { openHttpServer } from '../../http/http-server.ts'
import { openTokens, tokenFileIn } from '../../http/token-file.ts'
import { MODERN_VERSION } from '../../mcp/protocol-versions.ts'
import { createMcpServer } from '../../mcp/server.ts'
import { TOOLS } from '../../mcp/tools/index.ts'
import { serveStdioServer } from '../../mcp/transport/serve-stdio.ts'
import { VERSION } from '../version.ts'
import type { Finding } from './checks.ts'

/**
 * Starts the server as an assistant would find it, over stdio and over HTTP, and has it say hello, list its tools and answer a call in both
 * eras of the protocol.
 */
export async function checkProtocol(settings: Settings): Promise<readonly Finding[]> {
  return [
    await checkWay('over stdio', () => greetOverStdio(settings)),
    await checkWay('over HTTP', () => greetOverHttp(settings)),
  ]
}

/** What a server said of itself. */
interface Greeting {
  readonly versions: readonly string[]
  readonly tools: number
}

/** Sends a request and gives its result. */
type Ask = (method: string, params?: object) => Promise<Result>
type Result = Readonly<Record<string, unknown>>

const PATIENCE_MS = 5_000

async function checkWay(way: string, greet: () => Promise<Greeting>): Promise<Finding> {
  try {
    const { versions, tools } = await inTime(greet())
    return { check: 'protocol', state: 'ok', message: `${way}: versions ${versions.join(' and ')}, ${tools} tools` }
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
  // A connection is of one era.
  const [old, modern] = [openStdio(settings), openStdio(settings)]
  try {
    return await greet(old.ask, (method, params) => modern.ask(method, { ...params, ...CLAIM }))
  } finally {
    await Promise.all([old.end(), modern.end()])
  }
}

function openStdio(settings: Settings) {
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
  const ask: Ask = async (method, params = {}) => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`)
    return resultOf(JSON.parse((await lines.next()).value ?? 'null'))
  }
  const end = async (): Promise<void> => {
    stdin.end()
    await server.finished
  }
  return { ask, end }
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
  const common = { Authorization: `Bearer ${token?.secret}`, 'Content-Type': 'application/json' }
  const post = async (method: string, params: object, headers: Readonly<Record<string, string>>) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(server.url, { method: 'POST', headers: { ...common, ...headers }, body })
    return { session: answer.headers.get('mcp-session-id'), result: resultOf(await answer.json()) }
  }
  let session: Readonly<Record<string, string>> = {}
  const old: Ask = async (method, params = {}) => {
    const answer = await post(method, params, session)
    if (answer.session !== null) session = { 'Mcp-Session-Id': answer.session }
    return answer.result
  }
  const modern: Ask = async (method, params = {}) => {
    const named = 'name' in params ? { 'Mcp-Name': String(params.name) } : {}
    const headers = { 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Method': method, ...named }
    return (await post(method, { ...params, ...CLAIM }, headers)).result
  }
  try {
    return await greet(old, modern)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const CLIENT = { name: 'roux-doctor', version: VERSION }
const OLD_VERSION = '2025-11-25'

/** What every request of the modern era says of its client. */
const CLAIM = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

async function greet(old: Ask, modern: Ask): Promise<Greeting> {
  const hello = { protocolVersion: OLD_VERSION, capabilities: {}, clientInfo: CLIENT }
  const { protocolVersion } = await old('initialize', hello)
  const { supportedVersions } = await modern('server/discover')
  if (protocolVersion !== OLD_VERSION || !Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION))
    throw notWanted()
  const [tools, others] = [await listAndCall(old), await listAndCall(modern)]
  if (tools !== others) throw notWanted()
  return { versions: [OLD_VERSION, MODERN_VERSION], tools }
}

/** How many tools there are, when the first of them answers. What it is asked needs no vault: an argument that it does not have. */
async function listAndCall(ask: Ask): Promise<number> {
  const { tools } = await ask('tools/list')
  if (!Array.isArray(tools)) throw notWanted()
  if (tools.length === 0) return 0
  const { isError, structuredContent } = await ask('tools/call', { name: tools[0].name, arguments: { 'no such argument': true } })
  const { error } = (structuredContent ?? {}) as { readonly error?: { readonly code?: unknown } }
  if (isError !== true || error?.code !== 'INVALID_PARAMS') throw notWanted()
  return tools.length
}

function notWanted(): Error {
  return new Error('its answers are not what the protocol wants')
}

function resultOf(answer: unknown): Result {
  if (
    typeof answer === 'object' &&
    answer !== null &&
    'result' in answer &&
    typeof answer.result === 'object' &&
    answer.result !== null
  )
    return answer.result as Result
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
