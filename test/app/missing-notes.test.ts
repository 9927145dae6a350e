import { describe, expect, onTestFinished, test } from 'vitest'
import { findNodes } from '../../src/app/find/find-nodes.ts'
import { countForReaders, getProblems } from '../../src/app/insight/get-problems.ts'
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

test('lists each missing note once, most linked first, with its sources', async () => {
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

test('the id of a missing note finds all notes that link to it', async () => {
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

test('missing notes can be limited to a folder and paged', async () => {
  const { value } = await ask({ kind: 'missing_note', folder: 'plans', offset: 1 })
  expect(value).toMatchObject({ problems: [{ text: 'Rest', notes: 1 }], total: 2 })
})

test('a summary counts each kind, and missing notes separately from broken links', async () => {
  const { value } = await ask({ summary: true })
  expect(value).toEqual({
    counts: {
      broken_link: 5,
      broken_heading: 1,
      ambiguous_link: 0,
      malformed: 0,
      orphan: 2,
      twin: 0,
      outside_link: 0,
      conflict_copy: 0,
      in_comment: 0,
      missing_note: 2,
    },
    total: 8,
  })
  expect((await ask({ summary: true, kind: 'missing_note' })).value).toEqual({ counts: { missing_note: 2 }, total: 2 })
  expect((await ask({ summary: true, folder: 'plans', kind: 'broken_link' })).value).toMatchObject({ total: 4 })
})

test('filters link problems by the id or title of their target', async () => {
  const { value } = await ask({ target: 'index' })
  expect(value).toMatchObject({ problems: [{ kind: 'broken_heading', id: 'plans/c.md' }], total: 1 })
  expect((await ask({ target: 'deep work' })).value).toMatchObject({ total: 3 })
  const { value: none, warnings } = await ask({ target: 'earth' })
  expect(none).toEqual({ problems: [], total: 0 })
  expect(warnings).toEqual([{ code: 'NOTICE', message: '"earth" is the note "soil.md".' }])
  expect((await ask({ target: 'index', summary: true })).value).toEqual({
    counts: { broken_link: 0, broken_heading: 1, ambiguous_link: 0, in_comment: 0 },
    total: 1,
  })
})

test('an unknown target has no problems and a warning with the nearest ids', async () => {
  const { value, warnings } = await ask({ target: 'indx' })
  expect(value).toEqual({ problems: [], total: 0 })
  expect(warnings).toMatchObject([{ code: 'UNKNOWN_ID', message: expect.stringContaining('"index.md"') }])
  expect((await ask({ target: 'indx', summary: true })).value).toMatchObject({ total: 0 })
})

test('missing notes with sources need two store queries', async () => {
  const core = await searchCore(NOTES)
  const store = slowStore(core.store)
  await getProblems({ ...core, store }, { ...ARGS, kind: 'missing_note' })
  expect(store.trips).toEqual(['wantedNotes', 'occurrences'])
  await core.close()
})

test('a title shared by several notes is an error', async () => {
  const core = await searchCore({ 'a/Plan.md': '[[x]]', 'b/Plan.md': '[[x]]' })
  const args = { id: 'Plan', direction: 'out', limit: 20, includeContent: false, evidence: false } as const
  await expect(getNeighbors(core, args)).rejects.toMatchObject({
    code: 'AMBIGUOUS_NAME',
    candidates: ['a/plan.md', 'b/plan.md'],
  })
  await core.close()
})

test('finds the neighbors of an attachment by its file name', async () => {
  const core = await searchCore({ 'a.md': '![[Engelbart.jpg]]', 'img/Engelbart.jpg': '' })
  const args = { id: 'Engelbart.jpg', direction: 'in', limit: 20, includeContent: false, evidence: false } as const
  expect((await getNeighbors(core, args)).value.map(({ id }) => id)).toEqual(['a.md'])
  await core.close()
})

test('reads a note by a unique title and returns its id', async () => {
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

test('names the notes that link to a missing note', async () => {
  const core = await searchCore(NOTES)
  const { value, warnings } = await getNode(core, { id: 'Deep Work', depth: 0, offset: 0, maxChars: 100 })
  await core.close()
  expect(value).toBeNull()
  expect(warnings.map(({ code, message }) => [code, message.replace(/ get_neighbors.*/, '')])).toEqual([
    ['UNKNOWN_ID', expect.stringContaining('There is no node "Deep Work".')],
    ['NOTICE', 'However, 3 notes link to it, such as "index.md", "plans/b.md", "plans/c.md".'],
  ])
})

test('groups links with the same text and target into one problem with a count and three places', async () => {
  const files = ['d', 'c', 'b', 'a'].map((name) => [`${name}.md`, '[[Gone]] and [[Gone]]\n\n[[Gone|it]] [[F# notes]]\n'])
  const core = await searchCore(Object.fromEntries(files))
  onTestFinished(() => core.close())
  const list = async (args: object) => (await getProblems(core, { ...ARGS, kind: 'broken_link', ...args })).value
  expect(await list({})).toEqual({
    problems: [
      {
        kind: 'broken_link',
        id: 'a.md',
        line: 1,
        text: '[[Gone]]',
        count: 12,
        places: [
          { id: 'a.md', line: 1 },
          { id: 'a.md', line: 3 },
          { id: 'b.md', line: 1 },
        ],
      },
      expect.objectContaining({ text: '[[F# notes]]', count: 4, line: 3 }),
    ],
    total: 2,
  })
  expect(await list({ limit: 1, offset: 1 })).toMatchObject({ problems: [{ text: '[[F# notes]]' }], total: 2 })
  expect(await list({ summary: true })).toEqual({ counts: { broken_link: 2 }, total: 2 })
  expect(await core.store.read((snapshot) => countForReaders({ core, snapshot }))).toEqual({ seen: 6, inComments: 0 })
})

test('shows every place of problems with links to one note', async () => {
  const files = ['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.md`, '[[Home#Gone]]\n'])
  const core = await searchCore({ ...Object.fromEntries(files), 'Home.md': '# Here\n' })
  onTestFinished(() => core.close())
  const { value } = await getProblems(core, { ...ARGS, kind: 'broken_heading', target: 'Home' })
  expect('problems' in value && value.problems.map((one) => one.id)).toEqual(['a.md', 'b.md', 'c.md', 'd.md', 'e.md'])
})

test('links in comments are a kind of their own', async () => {
  const core = await searchCore({
    'a.md': '%% ![[Screenshot]] %%\n[[Gone]]\n<!-- [[Lost]] and [[b#No]] -->\n',
    'b.md': '%% ![[Screenshot]] %%\n[[a]]\n',
  })
  onTestFinished(() => core.close())
  const texts = async (kind: 'broken_link' | 'broken_heading' | 'in_comment' | undefined) => {
    const { value } = await getProblems(core, { ...ARGS, kind })
    return 'problems' in value ? value.problems.map((one) => [one.kind, 'text' in one ? one.text : '']) : []
  }
  expect(await texts('broken_link')).toEqual([['broken_link', '[[Gone]]']])
  expect(await texts('broken_heading')).toEqual([])
  expect((await texts('in_comment'))[0]).toEqual(['in_comment', '[[Screenshot]]'])
  expect((await texts(undefined)).filter(([kind]) => kind !== 'in_comment')).toEqual([['broken_link', '[[Gone]]']])
  const { value } = await getProblems(core, { ...ARGS, summary: true })
  expect('counts' in value && [value.counts.broken_link, value.counts.broken_heading]).toEqual([1, 0])
})

describe('names in queries', () => {
  const find = async (files: Readonly<Record<string, string>>, query: string) => {
    const core = await searchCore(files)
    onTestFinished(() => core.close())
    const { value } = await findNodes(core, { query, limit: 10, orderBy: 'title', includeArchived: false })
    return value.map(({ id }) => id)
  }
  const TWINS = { 'a/Twin.md': '', 'b/Twin.md': '', 'x.md': '[[a/Twin]] ~up=[[b/Twin]]', 'y.md': '[[b/Twin]]' }

  test.each(['links:[[Twin]]', 'linkedfrom:twin', '~up=[[Twin]]', 'links:(linkedfrom:Twin)', 'x OR -links:Twin'])(
    'an ambiguous name is an error with the ids: %s',
    async (query) => {
      await expect(find(TWINS, query)).rejects.toMatchObject({
        code: 'AMBIGUOUS_NAME',
        candidates: ['a/twin.md', 'b/twin.md'],
      })
    },
  )

  test("an id comes before another note's title, and a note before a missing one", async () => {
    const files = {
      'Plan.md': '',
      'b.md': '---\ntitle: Plan\naliases: [Way]\n---\n',
      'x.md': '[[Plan]] [[Way]]',
      'y.md': '[[b]]',
      'z.md': '[[deep/Gone]]',
    }
    expect(await find(files, 'links:Plan')).toEqual(['x.md'])
    expect(await find(files, 'links:way')).toEqual(['x.md', 'y.md'])
    expect(await find(files, 'links:deep/GONE')).toEqual(['z.md'])
  })
})
