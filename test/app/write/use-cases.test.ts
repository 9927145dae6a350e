import { describe, expect, test } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { addAttachment } from '../../../src/app/write/attachments.ts'
import { listChanges } from '../../../src/app/write/list-changes.ts'
import { applyChanges, createFolder, deleteFile, moveNode, rename, undoChange, writeNode } from '../../../src/app/write/write.ts'
import type { ChangeSummary } from '../../../src/core/changes.ts'
import { RouxError } from '../../../src/core/errors.ts'
import type { Operation, WriteResult, WrittenText } from '../../../src/core/operations.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'
import { type FakeWriting, fakeWriting, PNG, writableCore } from './fake-writing.ts'

const single = <Kind extends Operation>(tool: string, operation: Kind, dryRun = false) => ({ tool, operation, dryRun })
const UPDATE = { kind: 'update', id: 'home', append: 'x', updateLinks: false } as const
const LINE = { line: 3, before: '[[Home]]', after: '[[Start]]' }

/** The core and its fake writing port. */
function writing(result: Partial<WriteResult> = {}, changes: readonly ChangeSummary[] = [], fails?: RouxError) {
  const fake: FakeWriting = fakeWriting(result, changes, fails)
  return { core: writableCore(fake), fake }
}

describe('writing a note', () => {
  test('returns the change, tags, first links and text', async () => {
    const files = [{ kind: 'changed', from: 'Home.md', to: 'Home.md', relinked: [] }] as const
    const { core, fake } = writing({ files, diff: '--- a/Home.md\n+++ b/Home.md\n@@ -1 +1,2 @@\n+x\n' })
    const { value } = await writeNode(core, single('update_node', UPDATE))
    expect(fake.requests).toEqual([{ title: 'update_node home', operations: [UPDATE], dryRun: false }])
    const names = ['id', 'path', 'title', 'hash', 'change_id', 'diff', 'tags', 'links', 'link_count', 'content']
    expect(Object.keys(value)).toEqual(names)
    expect(value).toMatchObject({ id: 'home.md', path: 'Home.md', title: 'Home', change_id: 'c1', link_count: 2 })
    expect(value.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(value.diff).toBe('@@ -1 +1,2 @@\n+x\n')
    expect(value.links).toHaveLength(2)
    expect(value.content).toBe(GARDEN['Home.md']?.body)
  })

  test('ignores white space around ids and paths', async () => {
    const { core, fake } = writing()
    await writeNode(core, single('update_node', { ...UPDATE, id: 'home\n' }))
    await moveNode(core, single('move_node', { kind: 'move', id: ' home.md\r\n', to: 'New\n' } as const))
    await writeNode(core, single('create_node', { kind: 'create', id: 'New.md\n', content: '' } as const))
    expect(fake.requests.flatMap(({ operations }) => operations)).toEqual([
      { ...UPDATE, id: 'home.md' },
      { kind: 'move', id: 'home.md', to: 'New' },
      { kind: 'create', id: 'New.md', content: '' },
    ])
    expect(fake.requests[1]?.title).toBe('move_node  home.md  → New')
    const spaced = { ...core, store: fakeStore({ ...GARDEN, ' lead.md': { body: '' } }) }
    await writeNode(spaced, single('update_node', { ...UPDATE, id: ' lead.md' }))
    expect(fake.requests.at(-1)?.operations).toMatchObject([{ id: ' lead.md' }])
    await undoChange(core, 'c1\n')
    expect(fake.undone).toEqual(['c1'])
  })

  test('a dry run returns the future id without reading the note', async () => {
    const { core } = writing({ subjects: ['New/Note.md'], diff: 'd\n' })
    const request = single('create_node', { kind: 'create', id: 'New/Note.md', content: '' } as const, true)
    expect((await writeNode({ ...core, name: 'work' }, request)).value).toEqual({
      id: 'work:new/note.md',
      path: 'New/Note.md',
      plan_id: 'p1',
      diff: 'd\n',
    })
  })

  test('lists the other files that changed', async () => {
    const files = [
      { kind: 'moved', from: 'Old.md', to: 'Home.md', relinked: [] },
      { kind: 'changed', from: 'a.md', to: 'a.md', relinked: [LINE] },
    ] as const
    const { value } = await writeNode(writing({ files }).core, single('update_node', UPDATE))
    expect(value.counts).toEqual({ moved: 1, changed: 1, relinked_lines: 1 })
    expect(value.files).toEqual([
      { kind: 'moved', path: 'Old.md', to: 'Home.md' },
      { kind: 'changed', path: 'a.md', relinked: [LINE] },
    ])
  })

  describe('a long note', () => {
    const subjects = ['Beds/Long.md']
    const long = GARDEN['Beds/Long.md']?.body ?? ''
    const at = { start: long.length - 3, end: long.length }
    const change = async (text?: Partial<WrittenText>, call = {}) => {
      const hash =
        (await writeNode(writing({ subjects }).core, single('update_node', UPDATE), { isUntruncated: true })).value.hash ?? ''
      const written = text === undefined ? undefined : { hash, changed: at, isKnown: false, ...text }
      return (await writeNode(writing({ subjects, text: written }).core, single('update_node', UPDATE), call)).value
    }

    test('a long note is shown around the change', async () => {
      const { content = '' } = await change({})
      expect(content.length).toBeGreaterThan(490)
      expect(content.length).toBeLessThanOrEqual(500)
      expect(content.startsWith(MARKER)).toBe(true)
      expect(content.endsWith('word end')).toBe(true)
    })

    test('a long note is shown from its beginning if the text did not change or changed again', async () => {
      for (const { content } of [await change(), await change({ hash: 'f'.repeat(64) })]) {
        expect(content).toHaveLength(500)
        expect(content?.startsWith('word word')).toBe(true)
        expect(content?.endsWith(MARKER)).toBe(true)
      }
    })

    test('a long note has a full hash only if the caller knows the whole text', async () => {
      expect((await change({})).hash).toMatch(/^partial:/)
      expect((await change()).hash).toMatch(/^partial:/)
      expect((await change({ isKnown: true })).hash).not.toMatch(/^partial:/)
      expect((await change({ isKnown: true, hash: 'f'.repeat(64) })).hash).toMatch(/^partial:/)
    })

    test('a long note is not cut for a program', async () => {
      const value = await change({}, { isUntruncated: true })
      expect(value.content).toBe(long)
      expect(value.hash).not.toMatch(/^partial:/)
      expect(value).toMatchObject({ properties: {}, outline: [], files: [] })
    })
  })

  test('waits for the index like any answer, and writes once even if the index is damaged', async () => {
    const { core, fake } = writing()
    const lost = () => Promise.reject(new RouxError('STORE_UNAVAILABLE', 'damaged'))
    const damaged: GraphCore = { ...core, store: { ...core.store, read: lost } }
    const { value, warnings } = await writeNode(damaged, single('update_node', UPDATE))
    expect(core.calls).toContain('begin')
    expect(fake.requests).toHaveLength(1)
    expect(value).toEqual({ id: 'home.md', path: 'Home.md', change_id: 'c1', diff: '' })
    expect(warnings).toEqual([{ code: 'NOTICE', message: 'The change was made, but "Home.md" could not be read again: damaged' }])
  })

  test('passes on notices and dangling links', async () => {
    const dangling = [{ path: 'a.md', line: 2, text: '[[x]]', reason: 'its file is deleted' }]
    const { core } = writing({ notes: ['The text still has #x.'], dangling })
    const { value, warnings } = await writeNode(
      core,
      single('manage_tags', { kind: 'manageTags', id: 'home', add: [], remove: ['x'] }),
    )
    expect(value.dangling_links).toEqual(dangling)
    expect(warnings).toEqual([{ code: 'NOTICE', message: 'The text still has #x.' }])
  })

  test('writing is refused when it is disabled or the vault is missing', async () => {
    const closed = fakeCore(fakeStore(GARDEN))
    await expect(writeNode(closed, single('update_node', UPDATE))).rejects.toMatchObject({ code: 'TOOL_DISABLED' })
    const missing = { ...fakeCore(fakeStore({}), { phase: 'missing' }), writing: fakeWriting() }
    await expect(writeNode(missing, single('update_node', UPDATE))).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
    expect(missing.writing.requests).toEqual([])
  })
})

describe('deleting', () => {
  test('a dry run returns a plan and the links that would break', async () => {
    const dangling = [{ path: 'a.md', line: 2, text: 'Home', reason: 'gone' }]
    const files = [{ kind: 'deleted', from: 'Home.md', relinked: [] }] as const
    const { core } = writing({ files, subjects: [undefined], dangling, diff: 'Deleted: Home.md goes to the trash\n' })
    expect((await deleteFile(core, single('delete_node', { kind: 'delete', id: 'home' }, true))).value).toEqual({
      deleted: false,
      plan_id: 'p1',
      diff: 'Deleted: Home.md goes to the trash\n',
      files: [{ kind: 'deleted', path: 'Home.md' }],
      dangling_links: dangling,
    })
  })

  test('returns the links that broke', async () => {
    const gone = writing({ files: [{ kind: 'deleted', from: 'Home.md', relinked: [] }], subjects: [undefined] })
    expect((await deleteFile(gone.core, single('delete_node', { kind: 'delete', id: 'home' }))).value).toEqual({
      deleted: true,
      change_id: 'c1',
      files: [{ kind: 'deleted', path: 'Home.md' }],
    })
  })
})

describe('the note of an operation', () => {
  const requested = async (operations: readonly Operation[], fails?: RouxError) => {
    const { core, fake } = writing({}, [], fails)
    const { warnings } = await applyChanges(core, {
      operations: operations.map((operation) => ({ tool: 'x', operation })),
      dryRun: false,
    })
    const ids = fake.requests[0]?.operations.map((operation) => ('id' in operation ? operation.id : ''))
    return { ids, warnings: warnings.map(({ message }) => message) }
  }

  test.each<Operation>([
    UPDATE,
    { kind: 'delete', id: '' },
    { kind: 'move', id: '', to: 'x/' },
    { kind: 'renameHeading', id: '', heading: ['How'], to: 'Why' },
    { kind: 'manageTags', id: '', add: ['x'], remove: [] },
    { kind: 'clone', id: '', folder: 'x' },
    { kind: 'addAttachment', id: '', filename: 'a.png', content: '' },
  ])('an operation accepts a unique title or alias: %j', async (operation) => {
    const named = (id: string) => requested([{ ...operation, id } as Operation])
    expect(await named('Humus')).toEqual({ ids: ['soil/compost.md'], warnings: ['"Humus" is the note "soil/compost.md".'] })
    expect(await named('Tomatoes')).toEqual({ ids: ['beds/tomato.md'], warnings: ['"Tomatoes" is the note "beds/tomato.md".'] })
    expect(await named('home')).toEqual({ ids: ['home'], warnings: [] })
    await expect(named('Compost')).rejects.toMatchObject({
      code: 'AMBIGUOUS_NAME',
      candidates: ['soil/compost.md', 'yard/compost.md'],
    })
  })

  test("errors use the caller's name, so a caller without read access learns no id", async () => {
    const fails = new RouxError('INVALID_PARAMS', '"soil/compost.md" is no attachment.')
    await expect(requested([{ kind: 'deleteAttachment', id: 'Humus' }], fails)).rejects.toMatchObject({
      message: '"Humus" is no attachment.',
    })
  })

  test('a tool that takes folders prefers a folder to a note of that title', async () => {
    const files = { ...GARDEN, 'Beds/Plan.md': { properties: { title: 'Soil' } } }
    const fake = fakeWriting()
    const core = { ...fakeCore(fakeStore(files)), writing: fake }
    await moveNode(core, single('move_node', { kind: 'move', id: 'Soil', to: 'Earth' } as const))
    expect(fake.requests[0]?.operations).toMatchObject([{ id: 'Soil' }])
  })

  test('an operation finds the note that an earlier one creates, even if another note has that name', async () => {
    const { ids } = await requested([
      { kind: 'create', id: 'new/Humus', content: '' },
      { ...UPDATE, id: 'new/humus' },
      { ...UPDATE, id: 'Tomatoes' },
    ])
    expect(ids).toEqual(['new/Humus', 'new/humus', 'beds/tomato.md'])
  })

  test('an unknown note is an error with the nearest ids', async () => {
    const missing = new RouxError('NODE_NOT_FOUND', 'Operation 2: There is no note "Wormz".')
    await expect(requested([UPDATE, { kind: 'delete', id: 'Wormz' }], missing)).rejects.toMatchObject({
      code: 'NODE_NOT_FOUND',
      message: 'Operation 2: There is no note "Wormz".',
      candidates: expect.arrayContaining(['soil/worms.md']),
    })
  })
})

test("in a named vault, errors list files and changes with the vault's name", async () => {
  const inWork = (error: RouxError) => ({ ...writing({}, [], error).core, name: 'work' })
  for (const code of ['NODE_EXISTS', 'LINK_INTEGRITY', 'AMBIGUOUS_NAME'] as const) {
    const core = inWork(new RouxError(code, 'x', { hint: 'h', candidates: ['home.md'] }))
    const update = writeNode(core, single('update_node', UPDATE))
    await expect(update).rejects.toMatchObject({ code, hint: 'h', candidates: ['work:home.md'] })
  }
  const unknown = inWork(new RouxError('INVALID_PARAMS', 'x', { candidates: [{ id: 'c1', title: 't' }] }))
  await expect(undoChange(unknown, 'c2')).rejects.toMatchObject({ candidates: [{ id: 'work:c1', title: 't' }] })
  for (const code of ['CONFLICT', 'PROVIDER_ERROR'] as const) {
    const changed = inWork(new RouxError(code, 'x', { candidates: [{ path: 'home.md', actual: 'a' }], isTransient: true }))
    const listed = { candidates: [{ path: 'work:home.md', actual: 'a' }], isTransient: true }
    await expect(undoChange(changed, 'c2')).rejects.toMatchObject(listed)
  }
  for (const [code, candidate] of [
    ['CONFLICT', 'a hash'],
    ['SECTION_NOT_FOUND', { path: 'A heading', line: 2 }],
  ] as const) {
    const core = inWork(new RouxError(code, 'x', { candidates: [candidate] }))
    await expect(writeNode(core, single('update_node', UPDATE))).rejects.toMatchObject({ candidates: [candidate] })
  }
})

describe('moving', () => {
  const MOVE = { kind: 'move', id: 'home', to: 'Start.md' } as const
  const files: WriteResult['files'] = [
    { kind: 'moved', from: 'Home.md', to: 'Start.md', relinked: [] },
    { kind: 'changed', from: 'Soil/Worms.md', to: 'Soil/Worms.md', relinked: [LINE] },
  ]

  test('returns the old and new id and every rewritten line', async () => {
    const { core, fake } = writing({ files, subjects: ['Start.md'], diff: '-a\n+b\n' })
    expect((await moveNode(core, single('move_node', MOVE))).value).toEqual({
      old_id: 'home.md',
      new_id: 'start.md',
      change_id: 'c1',
      counts: { moved: 1, changed: 1, relinked_lines: 1 },
      files: [
        { kind: 'moved', path: 'Home.md', to: 'Start.md' },
        { kind: 'changed', path: 'Soil/Worms.md', relinked: [LINE] },
      ],
    })
    expect(fake.requests[0]?.title).toBe('move_node home → Start.md')
  })

  test("both ids include the vault's name, also in a dry run", async () => {
    for (const dryRun of [false, true]) {
      const { core } = writing({ files, subjects: ['Start.md'], diff: '' })
      const { value } = await moveNode({ ...core, name: 'work' }, single('move_node', MOVE, dryRun))
      expect(value.old_id).toBe('work:home.md')
      if (dryRun) expect(value.new_id).toBe('work:start.md')
    }
  })

  test.each([true, false])('a new spelling keeps the id, dry run: %s', async (dryRun) => {
    const { core } = writing({ files: [{ kind: 'moved', from: 'Home.md', to: 'HOME.md', relinked: [] }], subjects: ['HOME.md'] })
    const operation = { kind: 'move', id: 'home', to: 'HOME.md' } as const
    expect((await moveNode(core, single('move_node', operation, dryRun))).value).toMatchObject({
      old_id: 'home.md',
      new_id: 'home.md',
    })
    const request = { operations: [{ tool: 'move_node', operation }], dryRun }
    expect((await applyChanges(core, request)).value.ids).toEqual(['home.md'])
  })

  test('a dry run returns a plan and the diff', async () => {
    const { core, fake } = writing({ files, subjects: ['Start.md'], diff: '-a\n+b\n' })
    const { value } = await moveNode(core, single('move_node', MOVE, true))
    expect(fake.requests[0]?.dryRun).toBe(true)
    expect(value).toMatchObject({ old_id: 'home.md', new_id: 'start.md', plan_id: 'p1', diff: '-a\n+b\n' })
    expect(value).not.toHaveProperty('change_id')
  })

  test.each<[string, Partial<WriteResult>, string, string]>([
    [
      'a folder',
      { files: [{ kind: 'moved', from: 'Soil/Worms.md', to: 'Old/Soil/Worms.md', relinked: [] }] },
      'soil',
      'old/soil',
    ],
    ['an empty folder', { files: [] }, 'soil', 'old'],
    ['a folder that the writer reports', { files: [], subjects: ['Old/Soil'] }, 'soil', 'old/soil'],
  ])('%s uses its path as id', async (_, result, old_id, new_id) => {
    const { core } = writing({ subjects: [undefined], ...result })
    const { value } = await moveNode(core, single('move_node', { kind: 'move', id: '/Soil/', to: 'Old' }))
    expect(value).toMatchObject({ old_id, new_id })
  })
})

describe('answers too large for a model', () => {
  const many = Array.from({ length: 150 }, (_, at): WriteResult['files'][number] => ({
    kind: 'changed',
    from: `${at}.md`,
    to: `${at}.md`,
    relinked: [LINE, { ...LINE, before: 'x'.repeat(1000) }],
  }))
  const result = {
    files: many,
    diff: '+x\n'.repeat(1000),
    dangling: Array.from({ length: 80 }, () => ({ path: 'a.md', line: 1, text: '[[x]]', reason: 'gone' })),
  }
  const TAG = single('rename_tag', { kind: 'renameTag', tag: '#a', to: 'b' }, true)

  test('large answers are cut, with counts of the omitted parts', async () => {
    const { core, fake } = writing(result)
    const { value } = await rename(core, TAG)
    expect(fake.requests[0]?.title).toBe('rename_tag #a → #b')
    expect(value.counts).toEqual({ changed: 150, relinked_lines: 300 })
    expect(value.files).toHaveLength(20)
    expect(value.files?.flatMap(({ relinked = [] }) => relinked)).toHaveLength(20)
    expect(value.files?.[0]?.relinked?.[1]?.before).toHaveLength(160)
    expect(value.diff).toMatch(/\n… 940 more lines\n$/)
    expect(value.dangling_links).toHaveLength(20)
    expect(value.omitted).toEqual({ files: 130, lines: 280, dangling_links: 60 })
    expect(JSON.stringify(value).length).toBeLessThan(8_000)
  })

  test('ids of many operations are counted', async () => {
    const subjects = Array.from({ length: 25 }, (_, at) => `${at}.md`)
    const operations = subjects.map((id) => ({ tool: 'delete_node', operation: { kind: 'delete', id } }) as const)
    const { value } = await applyChanges(writing({ subjects }).core, { operations, dryRun: false })
    expect(value.ids).toHaveLength(20)
    expect(value.omitted).toEqual({ ids: 5 })
    const whole = await applyChanges(writing({ subjects }).core, { operations, dryRun: false }, { isUntruncated: true })
    expect(whole.value.ids).toHaveLength(25)
  })

  test('large answers are complete for a person', async () => {
    const { value } = await rename(writing(result).core, TAG, { isUntruncated: true })
    expect(value.files).toHaveLength(150)
    expect(value.files?.[0]?.relinked?.[1]?.before).toHaveLength(1000)
    expect(value.diff).toHaveLength(3_000)
    expect(value).not.toHaveProperty('omitted')
  })
})

test.each([
  [{ subjects: ['New/Deep'] }, { path: 'New/Deep', change_id: 'c1' }],
  [{ subjects: [undefined] }, { path: 'new/deep', change_id: 'c1' }],
])("create_folder returns the folder's path: %j", async (result, expected) => {
  const request = single('create_folder', { kind: 'createFolder', path: '/new/deep/' })
  expect((await createFolder(writing(result).core, request)).value).toEqual(expected)
})

describe('several operations', () => {
  const operations = [
    { tool: 'move_node', operation: { kind: 'move', id: 'a', to: 'b' } },
    { tool: 'delete_node', operation: { kind: 'delete', id: 'c' } },
  ] as const

  test('several operations form one request with one title, one diff and an id each', async () => {
    const { core, fake } = writing({ subjects: ['B.md', undefined], diff: 'd' })
    const { value } = await applyChanges(core, { operations, dryRun: false })
    expect(fake.requests).toEqual([
      {
        title: 'apply_changes: 2 operations: move_node a → b, delete_node c',
        operations: operations.map(({ operation }) => operation),
        dryRun: false,
      },
    ])
    expect(value).toEqual({ ids: ['b.md', null], change_id: 'c1', diff: 'd\n', files: [] })
  })

  test('apply a plan by its id alone', async () => {
    const { core, fake } = writing({ subjects: [] })
    const { value } = await applyChanges(core, { operations: [], dryRun: false, planId: 'p1' })
    expect(fake.requests).toEqual([{ title: 'apply_changes', operations: [], dryRun: false, planId: 'p1' }])
    expect(value).not.toHaveProperty('ids')
  })

  test('a moved folder has no id', async () => {
    const { core } = writing({ subjects: [undefined] })
    expect((await applyChanges(core, { operations: [], dryRun: false, planId: 'p1' })).value).not.toHaveProperty('ids')
  })

  test.each([
    [{ operations: [], dryRun: false }, 'nothing to do'],
    [{ operations, dryRun: false, planId: 'p1' }, 'Pass either operations or plan_id'],
    [{ operations: [], dryRun: true, planId: 'p1' }, 'plan_id is the result of a dry run'],
    [{ operations: [], dryRun: false, planId: ' ' }, 'plan_id is empty'],
  ])('rejects %j', async (args, message) => {
    const { core, fake } = writing()
    await expect(applyChanges(core, args)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(message),
    })
    expect(fake.requests).toEqual([])
  })

  test('an error states the number of its operation', async () => {
    const long = { tool: 'update_node', operation: { ...UPDATE, title: 'x'.repeat(201) } } as const
    await expect(applyChanges(writing().core, { operations: [...operations, long], dryRun: true })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'Operation 3: title has 201 characters; the limit is 200.',
    })
  })

  test('cuts a long title', async () => {
    const { core, fake } = writing()
    await applyChanges(core, { operations: Array.from({ length: 100 }, () => operations).flat(), dryRun: false })
    expect(fake.requests[0]?.title).toHaveLength(200)
    expect(fake.requests[0]?.title).toMatch(/^apply_changes: 200 operations: move_node a → b, .*…$/)
  })
})

