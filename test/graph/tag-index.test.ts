import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TagIndex } from '../../src/graph/tag-index.ts'
import { anyRows, applyTwice, noteRow } from './support.ts'

test('an empty segment of a tag is not a parent', () => {
  const index = new TagIndex()
  index.add(noteRow(0, 'a.md', { tags: ['/a', 'b//c'] }))
  expect(index.counts('')).toEqual([
    { tag: '/a', count: 1 },
    { tag: 'b', count: 1 },
    { tag: 'b//c', count: 1 },
  ])
})

test('the tags are the same for any order of updates', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const [grown, fresh] = applyTwice(() => new TagIndex(), rows)
      expect(grown.counts('')).toEqual(fresh.counts(''))
      for (const tag of ['plant', 'plant/shrub', 'x', 'x/y']) expect(new Set(grown.keys(tag))).toEqual(new Set(fresh.keys(tag)))
    }),
  )
})

test('capitals are folded without a language, as in Obsidian', () => {
  const index = new TagIndex()
  index.add(noteRow(0, 'a.md', { tags: ['Işık', 'ışık', 'IŞIK', 'Ödev', 'ödev'] }))
  expect(index.counts('').map(({ tag }) => tag)).toEqual(['IŞIK', 'Işık', 'Ödev', 'ışık'])
})

test('a nested tag counts for its parents, once per note, in the most common spelling', () => {
  const index = new TagIndex()
  index.add(noteRow(0, 'a.md', { tags: ['Plant/Shrub', 'plant/herb'] }))
  index.add(noteRow(1, 'b.md', { tags: ['plant'] }))
  index.add(noteRow(2, 'c.md', { tags: ['plant/shrub'] }))
  index.add(noteRow(3, 'd.md', { tags: ['plant'], excluded: true }))
  expect(index.counts('')).toEqual([
    { tag: 'plant', count: 3 },
    { tag: 'Plant/Shrub', count: 2 },
    { tag: 'plant/herb', count: 1 },
  ])
  expect(index.counts('plant/s')).toEqual([{ tag: 'Plant/Shrub', count: 2 }])
  expect([...index.keys('plant')]).toEqual([0, 1, 2, 3])
})
