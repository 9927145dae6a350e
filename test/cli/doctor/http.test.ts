import { chmodSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkHttp } from '../../../src/cli/doctor/checks.ts'
import { openTokens, tokenFileIn } from '../../../src/http/tokens.ts'
import { listening } from '../../http/support.ts'
import { temporaryFolder } from '../../support/temporary.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = tokenFileIn(folder)
})

const http = { enabled: false, host: '127.0.0.1', port: 0, origins: [], hosts: [], public_url: '', clients: [] }
const check = async (changes: Partial<typeof http>): Promise<readonly string[]> =>
  (await checkHttp({ ...http, ...changes }, file)).map(
    ({ check: name, state, message }) => `${name} ${state}: ${message.replace(folder, '')}`,
  )

describe('checking the HTTP port', () => {
  test('recognizes a running Roux', async () => {
    const on = await listening()
    expect(await check({ port: on.port })).toContain(`http ok: Roux already serves at port ${on.port} of 127.0.0.1`)
    expect(await check({ port: on.port, host: '0.0.0.0' })).toContain(
      `http ok: Roux already serves at port ${on.port} of 0.0.0.0`,
    )
    await on.close()
  })

  test.each([
    ['gives another answer', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'],
    ['does not speak HTTP', 'SSH-2.0-x\r\n'],
    ['hangs up', undefined],
  ])('warns about another program that %s', async (_, words) => {
    const other = await openOther(words)
    const { port } = other.address() as AddressInfo
    expect(await check({ port })).toContain(`http warn: another program is using port ${port} of 127.0.0.1`)
    other.close()
    expect(await check({ port })).toContain(`http ok: port ${port} of 127.0.0.1 is free`)
    expect(await check({ port, host: '0.0.0.0' })).toContain(
      `http warn: port ${port} of 0.0.0.0 is free, and other computers could connect`,
    )
  })
})

test('checks missing, existing, exposed and damaged tokens, and changes nothing', async () => {
  expect(await check({})).toContain('tokens ok: none yet; the first is created on demand')
  openTokens(file)
  expect(await check({})).toContain('tokens ok: 1 in /tokens.json')
  chmodSync(file, 0o640)
  const warned = 'tokens warn: other users of this computer can read /tokens.json (mode 640)'
  expect([await check({}), await check({})]).toEqual([expect.arrayContaining([warned]), expect.arrayContaining([warned])])
  writeFileSync(file, '[')
  expect(await check({})).toContain('tokens fail: /tokens.json is damaged: it is not a list of tokens.')
})

async function openOther(words: string | undefined): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (words === undefined) socket.destroy()
    else socket.end(words)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