describe('list_changes', () => {
  const change = (id: string, ...paths: readonly string[]): ChangeSummary => ({
    id,
    time: 1_700_000_000_000,
    title: `t ${id}`,
    state: 'done',
    undoes: undefined,
    files: paths.map((path) => ({ kind: 'replace', path, to: undefined })),
  })
  const moved: ChangeSummary = {
    ...change('c2'),
    undoes: 'c1',
    files: [{ kind: 'move', from: 'x', path: 'Soil', to: 'Old/Soil' } as ChangeSummary['files'][number]],
  }
  const changes = [change('c4', 'Home.md'), change('c3', ...Array.from({ length: 30 }, (_, at) => `n/${at}.md`)), moved]

  test('returns times, states and files', async () => {
    const { value } = await listChanges(writing({}, changes).core, { limit: 3 })
    expect(value[0]).toEqual({
      change_id: 'c4',
      time: '2023-11-14T22:13:20.000Z',
      title: 't c4',
      state: 'done',
      files: [{ kind: 'changed', path: 'Home.md' }],
    })
    expect(value[1]?.files).toHaveLength(20)
    expect(value[1]?.omitted_files).toBe(10)
    expect(value[2]).toMatchObject({ undoes: 'c1', files: [{ kind: 'moved', path: 'Soil', to: 'Old/Soil' }] })
  })

  test.each([
    ['create', undefined, 'created'],
    ['replace', undefined, 'changed'],
    ['remove', undefined, 'deleted'],
    ['move', 'b.md', 'moved'],
    ['move', '.trash/a.md', 'deleted'],
    ['makeFolder', undefined, 'folder_created'],
    ['removeFolder', undefined, 'folder_deleted'],
  ] as const)('names a change (%s, to %s) like the tool that made it', async (kind, to, expected) => {
    const files = [{ kind, path: 'a.md', to }]
    const { value } = await listChanges(writing({}, [{ ...change('c1'), files }]).core, { limit: 3 })
    expect(value[0]?.files).toEqual([{ kind: expected, path: 'a.md', ...(to === undefined ? {} : { to }) }])
  })

  test.each([
    ['home', ['c4']],
    ['HOME.md', ['c4']],
    ['n/7', ['c3']],
    ['n/', ['c3']],
    ['soil/worms', ['c2']],
    ['old/soil/worms.md', ['c2']],
    ['so', []],
    ['nope', []],
  ])('filters by %s', async (id, expected) => {
    const { value } = await listChanges(writing({}, changes).core, { limit: 3, id })
    expect(value.map(({ change_id }) => change_id)).toEqual(expected)
  })

  test('returns the newest first, up to the limit, also for one file', async () => {
    const same = Array.from({ length: 9 }, (_, at) => change(`c${9 - at}`, 'Home.md'))
    const { core } = writing({}, same)
    expect((await listChanges(core, { limit: 2 })).value.map(({ change_id }) => change_id)).toEqual(['c9', 'c8'])
    expect((await listChanges(core, { limit: 3, id: 'home' })).value.map(({ change_id }) => change_id)).toEqual([
      'c9',
      'c8',
      'c7',
    ])
  })
})

