import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DamagedWords } from '../../../../src/search/words/index/bytes.ts'
import { mergeSegments } from '../../../../src/search/words/index/merge.ts'
import type { Page, SegmentHeader } from '../../../../src/search/words/index/page.ts'
import { documents } from '../documents.ts'
import { MemoryPages, note, store } from '../memory-pages.ts'

function merge(...[sources, isLive]: [Parameters<typeof mergeSegments>[0], Parameters<typeof mergeSegments>[1]]) {
  const pages: Page[] = []
  const run = mergeSegments(sources, isLive, (page) => pages.push(page))
  for (let pauses = 0; ; pauses++) {
    const step = run.next()
    if (step.done === true) return { pages, pauses, header: step.value satisfies SegmentHeader }
  }
}

test('a merge equals building from the live documents', () => {
  fc.assert(
    fc.property(fc.array(documents, { maxLength: 4 }), fc.infiniteStream(fc.boolean()), (lists, coins) => {
      const pages = new MemoryPages()
      const distinct = lists.map((list, source) =>
        list.map((one) => ({ ...one, key: one.key + 100 * source, stamp: source + 7 })),
      )
      const alive = distinct.map((list) => list.map(() => coins.next().value === true))
      const sources = distinct.map((list, id) => ({ ...store(pages, id, list), pages: pages.all(id).map(({ data }) => data) }))
      const kept = distinct.flatMap((list, source) => list.filter((_, at) => alive[source]?.[at]))
      const expected = store(pages, 99, kept)
      const merged = merge(sources, (source, ordinal) => alive[source]?.[ordinal] === true)
      expect(merged.header).toEqual(expected.header)
      expect(merged.pages).toEqual(pages.all(99).map(({ first, data }) => ({ first: new Uint8Array(first), data })))
    }),
  )
})

test('a large merge pauses', () => {
  const pages = new MemoryPages()
  const sources = [0, 1].map((id) => {
    const list = Array.from({ length: 200 }, (_, at) =>
      note(200 * id + at, `n${at}`, Array.from({ length: 300 }, (_, w) => `w${at * w}`).join(' ')),
    )
    return { ...store(pages, id, list), pages: pages.all(id).map(({ data }) => data) }
  })
  expect(merge(sources, () => true).pauses).toBeGreaterThan(3)
})

test('rejects pages in the wrong order', () => {
  const pages = new MemoryPages()
  const stored = store(pages, 1, [note(1, 'b', 'a')])
  const [page] = pages.all(1)
  const twice = [page?.data ?? new Uint8Array(), page?.data ?? new Uint8Array()]
  expect(() => merge([{ ...stored, pages: twice }], () => true)).toThrow(DamagedWords)
})
