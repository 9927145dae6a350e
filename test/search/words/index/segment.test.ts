import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOut, Segment } from '../../../../src/search/words/index/segment.ts'
import { documents } from '../documents.ts'
import { MemoryPages, store } from '../memory-pages.ts'

test('segments laid out together know their end and their language, without reading the documents again', () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 3 }), (list, parts) => {
      const pages = new MemoryPages()
      let reads = 0
      const segments = Array.from({ length: parts }, (_, part) => {
        const { id, header } = store(
          pages,
          part,
          list.filter((_, at) => at % parts === part),
        )
        const watched = {
          ...header,
          get languages() {
            reads++
            return header.languages
          },
        }
        return new Segment(id, watched, pages)
      })
      const readBefore = reads
      const { end, language } = layOut(segments)
      expect(reads).toBe(readBefore)
      expect(end).toBe(Math.max(0, ...list.map(({ key }) => key + 1)))
      const counts = new Map<string | undefined, number>()
      for (const { language: own } of list) counts.set(own, (counts.get(own) ?? 0) + 1)
      const most = Math.max(0, ...counts.values())
      expect(counts.get(language) ?? 0).toBe(most)
    }),
    { numRuns: 200 },
  )
})
