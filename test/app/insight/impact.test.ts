import { expect, test } from 'vitest'
import { fitImpact, type Impact, type Intent, impact } from '../../../src/app/insight/impact.ts'
import type { Operation, Planning } from '../../../src/core/operations.ts'
import { prepareCall } from '../../../src/mcp/calls/prepare-call.ts'
import { impactTool } from '../../../src/mcp/tools/insight.ts'
import { searchCore } from '../search-core.ts'

const NOTES = {
  'Home.md': 'Begin with [[Hall]].\n',
  'Hall.md': 'To the [[Attic]].\n\nThe [[Cellar]] is below.\n',
  'Attic.md': 'Dust.\n',
  'Cellar.md': 'Wine, see [[Rack]].\n',
  'Rack.md': 'Bottles.\n',
  'Yard/Shed.md': 'Tools. ![[plan.png]]\n',
  'Yard/Tree.md': 'By the [[Shed]].\n',
  'plan.png': 'png',
}
const house = () => searchCore(NOTES)
const of = async (intent: Intent, mayApply = false, name?: string) => {
  const core = await (name === undefined ? house() : searchCore(NOTES, { name }))
  const seen: (readonly Operation[])[] = []
  const planning: Planning = {
    plan: async (operations) => {
      seen.push(operations)
      return { planId: 'plan-1', files: [], subjects: [], dangling: [], diff: '', notes: [] }
    },
  }
  return { ...(await impact({ ...core, planning }, { intent, mayApply })), seen }
}

test('deleting a note breaks the links to it and disconnects what it joined', async () => {
  const { value, seen } = await of({ kind: 'id', id: 'Hall' })
  expect(value).toEqual({
    breaks: [{ id: 'home.md', line: 1, text: 'Begin with [[Hall]].' }],
    orphaned: [
      { id: 'attic.md', title: 'Attic' },
      { id: 'home.md', title: 'Home' },
    ],
    falls_apart: [1, 1],
    unreachable_from_index: [],
    total: { breaks: 1, orphaned: 2, falls_apart: 2, unreachable_from_index: 0 },
  })
  expect(seen).toEqual([])
})

test('a caller who may write gets a plan of exactly this change', async () => {
  const { value, seen } = await of({ kind: 'id', id: 'hall.md' }, true)
  expect(value?.plan_id).toBe('plan-1')
  expect(seen).toEqual([[{ kind: 'delete', id: 'hall.md' }]])
})

test.each<Intent>([
  { kind: 'id', id: 'yard/shed' },
  { kind: 'folder', folder: 'yard' },
])('the plan of %j in a named vault has ids without its name', async (intent) => {
  const { warnings, seen } = await of(intent, true, 'work')
  expect(seen.flat()[0]).toEqual({ kind: 'delete', id: 'yard/shed.md' })
  expect(warnings).toEqual([])
})

test('deleting a folder reports what breaks outside it', async () => {
  const { value } = await of({ kind: 'folder', folder: 'yard' })
  expect(value).toMatchObject({ breaks: [], orphaned: [], falls_apart: [] })
  const { warnings } = await of({ kind: 'folder', folder: 'yart' })
  expect(warnings[0]?.message).toContain('"Yard"')
})

test('reports a sentence with several broken links once, with their number', async () => {
  const core = await searchCore({
    'Plan.md': 'Build [[Shed]], [[Tree]] and [[Shed|it]] again.\n\nThe [[Tree]].\n',
    'Yard/Shed.md': 'Tools.\n',
    'Yard/Tree.md': 'Leaves.\n',
  })
  const { value } = await impact(core, { intent: { kind: 'folder', folder: 'yard' }, mayApply: false })
  expect(value).toMatchObject({
    breaks: [
      { id: 'plan.md', line: 1, text: 'Build [[Shed]], [[Tree]] and [[Shed|it]] again.', times: 3 },
      { id: 'plan.md', line: 3, text: 'The [[Tree]].' },
    ],
    total: { breaks: 4 },
  })
  expect(value?.breaks[1]).not.toHaveProperty('times')
  expect(fitImpact(value, 8_000).omitted).toEqual({})
})

