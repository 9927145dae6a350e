import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { refused } from './loopback-only.ts'

test('refuses and records connections to other computers, and opens local ones', async () => {
  const server = createServer((_, response) => void response.end('here'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('here')
  const before = refused.length
  await expect(fetch('http://192.0.2.1:9/')).rejects.toThrow()
  expect(() => connect(9, '192.0.2.1')).toThrow('A test would connect to 192.0.2.1.')
  expect(() => connect({ port: 9, host: 'api.example.invalid' })).toThrow(/api\.example\.invalid/)
  expect(refused.slice(before).every((host) => ['192.0.2.1', 'api.example.invalid'].includes(host))).toBe(true)
  expect(refused.length).toBeGreaterThan(before + 1)
})
