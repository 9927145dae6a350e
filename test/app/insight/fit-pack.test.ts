import { expect, test } from 'vitest'
import { fitPack, type PackPassage } from '../../../src/app/insight/fit-pack.ts'
import type { NodeId } from '../../../src/core/ids.ts'

function passage(name: string, text: string): PackPassage {
  const show = (length: number) => ({
    heading: [],
    lines: [1, 1] as const,
    hash: '0'.repeat(64),
    text: text.slice(0, length),
    isWhole: length >= text.length,
  })
  return { id: `${name}.md` as NodeId, title: name, key: name, score: 1, length: text.length, show }
}

const long = (name: string) => passage(name, 'Roses want pruning, and much else is to be done. '.repeat(80))

test('long passages are cut so that there are several, and the best grows', () => {
  const { excerpts } = fitPack([long('a'), long('b'), long('c'), long('d')], 4_000)
  expect(excerpts.map(({ id }) => id)).toEqual(['a.md', 'b.md', 'c.md'])
  expect(excerpts.map(({ text }) => text.length > 700)).toEqual([true, false, false])
})

test('short passages make room for further ones before a long one grows', () => {
  const short = Array.from({ length: 30 }, (_, at) => passage(`short ${at}`, `Rose ${at} wants pruning in spring.`))
  const { excerpts } = fitPack([long('long'), ...short], 8_000)
  // If the long one grew first, there were room for 22.
  expect(excerpts.length).toBeGreaterThan(25)
  expect(excerpts[0]?.text.length).toBeGreaterThan(600)
})
