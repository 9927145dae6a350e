import { expect, test } from 'vitest'
import type { ChangesAnswer } from '../../../src/app/insight/changes-since.ts'
import { renderChanges } from '../../../src/cli/output/render-insight.ts'
import { type NodeId, toNodeId } from '../../../src/core/ids.ts'

const id = (text: string): NodeId => toNodeId(text)
const ANSWER: ChangesAnswer = {
  cursor: 'c0ffee-1-abcd',
  since: new Date(2026, 2, 4, 9, 5).toISOString(),
  notes: {
    added: [{ id: id('c.md'), title: 'Sea\u001b[31m' }],
    changed: [],
    removed: [],
    moved: [{ id: id('bb.md'), title: 'B', from: id('b.md') }],
  },
  links: { gained: [{ from: id('c.md'), to: id('a.md'), line: 3, text: '[[a]]' }], lost: [] },
  broken: [{ id: id('a.md'), line: 1, text: '[[b]]' }],
  fixed: [],
  orphans: [],
  rising: [{ id: id('a.md'), was: 0, now: 1 }],
  totals: { added: 4, moved: 1, gained: 1, broken: 1, rising: 1 },
}
test('shows the changes by kind, with the number of omitted ones', () => {
  expect(renderChanges(ANSWER, {})).toBe(`Since 2026-03-04 09:05

Added (4)
  Sea[31m  c.md
  … 3 more: --limit 4

Moved (1)
  B  b.md → bb.md

New links (1)
  c.md:3 → a.md

Newly broken links (1)
  a.md:1  [[b]]

Linked more (1)
  a.md  0 → 1

Continue from here: roux changes-since --cursor c0ffee-1-abcd
`)
})

test('says that nothing changed, and shows the current state if the changes are unknown', () => {
  const none = { ...ANSWER, notes: { added: [], changed: [], removed: [], moved: [] }, links: { gained: [], lost: [] } }
  const empty = { ...none, broken: [], rising: [], totals: {} }
  expect(renderChanges(empty, {})).toContain('Nothing changed.')
  const { since: _, ...unknown } = empty
  const text = renderChanges({ ...unknown, cursor: null, state: { notes: 1, links: 2, broken: 0, orphans: 1 } }, {})
  expect(text).toBe('The log does not reach further back.\n\nNow: 1 note, 2 links among them, 0 broken, 1 note without any.\n')
})
