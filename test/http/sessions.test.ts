import { Server } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import type { EventStream } from '../../src/http/event-stream.ts'
import { ExchangeTransport, type Session, Sessions } from '../../src/http/sessions.ts'

let now = 0
const open = (sessions: Sessions, principal = 'h'): Session | undefined => {
  const opened = sessions.open({
    principal,
    version: '2025-06-18',
    server: new Server({ name: 'x', version: '1' }),
    transport: new ExchangeTransport(),
  })
  return 'session' in opened ? opened.session : undefined
}
const table = (): Sessions => new Sessions({ sessions: 4, sessionsPerToken: 2, sessionIdle: 1000 }, () => now)
const stream = { end: () => {} } as unknown as EventStream

function opened(sessions: Sessions, principal?: string): Session {
  const session = open(sessions, principal)
  if (session === undefined) throw new Error('no room')
  return session
}

test('a session is found by its id, and only by its owner', () => {
  const sessions = table()
  const session = opened(sessions, 'a')
  expect(sessions.find(session.id, 'a')).toBe(session)
  expect(sessions.find(session.id, 'b')).toBeUndefined()
  expect(sessions.find('x', 'a')).toBeUndefined()
  sessions.close()
})

test('if there are too many sessions, the one that was idle longest ends', () => {
  const sessions = table()
  const [a, b] = [opened(sessions), opened(sessions)]
  now += 10
  sessions.find(a.id, 'h')
  const c = opened(sessions)
  expect([a, b, c].map(({ id }) => sessions.find(id, 'h') !== undefined)).toEqual([true, false, true])
  sessions.close()
})

test('if the server has too many sessions, the token with the most loses the one idle longest', () => {
  const sessions = table()
  const [few, ...many] = [opened(sessions, 'a'), opened(sessions, 'b'), opened(sessions, 'b'), opened(sessions, 'c')]
  opened(sessions, 'd')
  expect(sessions.find(few.id, 'a')).toBeDefined()
  expect(many.map((one) => sessions.find(one.id, one.principal) !== undefined)).toEqual([false, true, true])
  sessions.close()
})

test('sessions with a stream or a running call are kept, and if all have one, no new session opens', () => {
  const sessions = table()
  const [a, b] = [opened(sessions), opened(sessions)]
  a.stream = stream
  void b.transport.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }], () => {})
  expect(open(sessions)).toBeUndefined()
  a.stream = undefined
  expect(open(sessions)).toBeDefined()
  expect(sessions.find(a.id, 'h')).toBeUndefined()
  sessions.close()
})

test('sessions end after being idle too long, except those with a stream', () => {
  const sessions = table()
  const [a, b] = [opened(sessions), opened(sessions)]
  b.stream = stream
  now += 999
  sessions.sweep()
  expect(sessions.size).toBe(2)
  now += 2
  sessions.sweep()
  expect([sessions.find(a.id, 'h'), sessions.find(b.id, 'h')]).toEqual([undefined, b])
  sessions.close()
})

test('a changed token ends its sessions only', () => {
  const sessions = table()
  const [a, b] = [opened(sessions, 'a'), opened(sessions, 'b')]
  sessions.endUnless((principal) => principal === 'b')
  expect([sessions.find(a.id, 'a'), sessions.find(b.id, 'b')]).toEqual([undefined, b])
  sessions.close()
  expect(sessions.size).toBe(0)
})
