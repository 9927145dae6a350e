import fc from 'fast-check'
import { expect, test } from 'vitest'
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
      await table.warm()
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
