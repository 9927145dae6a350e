import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { type ChangesAnswer, fitChanges } from '../../../src/app/insight/changes-since.ts'
import type { NodeId } from '../../../src/core/ids.ts'

const notes = fc.array(
  fc.record({ id: fc.string({ maxLength: 40 }).map((id) => id as NodeId), title: fc.string({ maxLength: 40 }) }),
  { maxLength: 30 },
)
const places = fc.array(
  fc.record({ id: fc.string({ maxLength: 40 }).map((id) => id as NodeId), line: fc.nat(), text: fc.string({ maxLength: 60 }) }),
  { maxLength: 30 },
)
const answers = fc
  .record({ added: notes, changed: notes, removed: notes, orphans: notes, broken: places, fixed: places })
  .map(({ added, changed, removed, orphans, broken, fixed }): ChangesAnswer => {
    const totals = { added: added.length, broken: broken.length }
    const links = { gained: [], lost: [] }
    return {
      cursor: 'x',
      notes: { added, changed, removed, moved: [] },
      links,
      broken,
      fixed,
      orphans,
      rising: [],
      totals,
    }
  })

/** The lists of an answer, by the names they are counted under. */
function listsOf({ notes, broken, fixed, orphans }: Partial<ChangesAnswer>) {
  return { added: notes?.added, changed: notes?.changed, removed: notes?.removed, broken, fixed, orphans }
}

test('changes keep within the budget, and omissions of each list are counted', () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 400, max: 8_000 }), (answer, room) => {
      const { value, omitted } = fitChanges(answer, room)
      expect(jsonBytes(value)).toBeLessThanOrEqual(room)
      const [full, shown] = [listsOf(answer), listsOf(value)]
      for (const name of Object.keys(full) as (keyof typeof full)[]) {
        const count = shown[name]?.length ?? 0
        expect(shown[name] ?? []).toEqual(full[name]?.slice(0, count))
        expect([name, omitted[name] ?? 0]).toEqual([name, (full[name]?.length ?? 0) - count])
        // A list may be missing only if its entries are counted as omitted. An empty list means that nothing changed.
        if (count === 0) expect(shown[name] === undefined).toBe((omitted[name] ?? 0) > 0)
      }
    }),
  )
})

test('a long list leaves room for a row of each other list', () => {
  const row = (at: number) => ({ id: `folder/note ${at}.md` as NodeId, title: `Note ${at}` })
  const many = Array.from({ length: 200 }, (_, at) => row(at))
  const { value } = fitChanges(
    {
      cursor: 'x',
      notes: { added: many, changed: [], removed: [row(1)], moved: [] },
      links: { gained: [], lost: [] },
      broken: [],
      fixed: [],
      orphans: [row(2)],
      rising: [],
      totals: {},
    },
    1_000,
  )
  const { removed, orphans, added } = listsOf(value)
  expect([removed?.length, orphans?.length, (added?.length ?? 0) > 5]).toEqual([1, 1, true])
})