describe('undo', () => {
  test('an undo is not reported as stale when the watcher sees its own writes', async () => {
    const { core } = writing({ files: [{ kind: 'changed', from: 'Home.md', to: 'Home.md', relinked: [] }] })
    const behind = { ...core, indexing: { ...core.indexing, isBehind: () => true, awaitCaughtUp: async () => false } }
    const { value, warnings } = await undoChange(behind, 'c1')
    expect(value.node?.id).toBe('home.md')
    expect(warnings).toEqual([])
  })

  test('returns the node of a single file', async () => {
    const { core, fake } = writing({ changeId: 'c2', files: [{ kind: 'changed', from: 'Home.md', to: 'Home.md', relinked: [] }] })
    const { value } = await undoChange(core, 'c1')
    expect(fake.undone).toEqual(['c1'])
    expect(value).toMatchObject({ undone: 'c1', change_id: 'c2', node: { id: 'home.md', title: 'Home' } })
  })

  test('returns only files when there are several or the file is gone', async () => {
    const { core } = writing({ files: [{ kind: 'deleted', from: 'New.md', relinked: [] }] })
    expect((await undoChange(core, 'c1')).value).toEqual({
      undone: 'c1',
      change_id: 'c1',
      files: [{ kind: 'deleted', path: 'New.md' }],
    })
    await expect(undoChange(core, ' ')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      hint: expect.stringContaining('list_changes'),
    })
  })
})

test('an added attachment is returned with its facts', async () => {
  const { core } = writing({ files: [{ kind: 'created', to: 'photo.png', relinked: [] }], subjects: ['photo.png'] })
  const content = Buffer.from(PNG).toString('base64')
  const request = single('add_attachment', { kind: 'addAttachment', id: 'home', filename: 'photo.png', content } as const)
  expect((await addAttachment(core, request)).value).toEqual({
    id: 'photo.png',
    filename: 'photo.png',
    mime_type: 'image/png',
    size: PNG.length,
    created: expect.any(String),
    modified: expect.any(String),
    change_id: 'c1',
    files: [{ kind: 'created', path: 'photo.png' }],
  })
})
