import { expect, test } from 'vitest'
import { findNodes } from '../../src/app/find/find-nodes.ts'
import { getProblems } from '../../src/app/insight/get-problems.ts'
import { getNeighbors } from '../../src/app/links/get-neighbors.ts'
import { getNode } from '../../src/app/read/get-node.ts'
import { slowStore } from '../support/slow-store.ts'
import { searchCore } from './search-core.ts'

const NOTES = {
  'Index.md': 'See [[Deep Work]], [[Rest]] and [[Soil]].\n',
  'a.md': 'First.\n\nThen [[deep-work]].\n',
  'plans/b.md': '# B\n\n[[Index]]\n\n[[Deep work|it]] and [[Rest]]. ![[photo.png]]\n',
  'plans/c.md': '[[Index]] [[Deep Work]] [[Index#Gone]]\n',
  'Soil.md': '---\naliases: [Earth]\n---\n# Soil\n',
  'Lonely.md': 'Alone.\n',
}
const ARGS = { summary: false, limit: 20, offset: 0 }

async function ask(args: Partial<Parameters<typeof getProblems>[1]>) {
  const core = await searchCore(NOTES)
  const answer = await getProblems(core, { ...ARGS, ...args })
  await core.close()
  return answer
}

test('the notes that are most missing come first, each once, with who wants them and where', async () => {
  const { value } = await ask({ kind: 'missing_note' })
  expect(value).toEqual({
    problems: [
      {
        kind: 'missing_note',
        id: 'deep work',
        line: 0,
        text: 'Deep Work',
        notes: 4,
        sources: [
          { id: 'index.md', line: 1 },
          { id: 'a.md', line: 3 },
          { id: 'plans/b.md', line: 5 },
        ],
      },
      {
        kind: 'missing_note',
        id: 'rest',
        line: 0,
        text: 'Rest',
        notes: 2,
        sources: [
          { id: 'index.md', line: 1 },
          { id: 'plans/b.md', line: 5 },
        ],
      },
    ],
    total: 2,
  })
})

test('the id of a missing note leads to all who want it', async () => {
  const core = await searchCore(NOTES)
  const { value } = await getNeighbors(core, {
    id: 'rest',
    direction: 'in',
    limit: 20,
    includeContent: false,
    evidence: true,
  })
  await core.close()
  expect(value.map(({ id }) => id)).toEqual(['index.md', 'plans/b.md'])
})

test('missing notes are counted within a folder, and go on from an offset', async () => {
  const { value } = await ask({ kind: 'missing_note', folder: 'plans', offset: 1 })
  expect(value).toMatchObject({ problems: [{ text: 'Rest', notes: 1 }], total: 2 })
})

test('a summary counts each kind, and the missing notes beside the links that want them', async () => {
  const { value } = await ask({ summary: true })
  expect(value).toEqual({
    counts: {
      broken_link: 7,
      broken_heading: 1,
      ambiguous_link: 0,
      malformed: 0,
      orphan: 2,
      twin: 0,
      outside_link: 0,
      conflict_copy: 0,
      missing_note: 2,
    },
    total: 10,
  })
  expect((await ask({ summary: true, kind: 'missing_note' })).value).toEqual({ counts: { missing_note: 2 }, total: 2 })
  expect((await ask({ summary: true, folder: 'plans', kind: 'broken_link' })).value).toMatchObject({ total: 4 })
})

test('problems of the links to one note are asked for by its id or title', async () => {
  const { value } = await ask({ target: 'index' })
  expect(value).toMatchObject({ problems: [{ kind: 'broken_heading', id: 'plans/c.md' }], total: 1 })
  expect((await ask({ target: 'deep work' })).value).toMatchObject({ total: 3 })
  const { value: none, warnings } = await ask({ target: 'earth' })
  expect(none).toEqual({ problems: [], total: 0 })
  expect(warnings).toEqual([{ code: 'NOTICE', message: '"earth" is the note "soil.md".' }])
  expect((await ask({ target: 'index', summary: true })).value).toEqual({
    counts: { broken_link: 0, broken_heading: 1, ambiguous_link: 0 },
    total: 1,
  })
})