test('deletes an attachment as an attachment', async () => {
  const { value, seen } = await of({ kind: 'id', id: 'plan.png' }, true)
  expect(value?.breaks).toEqual([{ id: 'yard/shed.md', line: 1, text: '![[plan.png]]' }])
  expect(seen).toEqual([[{ kind: 'deleteAttachment', id: 'plan.png' }]])
})

test('an unknown note is an error with near ids', async () => {
  const outcome = of({ kind: 'id', id: 'hal.md' })
  await expect(outcome).rejects.toMatchObject({ code: 'NODE_NOT_FOUND', candidates: expect.arrayContaining(['hall.md']) })
})

test('plans operations without applying them, and removes what they delete from the graph', async () => {
  const core = await house()
  const planning: Planning = {
    plan: async () => ({
      planId: 'plan-2',
      files: [{ kind: 'deleted', from: 'Cellar.md', relinked: [] }],
      subjects: [undefined],
      dangling: [{ path: 'Hall.md', line: 3, text: 'Cellar', reason: 'the note is gone' }],
      diff: '',
      notes: ['Mind the step.'],
    }),
  }
  const intent: Intent = { kind: 'operations', operations: [{ kind: 'delete', id: 'cellar.md' }] }
  const { value, warnings } = await impact({ ...core, planning }, { intent, mayApply: false })
  expect(value).toMatchObject({
    breaks: [{ id: 'hall.md', line: 3, text: 'Cellar', reason: 'the note is gone' }],
    orphaned: [{ id: 'rack.md' }],
    falls_apart: [1],
  })
  expect(value).not.toHaveProperty('plan_id')
  expect(warnings).toEqual([{ code: 'NOTICE', message: 'Mind the step.' }])
})

test('removes the right note among notes whose paths differ only in case', async () => {
  const core = await searchCore({ 'Note.md': '[[Only here]]', 'note.md': '[[Home]]', 'Only here.md': '', 'Home.md': '' })
  const planning: Planning = {
    plan: async () => ({
      files: [{ kind: 'deleted', from: 'Note.md', relinked: [] }],
      subjects: [undefined],
      dangling: [{ path: 'Note.md', line: 1, text: 'x', reason: 'gone' }],
      diff: '',
      notes: [],
    }),
  }
  const intent: Intent = { kind: 'operations', operations: [{ kind: 'delete', id: 'Note.md' }] }
  const { value } = await impact({ ...core, planning }, { intent, mayApply: false })
  expect(value).toMatchObject({ breaks: [{ id: 'Note.md' }], orphaned: [{ id: 'only here.md' }] })
  await core.close()
})

test('accepts one of id, folder and operations, and only operations of writing tools', async () => {
  const vaults = { names: [], open: house }
  const call = (args: object) => prepareCall(impactTool, args, { vaults })
  for (const args of [{}, { id: 'a', folder: 'b' }]) expect(() => call(args)).toThrow(/expected exactly one of them/)
  expect(() => call({ operations: [{ tool: 'search', arguments: {} }] })).toThrow(/not a write tool/)
  expect(() => call({ operations: [{ tool: 'delete_node', arguments: {} }] })).toThrow(/arguments.id/)
})

test('each list reports what the budget leaves out', () => {
  const notes = Array.from({ length: 300 }, (_, at) => ({ id: `note ${at}.md` as never, title: `Note ${at}` }))
  const value: Impact = {
    breaks: notes.map(({ id }, line) => ({ id, line, text: 'a sentence with a link' })),
    orphaned: notes,
    falls_apart: notes.map((_, size) => 300 - size),
    unreachable_from_index: notes.slice(0, 3),
    total: { breaks: 900, orphaned: 300, falls_apart: 300, unreachable_from_index: 3 },
  }
  for (const room of [400, 2_000, 8_000, 100_000]) {
    const { value: fitted, omitted, capped = {} } = fitImpact(value, room)
    if (room > 400) expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(room)
    for (const name of ['breaks', 'orphaned', 'falls_apart', 'unreachable_from_index'] as const)
      expect((fitted[name]?.length ?? 0) + (omitted[name] ?? 0) + (capped[name] ?? 0)).toBe(value.total[name])
    expect(capped).toEqual({ breaks: 600 })
  }
})
