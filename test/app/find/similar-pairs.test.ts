import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MIN_SIMILARITY, similarPairs } from '../../../src/app/find/similar-nodes.ts'
import { toNodeId } from '../../../src/core/ids.ts'
import { type Insight, NO_NOTE } from '../../../src/core/insight/insight.ts'

const KEPT = 3
const NOTES = 6

/** For each note, up to three others with scores, some of them too low. */
const anyNearest = fc.array(
  fc.uniqueArray(fc.tuple(fc.nat(NOTES - 1), fc.constantFrom(0.05, 0.08, 0.4, 0.9)), {
    maxLength: KEPT,
    selector: ([note]) => note,
  }),
  { minLength: NOTES, maxLength: NOTES },
)

test('lists every pair once if one note is near enough to the other', () => {
  fc.assert(
    fc.property(anyNearest, (given) => {
      const lists = given.map((list, note) => list.filter(([other]) => other !== note))
      const notes = new Uint32Array(NOTES * KEPT).fill(NO_NOTE)
      const scores = new Float32Array(NOTES * KEPT)
      const expected = new Set<string>()
      for (const [note, list] of lists.entries()) {
        for (const [at, [other]] of list.entries()) {
          // Both notes of a pair have the same score.
          const score = given[Math.min(note, other)]?.[0]?.[1] ?? 0.4
          notes[note * KEPT + at] = other
          scores[note * KEPT + at] = score
          if (Math.fround(score) >= MIN_SIMILARITY.normal) expected.add([note, other].sort().join(' '))
        }
      }
      const ids = Array.from({ length: NOTES }, (_, note) => toNodeId(String(note)))
      const found = [...similarPairs({ ids, nearest: { kept: KEPT, notes, scores } } as unknown as Insight)]
      const pairs = found.map(({ source, target }) => `${source} ${target}`)
      expect(pairs.length).toBe(new Set(pairs).size)
      expect(pairs.sort()).toEqual([...expected].sort())
    }),
  )
})
