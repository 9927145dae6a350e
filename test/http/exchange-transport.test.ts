import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { beforeEach, expect, test } from 'vitest'
import { ExchangeTransport } from '../../src/http/sessions.ts'

const request = (id: string | number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'x' })
const answer = (id: string | number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} })
const notification = (method: string, params = {}): JSONRPCMessage => ({ jsonrpc: '2.0', method, params })

let transport: ExchangeTransport
let heard: JSONRPCMessage[]
let events: JSONRPCMessage[]
const post = (...messages: JSONRPCMessage[]) => transport.post(messages, (event) => void events.push(event))

beforeEach(() => {
  transport = new ExchangeTransport()
  heard = []
  events = []
  transport.onmessage = (message) => void heard.push(message)
})

test('each post gets its own answers', async () => {
  const [first, second] = [post(request(1), request(2)), post(request('a'))]
  expect([heard.length, transport.pending.size]).toEqual([3, 3])
  for (const id of [2, 'a', 1]) await transport.send(answer(id))
  expect(await first).toEqual([answer(2), answer(1)])
  expect(await second).toEqual([answer('a')])
  expect(transport.pending.size).toBe(0)
})

test('a post without requests finishes at once', async () => {
  expect(await post(notification('notifications/initialized'))).toEqual([])
})

test('a cancelled request gets no answer, but the rest of its post does', async () => {
  const posted = post(request(1), request(2))
  await post(notification('notifications/cancelled', { requestId: 1 }))
  await transport.send(answer(1))
  await transport.send(answer(2))
  expect(await posted).toEqual([answer(2)])
  expect(heard.at(-1)).toMatchObject({ method: 'notifications/cancelled' })
})

test('messages about a request go to its post, all others to the listener', async () => {
  const unasked: JSONRPCMessage[] = []
  transport.onNotification = (message) => void unasked.push(message)
  const posted = post(request(1))
  const progress = notification('notifications/progress')
  await transport.send(progress, { relatedRequestId: 1 })
  await transport.send(notification('notifications/tools/list_changed'))
  await transport.send(answer(1))
  await posted
  await transport.send(progress, { relatedRequestId: 1 })
  expect(events).toEqual([progress])
  expect(unasked).toEqual([notification('notifications/tools/list_changed'), progress])
})

test('closing returns the answers so far and accepts nothing more', async () => {
  const posted = post(request(1), request(2))
  await transport.send(answer(1))
  await transport.close()
  expect([await posted, transport.isClosed]).toEqual([[answer(1)], true])
  expect(await post(request(3))).toEqual([])
  expect(heard).toHaveLength(2)
})
