import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInsightCache } from '../../../src/store/embedded/insight-cache.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const place = () => join(temporaryFolder(), 'cache', 'insight-1-test.db')

describe('the cache of insights', () => {
  test('keeps its content after reopening', () => {
    const path = place()
    const first = openInsightCache(path)
    first.keepRecords(new Map([['a', bytes('one')]]))
    first.keepResult('x', 'whole', bytes('two'))
    first.close()
    const cache = openInsightCache(path)
    expect(cache.missing(['a', 'b'])).toEqual(['b'])
    expect(Buffer.from(cache.records()('a') ?? []).toString()).toBe('one')
    expect(cache.records()('b')).toBeUndefined()
    expect(Buffer.from(cache.result('x') ?? []).toString()).toBe('two')
    expect(cache.result('y')).toBeUndefined()
    cache.close()
  })

  test('deletes unused contents when there are many', () => {
    const cache = openInsightCache(place())
    const contents = Array.from({ length: 300 }, (_, at) => `c${at}`)
    cache.keepRecords(new Map(contents.map((content) => [content, bytes(content)])))
    cache.keepOnly(new Set(contents.slice(50)))
    expect(cache.missing(contents)).toEqual([])
    cache.keepOnly(new Set(contents.slice(250)))
    expect(cache.missing(contents)).toEqual(contents.slice(0, 250))
    cache.close()
  })

  test('recreates a foreign file, and detects a changed row', () => {
    const path = place()
    const first = openInsightCache(path)
    first.keepRecords(new Map([['a', bytes('water the roses')]]))
    first.close()
    const file = readFileSync(path)
    file[file.indexOf('roses')] = 0x52
    writeFileSync(path, file)
    const damaged = openInsightCache(path)
    expect(() => damaged.records()('a')).toThrow('a row differs from what was written')
    damaged.reset()
    damaged.close()
    writeFileSync(path, 'something else entirely')
    const cache = openInsightCache(path)
    expect(cache.missing(['a'])).toEqual(['a'])
    cache.close()
  })

  test.skipIf(process.getuid?.() === 0)('is kept in memory if the folder cannot be written', () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o500)
    keepsInMemory(join(folder, 'insight-1-test.db'))
  })

  test('is kept in memory if the folder is a file', () => {
    const file = join(temporaryFolder(), 'cache')
    writeFileSync(file, '')
    keepsInMemory(join(file, 'insight-1-test.db'))
  })
})

function keepsInMemory(path: string): void {
  const cache = openInsightCache(path)
  cache.keepRecords(new Map([['a', bytes('one')]]))
  cache.keepResult('x', 'whole', bytes('two'))
  expect(cache.missing(['a', 'b'])).toEqual(['b'])
  expect(Buffer.from(cache.records()('a') ?? []).toString()).toBe('one')
  expect(cache.result('x')).toBeUndefined()
  cache.close()
}
