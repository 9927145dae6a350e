import { expect, test } from 'vitest'
import { linkGroups } from '../../src/insight/link-groups.ts'

test('notes that only an index links to form one group with it', () => {
  // Two lists of a hundred notes each, with one link between the lists.
  const pairs = [0, 101].flatMap((list) => Array.from({ length: 100 }, (_, at): [number, number] => [list, list + 1 + at]))
  const groups = linkGroups(rowsOf(202, [...pairs, [0, 101]]))
  expect(new Set(groups).size).toBe(2)
  expect(new Set(groups.subarray(0, 101)).size).toBe(1)
})

test('a note without links is its own group', () => {
  expect(new Set(linkGroups(rowsOf(3, [[0, 1]]))).size).toBe(2)
})

function rowsOf(count: number, pairs: readonly (readonly [number, number])[]) {
  const rows = Array.from({ length: count }, (): number[] => [])
  for (const [a, b] of pairs) {
    rows[a]?.push(b)
    rows[b]?.push(a)
  }
  const offsets = new Uint32Array(count + 1)
  for (const [at, row] of rows.entries()) offsets[at + 1] = (offsets[at] ?? 0) + row.length
  return { offsets, targets: Uint32Array.from(rows.flat()) }
}
