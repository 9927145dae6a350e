import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request as ask } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../src/http/limits.ts'
import { PATIENCE } from '../support/patience.ts'
import { type Ground, HOSTILE, type Hostile } from './hostile-requests.ts'
import { type Listening, listening, speak } from './support.ts'

/** A server as in production, except for its limit for slow clients, and another client. */
interface Side {
  readonly http: Listening
  readonly ground: Ground
  /** The agent has one connection, which stays open throughout. */
  readonly agent: Agent
}

/** This side is for clients that are slow on purpose. */
let hasty: Side
/** This side is for all other clients, because a busy machine may need long to send a request. */
let patient: Side
let connections = 0
const answered = new Map<Hostile, string>()

async function openSide(headersTimeout: number, requestTimeout: number): Promise<Side> {
  const limits = { ...LIMITS, headersTimeout, requestTimeout }
  const http = await listening({ limits, origins: ['https://notes.example.com'] })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { session } = await post({ http, agent }, INITIALIZE)
  return { http, agent, ground: { port: http.port, token: http.token, reader: http.reader, session } }
}

beforeAll(async () => {
  hasty = await openSide(300, 600)
  patient = await openSide(PATIENCE, PATIENCE)
})
afterAll(async () => {
  for (const { agent, http } of [hasty, patient]) {
    agent.destroy()
    await http.close()
  }
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

test.each(HOSTILE.map((hostile) => [`${hostile.about}: ${hostile.name}`, hostile] as const))('%s', async (_, hostile) => {
  const side = hostile.expected === 408 ? hasty : patient
  const { http, ground } = side
  const sent = hostile.send(ground)
  const heard = await speak(http.port, typeof sent === 'function' ? sent : (socket) => void socket.write(sent))
  const status = heard.statuses[0] ?? 'closed'
  answered.set(hostile, String(status))
  expect(status).toBe(hostile.expected)
  if (typeof status === 'number' && status >= 400 && heard.text.includes('\r\n\r\n{')) expect(heard.text).toContain('"error"')
  if (hostile.says !== undefined) expect(heard.text).toMatch(hostile.says)
  expect(heard.text).not.toContain(http.token)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect((await post(side, CALL)).text).toContain('"id":"b.md"')
  expect(connections).toBe(2)
})

test('has many requests, all with different names', () => {
  expect(new Set(HOSTILE.map(({ about, name }) => `${about} ${name}`)).size).toBe(HOSTILE.length)
  expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
})

const PAGE = fileURLToPath(new URL('../../docs/http.md', import.meta.url))

test('the documentation shows the answers (UPDATE_SNAPSHOTS=1 writes it)', () => {
  const rows = HOSTILE.map((hostile) => `| ${hostile.about} | ${hostile.name} | ${answered.get(hostile)} |`)
  const table = ['| about | what is sent | answer |', '|---|---|---|', ...rows].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const fresh = page.replace(
    /(<!-- generated: hostile -->\n)[\s\S]*?(<!-- end of hostile -->)/,
    (_, start, end) => `${start}\n${table}\n\n${end}`,
  )
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(PAGE, fresh)
  else expect(page).toBe(fresh)
})

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_hubs', arguments: {} } }

async function post(
  { http, agent }: Pick<Side, 'http' | 'agent'>,
  body: object,
): Promise<{ readonly text: string; readonly session: string }> {
  const request = ask({
    agent,
    port: http.port,
    method: 'POST',
    path: '/mcp',
    headers: { Authorization: `Bearer ${http.token}`, 'Content-Type': 'application/json' },
  })
  request.on('socket', (socket) => {
    if (socket.connecting) connections++
  })
  request.end(JSON.stringify(body))
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { text, session: String(response.headers['mcp-session-id'] ?? '') }
}