test('problems of the links to a note that there is not are none, and the nearest ids are named', async () => {
  const { value, warnings } = await ask({ target: 'indx' })
  expect(value).toEqual({ problems: [], total: 0 })
  expect(warnings).toMatchObject([{ code: 'UNKNOWN_ID', message: expect.stringContaining('"index.md"') }])
  expect((await ask({ target: 'indx', summary: true })).value).toMatchObject({ total: 0 })
})

test('missing notes with their sources take the store two questions', async () => {
  const core = await searchCore(NOTES)
  const store = slowStore(core.store)
  await getProblems({ ...core, store }, { ...ARGS, kind: 'missing_note' })
  expect(store.trips).toEqual(['wanted', 'occurrences'])
  await core.close()
})

test('a title that several notes have is not guessed', async () => {
  const core = await searchCore({ 'a/Plan.md': '[[x]]', 'b/Plan.md': '[[x]]' })
  const args = { id: 'Plan', direction: 'out', limit: 20, includeContent: false, evidence: false } as const
  await expect(getNeighbors(core, args)).rejects.toMatchObject({
    code: 'AMBIGUOUS_NAME',
    candidates: ['a/plan.md', 'b/plan.md'],
  })
  await core.close()
})

test('an attachment has neighbours by its name', async () => {
  const core = await searchCore({ 'a.md': '![[Engelbart.jpg]]', 'img/Engelbart.jpg': '' })
  const args = { id: 'Engelbart.jpg', direction: 'in', limit: 20, includeContent: false, evidence: false } as const
  expect((await getNeighbors(core, args)).value.map(({ id }) => id)).toEqual(['a.md'])
  await core.close()
})

test('a note is read by a title that no other note has, and the answer has its id', async () => {
  const core = await searchCore({ ...NOTES, 'deep/Path.md': '---\ntitle: My plan\n---\nText.\n' })
  const read = async (id: string) => await getNode(core, { id, depth: 0, offset: 0, maxChars: 100 })
  expect(await read('my PLAN')).toMatchObject({
    value: { id: 'deep/path.md', content: 'Text.\n' },
    warnings: [],
  })
  expect(await read('rest')).toMatchObject({ value: null, warnings: [{ code: 'UNKNOWN_ID' }, { code: 'NOTICE' }] })
  expect(await read('soil')).toMatchObject({ value: { id: 'soil.md' }, warnings: [] })
  await core.close()
})

test('of a note that does not exist it is said which notes link to it', async () => {
  const core = await searchCore(NOTES)
  const { value, warnings } = await getNode(core, { id: 'Deep Work', depth: 0, offset: 0, maxChars: 100 })
  await core.close()
  expect(value).toBeNull()
  expect(warnings.map(({ code, message }) => [code, message.replace(/ get_neighbors.*/, '')])).toEqual([
    ['UNKNOWN_ID', expect.stringContaining('There is no node "Deep Work".')],
    ['NOTICE', 'Still, 3 notes link to it, such as "index.md", "plans/b.md", "plans/c.md".'],
  ])
})

test('two links in one line that lead nowhere are no repeated row', async () => {
  const core = await searchCore({ 'a.md': '[[Gone]] and [[Gone]]\n\n[[Gone]]\n' })
  const { value } = await getProblems(core, { ...ARGS, kind: 'broken_link' })
  await core.close()
  expect(value).toMatchObject({
    problems: [{ line: 1 }, { line: 1, nth: 2 }, { line: 3 }],
    total: 3,
  })
})

test('of a title that several notes have all are meant by find_nodes, which says so', async () => {
  const core = await searchCore({ 'a/Twin.md': '', 'b/Twin.md': '', 'x.md': '[[a/Twin]]', 'y.md': '[[b/Twin]]' })
  const { value, warnings } = await findNodes(core, {
    query: 'links:[[Twin]]',
    limit: 10,
    orderBy: 'title',
    includeArchived: false,
  })
  await core.close()
  expect(value.map(({ id }) => id)).toEqual(['x.md', 'y.md'])
  expect(warnings).toEqual([
    {
      code: 'NOTICE',
      message:
        '2 notes are called "Twin", and the query uses all of them. To use one, write its id, such as "a/twin.md", "b/twin.md".',
    },
  ])
})
