import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { GraphCore } from '../../src/app/graph-core.ts'
import type { VaultFiles } from '../../src/core/texts.ts'
import { sendPicture } from '../../src/web/routes.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')

/** Requests `photo.png` from a vault whose file is read by `read`. */
async function get(read: VaultFiles['read']): Promise<Response> {
  const core: GraphCore = { ...fakeCore(fakeStore({ 'photo.png': {} })), pictures: { read } }
  const server = createServer((_, response: ServerResponse) => void sendPicture(response, core, 'photo.png'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

function fileOf(bytes: Buffer, size = bytes.length): { readonly read: VaultFiles['read']; readonly lengths: number[] } {
  const lengths: number[] = []
  return {
    lengths,
    read: async (_, { offset, length }) => {
      lengths.push(length)
      return { bytes: bytes.subarray(offset, offset + length), size }
    },
  }
}

test('a picture is read in parts and sent whole', async () => {
  const bytes = Buffer.concat([PNG, Buffer.alloc(3_000_000, 'abc')])
  const { read, lengths } = fileOf(bytes)
  const response = await get(read)
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  expect(Math.max(...lengths)).toBeLessThan(1_000_000)
})

test('rejects what is not a picture, is too large or cannot be read, with a hint', async () => {
  const answers = await Promise.all(
    [fileOf(Buffer.from('%PDF-1.7')).read, fileOf(PNG, 60_000_000).read, async () => undefined].map(get),
  )
  expect(answers.map(({ status }) => status)).toEqual([404, 413, 404])
  for (const answer of answers) expect(await answer.json()).toMatchObject({ error: { hint: 'Open it in another program.' } })
})

test('the answer does not end normally if the file has become shorter', async () => {
  const bytes = Buffer.concat([PNG, Buffer.alloc(400_000)])
  const response = await get(fileOf(bytes, 3_000_000).read)
  await expect(response.arrayBuffer()).rejects.toThrow()
})
