import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { linesOf, writeAll } from '../../src/relay/connect.ts'

async function all(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

test('lines may be cut anywhere, even within a character, and the last needs no line break', async () => {
  const stream = new PassThrough()
  const text = Buffer.from('one\n\nzwölf\nthe last')
  for (let at = 0; at < text.length; at++) stream.write(text.subarray(at, at + 1))
  stream.end()
  expect(await all(linesOf(stream))).toEqual(['one', '', 'zwölf', 'the last'])
})

test('a stream that breaks has ended', async () => {
  const stream = new PassThrough()
  const lines = all(linesOf(stream))
  stream.write('one\ntw')
  setImmediate(() => stream.destroy(new Error('broken')))
  expect(await lines).toEqual(['one', 'tw'])
  expect(await all(linesOf(stream))).toEqual([])
})

test('a caller that reads one line leaves later input to others', async () => {
  const stream = new PassThrough()
  const lines = linesOf(stream)
  stream.write('hello\n')
  expect(await lines.next()).toMatchObject({ value: 'hello' })
  await lines.return(undefined)
  stream.end('rest\n')
  expect(String(await buffer(stream))).toBe('rest\n')
})

test('a write to a blocked stream ends when the stream closes', async () => {
  const stream = new Writable({ write() {} })
  const writing = writeAll(stream, 'text')
  stream.destroy()
  await writing
  await writeAll(stream, 'more')
})
