import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Turns } from '../../src/http/mcp-route.ts'

test('calls run in order of arrival, and messages from another thread are handled between them', async () => {
  const turns = new Turns()
  const order: (number | 'message')[] = []
  const { port1, port2 } = new MessageChannel()
  const heard = new Promise<void>((resolve) => {
    port2.on('message', () => {
      order.push('message')
      resolve()
    })
  })
  const calls = Array.from({ length: 20 }, async (_, number) => {
    await turns.take()
    order.push(number)
    if (number === 0) port1.postMessage('done')
    const end = performance.now() + 1
    while (performance.now() < end);
  })
  await Promise.all([...calls, heard])
  port1.close()
  expect(order.filter((each) => each !== 'message')).toEqual(Array.from({ length: 20 }, (_, number) => number))
  expect(order.indexOf('message')).toBeLessThan(20)
})

test('calls that arrive later run, too', async () => {
  const turns = new Turns()
  await turns.take()
  await Promise.all([turns.take(), turns.take(), turns.take()])
  await turns.take()
})
