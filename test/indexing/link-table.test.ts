import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { VaultPath } from '../../src/core/ids.ts'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import type { Link } from '../../src/core/note.ts'
import { LinkTable } from '../../src/indexing/link-table.ts'

async function* nothing(): AsyncIterable<never[]> {}
const EMPTY = { names: nothing, mentions: nothing } as Partial<IndexWriter> as IndexWriter

function linkTo(target: string): Link {
  return { kind: 'link', form: 'wikilink', target, line: 1, column: 1, start: 0, end: 0 }
}

test('finds all sources that mention a name, however many there are, after any additions and removals', async () => {
  const step = fc.record({ from: fc.nat(150), count: fc.nat(150), names: fc.subarray(['hub', 'b', 'c']) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const table = new LinkTable(EMPTY, { profile: 'lenient', comments: true, mode: 'obsidian' })
      await table.look()
      const expected = new Map<number, readonly string[]>()
      for (const { from, count, names } of steps) {
        for (let key = from; key < from + count; key++) {
          table.resolve({ key, path: `${key}.md` }, names.map(linkTo))
          expected.set(key, names)
        }
      }
      const { sourcesOf } = await table.look()
      for (const name of ['hub', 'b', 'c']) {
        const keys = [...expected].filter(([, names]) => names.includes(name)).map(([key]) => key)
        expect([...sourcesOf(name)].sort((a, b) => a - b)).toEqual(keys.sort((a, b) => a - b))
      }
    }),
  )
})

describe('loading', () => {
  const FLAVOR = { profile: 'lenient', comments: true, mode: 'obsidian' } as const
  const path = (name: string) => `${name}.md` as VaultPath

  /** A writer with three parts of each kind. Counts the parts that were read, and fails when told to. */
  function inParts() {
    const state = { read: 0, isFailing: false }
    async function* parts<T>(rows: readonly T[]): AsyncIterable<readonly T[]> {
      for (const row of rows) {
        if (state.isFailing) throw new Error('the database is closed')
        state.read++
        yield [row]
      }
    }
    const names = ['a', 'b', 'c'].map((name, key) => ({ key, path: path(name), aliases: [] }))
    const mentions = [0, 1, 2].map((key) => ({ key, mentions: ['d'] }))
    const writer = { names: () => parts(names), mentions: () => parts(mentions) } as Partial<IndexWriter> as IndexWriter
    return { state, table: new LinkTable(writer, FLAVOR) }
  }

  test('in advance reads one part at a time, and a change reads the rest', async () => {
    const { state, table } = inParts()
    expect([await table.loadPart(), state.read, await table.loadPart(), state.read]).toEqual([true, 1, true, 2])
    const { affected } = await table.rename([{ key: 3, path: path('d'), aliases: [] }], [])
    expect([[...affected], state.read]).toEqual([[0, 1, 2], 6])
    expect([await table.loadPart(), state.read]).toEqual([false, 6])
  })

  test('by several callers at once reads each part once', async () => {
    const { state, table } = inParts()
    const inAdvance = async (): Promise<void> => {
      while (await table.loadPart()) await new Promise((resolve) => setImmediate(resolve))
    }
    const [, { names, sourcesOf }] = await Promise.all([inAdvance(), table.look(), inAdvance()])
    expect([names.path(2), [...sourcesOf('d')], state.read]).toEqual(['c.md', [0, 1, 2], 6])
  })

  test('starts again with the next change after a failure', async () => {
    const { state, table } = inParts()
    await table.loadPart()
    state.isFailing = true
    await expect(table.loadPart()).rejects.toThrow('closed')
    state.isFailing = false
    expect([...(await table.look()).sourcesOf('d')]).toEqual([0, 1, 2])
  })
})
