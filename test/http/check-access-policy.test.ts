import { expect, test } from 'vitest'
import { checkAccessPolicy } from '../../src/http/host-and-origin.ts'

test('accepts names and origins as clients send them', () => {
  const hosts = ['notes.example.com', 'Box', '192.0.2.1', '[2001:db8::1]']
  const origins = ['https://notes.example.com', 'http://box:3000/', 'app://obsidian.md', 'chrome-extension://abc']
  for (const host of ['127.0.0.1', '::', 'box']) expect(() => checkAccessPolicy({ host, hosts, origins })).not.toThrow()
})

test.each(['https://notes.example.com', 'notes.example.com:443', '*', '', 'a b', '2001:db8::1'])('http.hosts: %s', (host) => {
  expect(() => checkAccessPolicy({ host: '127.0.0.1', hosts: [host], origins: [] })).toThrow(
    `http.hosts: "${host}" is not a host name.`,
  )
})

test.each(['*', 'null', 'notes.example.com', 'https://a.example/path', 'https://user@a.example', ''])(
  'http.origins: %s',
  (origin) => {
    expect(() => checkAccessPolicy({ host: '127.0.0.1', hosts: [], origins: [origin] })).toThrow(
      `http.origins: "${origin}" is not an origin.`,
    )
  },
)

test.each(['', ' '])('rejects the address "%s", which would listen everywhere', (host) => {
  expect(() => checkAccessPolicy({ host, hosts: [], origins: [] })).toThrow('http.host is empty')
})
