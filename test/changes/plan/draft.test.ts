import { expect, test } from 'vitest'
import { Draft } from '../../../src/changes/plan/draft.ts'

function relinkedBy(...calls: readonly (readonly [before: string, after: string])[][]) {
  const draft = new Draft({ key: 1, original: 'a.md', path: 'a.md', load: () => new Uint8Array() })
  for (const pairs of calls) draft.addRelinked(pairs.map(([before, after]) => ({ line: 1, before, after })))
  return draft.relinked.map(({ before, after }) => [before, after])
}

test('two links that swap their targets are both listed', () => {
  const swapped = [
    ['[[a]]', '[[b]]'],
    ['[[b]]', '[[a]]'],
  ] as [string, string][]
  expect(relinkedBy(swapped)).toEqual(swapped)
})

test('a link that is rewritten twice is listed once, and one that is rewritten back is not listed', () => {
  expect(relinkedBy([['a', 'b']], [['b', 'c']])).toEqual([['a', 'c']])
  expect(
    relinkedBy(
      [
        ['a', 'b'],
        ['x', 'y'],
      ],
      [['b', 'a']],
    ),
  ).toEqual([['x', 'y']])
})
