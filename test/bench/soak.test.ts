import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

interface Quarter {
  readonly resident: number
  readonly handles: ReadonlyMap<string, number>
  readonly watches: readonly number[]
  readonly folders: readonly number[]
  readonly differences: readonly string[]
  readonly cache: string
}
const judge = fileURLToPath(new URL('../../bench/soak/judge.mjs', import.meta.url))
const { faultsOf } = (await import(judge)) as { faultsOf(quarters: readonly Quarter[]): readonly string[] }

const GOOD: Quarter = {
  resident: 200,
  handles: new Map([
    ['/cache/index.db', 2],
    ['anon_inode:inotify', 1],
  ]),
  watches: [11, 12, 13],
  folders: [11, 12, 13],
  differences: [],
  cache: 'disk',
}
const then = (change: Partial<Quarter>) => faultsOf([GOOD, { ...GOOD, ...change }])

describe('evaluating a soak test', () => {
  test('finds no fault with equal quarters, or with less memory and fewer handles', () => {
    expect(faultsOf([GOOD, GOOD, GOOD, GOOD])).toEqual([])
    expect(then({ resident: 225, handles: new Map([['/cache/index.db', 1]]) })).toEqual([])
  })

  test('memory growth after the first quarter is a fault', () => {
    expect(then({ resident: 240 })).toEqual(['quarter 2: 240 MB at rest, after 200 MB in the first'])
  })

  test('handles that stay open are a fault, even of deleted files, except for two spare ones', () => {
    const having = (...added: readonly (readonly [string, number])[]) => then({ handles: new Map([...GOOD.handles, ...added]) })
    expect(having(['/cache/index.db', 4], ['socket', 2])).toEqual([])
    expect(having(['/cache/index.db', 5], ['/cache/index.db-wal (deleted)', 3])).toEqual([
      'quarter 2: 3 more open of /cache/index.db',
      'quarter 2: 3 more open of /cache/index.db-wal (deleted)',
    ])
  })

  test('a folder without a watch, a watch without a folder, and a double watch are faults', () => {
    expect(then({ watches: [11, 13] })).toEqual(['quarter 2: 1 of 3 folders are not watched'])
    const left = ['quarter 2: 1 watches of what is no longer there, or double']
    expect(then({ watches: [11, 12, 13, 14] })).toEqual(left)
    expect(then({ watches: [11, 12, 12, 13] })).toEqual(left)
  })

  test('an index that stays in memory, or answers differently from a fresh index, is a fault', () => {
    expect(then({ cache: 'memory' })).toEqual(['quarter 2: the index did not return to the disk'])
    expect(then({ differences: ['another answer of list_tags {}'] })).toEqual(['quarter 2: another answer of list_tags {}'])
  })

  test('a soak test that ends before its first quarter shows nothing', () => {
    expect(faultsOf([])).toEqual(['no quarter came to its end'])
  })
})
