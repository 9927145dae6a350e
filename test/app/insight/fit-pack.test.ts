import { expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
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

test('cuts long passages to fit several, and the best one grows', () => {
  const { excerpts } = fitPack([long('a'), long('b'), long('c'), long('d'), long('e')], { room: 4_000, hasHashes: true })
  expect(excerpts.map(({ id }) => id)).toEqual(['a.md', 'b.md', 'c.md', 'd.md'])
  expect(excerpts.map(({ text }) => text.length > 700)).toEqual([true, false, false, false])
})

test('adds further short passages before a long one grows', () => {
  const short = Array.from({ length: 30 }, (_, at) => passage(`short ${at}`, `Rose ${at} wants pruning in spring.`))
  const { excerpts } = fitPack([long('long'), ...short], { room: 8_000, hasHashes: true })
  // If the long excerpt grew first, only 22 would fit.
  expect(excerpts.length).toBeGreaterThan(25)
  expect(excerpts[0]?.text.length).toBeGreaterThan(600)
})

test('a pack that is too small for a passage has the beginning of the best one', () => {
  const heading = ['Roses', 'Pruning them in spring, and what else is to be done then']
  const named = (name: string): PackPassage => ({ ...long(name), show: (length) => ({ ...long(name).show(length), heading }) })
  for (const room of [300, 340, 400]) {
    const { excerpts, passed } = fitPack([named('a'), named('b')], { room, hasHashes: false })
    expect(jsonBytes(excerpts)).toBeLessThanOrEqual(room)
    expect([excerpts.map(({ id }) => id), passed]).toEqual([['a.md'], 1])
    expect(excerpts[0]?.text).toMatch(/^Roses want pruning/)
  }
})
