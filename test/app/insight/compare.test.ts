import { expect, test } from 'vitest'
import { type Comparison, compare, fitComparison } from '../../../src/app/insight/compare.ts'
import { KnownBag, searchCore } from '../search-core.ts'

const SAME =
  'Sourdough rises overnight with flour, water and salt in a covered wooden bowl, is folded twice before sunrise, shaped on a floured board while an iron pot heats, and baked until the brown crust sings.'
const NOTES = {
  'Bread.md': `# Bread\n\n${SAME}\n\nSee [[Flour]] and [[Oven]].\n`,
  'Rolls.md': `# Rolls\n\n${SAME}\n\nSee [[Flour]] and [[Tray]].\n`,
  'Flour.md': 'Of wheat.\n',
  'Oven.md': 'Hot.\n',
  'Tray.md': 'Flat.\n',
  'Taxes.md': 'The form is due in May at the office.\n',
  'photo.png': 'png',
}

test.each([true, false])('compares two similar notes, with vectors: %s', async (hasVectors) => {
  const core = await searchCore(NOTES, hasVectors ? { embedder: new KnownBag() } : {})
  const { value, warnings } = await compare(core, { a: 'bread.md', b: 'Rolls' })
  expect(value).toMatchObject({
    shared: [{ id: 'flour.md', title: 'Flour' }],
    only_a: [{ id: 'oven.md' }],
    only_b: [{ id: 'tray.md' }],
    path: ['bread.md', 'flour.md', 'rolls.md'],
    total: { shared: 1, only_a: 1, only_b: 1, shared_passages: 1 },
  })
  expect(value?.shared_passages[0]).toMatchObject({
    text_a: expect.stringContaining('Sourdough'),
    text_b: expect.stringContaining('Sourdough'),
  })
  expect(warnings).toEqual([])
  const { value: apart } = await compare(core, { a: 'bread.md', b: 'taxes.md' })
  expect(apart).toMatchObject({ shared: [], path: [], shared_passages: [] })
  expect(apart?.alike).toBeLessThan(value?.alike ?? 0)
  await core.close()
})

test('a note is fully similar to itself', async () => {
  const core = await searchCore(NOTES)
  const { value } = await compare(core, { a: 'flour.md', b: 'flour.md' })
  expect(value).toMatchObject({ alike: 1, path: ['flour.md'], only_a: [], only_b: [] })
})

test.each([true, false])(
  'only equal texts are fully similar, and short texts less than long ones, with vectors: %s',
  async (hasVectors) => {
    const files = {
      'a.md': `${SAME} Anna`,
      'b.md': `${SAME} Bert`,
      'c.md': 'Needs flour Anna',
      'd.md': 'Needs flour Bert',
      'e.md': `${SAME} Anna`,
    }
    const core = await searchCore(files, hasVectors ? { embedder: new KnownBag() } : {})
    const alike = async (a: string, b: string) => (await compare(core, { a, b })).value
    expect((await alike('a', 'b'))?.alike).toBeGreaterThan((await alike('c', 'd'))?.alike ?? 1)
    expect((await alike('a', 'b'))?.alike).toBeLessThan(1)
    expect((await alike('c', 'd'))?.shared_passages).toEqual([])
    expect(await alike('a', 'e')).toMatchObject({ alike: 1, shared_passages: [{ alike: 1 }] })
    await core.close()
  },
)

test('passages with some common words but different content are not shared', async () => {
  const core = await searchCore({
    'A.md': 'Bread rises overnight: warm kitchen.\n',
    'B.md': 'Bread sold overnight: warm shop.\n',
  })
  const { value } = await compare(core, { a: 'a', b: 'b' })
  expect(value?.alike).toBeGreaterThan(0.3)
  expect(value?.alike).toBeLessThan(0.7)
  expect(value?.shared_passages).toEqual([])
})

test('compares notes with more words than a function can take as arguments', async () => {
  const words = Array.from({ length: 140_000 }, (_, at) => `w${at.toString(36)}`).join(' ')
  const core = await searchCore({ 'a.md': words, 'b.md': 'w1 w2' })
  const { value } = await compare(core, { a: 'a', b: 'b' })
  expect(value?.alike).toBeLessThan(0.1)
  await core.close()
})

test('an unknown note gives null and similar ids, and a node without text is compared by its links', async () => {
  const core = await searchCore(NOTES)
  const { value, warnings } = await compare(core, { a: 'bred.md', b: 'rolls.md' })
  expect(value).toBeNull()
  expect(warnings[0]?.message).toContain('"bread.md"')
  const picture = await compare(core, { a: 'photo.png', b: 'rolls.md' })
  expect(picture.value).toMatchObject({ alike: 0, only_b: [{ id: 'flour.md' }, { id: 'tray.md' }] })
  expect(picture.warnings[0]?.message).toContain('no text')
})

test('keeps within the budget and counts what it leaves out', () => {
  const notes = Array.from({ length: 200 }, (_, at) => ({ id: `note ${at}.md` as never, title: `Note ${at}` }))
  const passage = { alike: 0.9, lines_a: [1, 2], text_a: SAME, lines_b: [3, 4], text_b: SAME } as const
  const value: Comparison = {
    shared: notes,
    only_a: notes,
    only_b: notes,
    alike: 0.5,
    path: [],
    shared_passages: [passage, passage, passage],
    total: { shared: 400, only_a: 200, only_b: 200, shared_passages: 3 },
  }
  for (const room of [1_000, 8_000]) {
    const { value: fitted, omitted, capped = {} } = fitComparison(value, room)
    expect(capped).toEqual({ shared: 200 })
    expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(room)
    for (const name of ['shared', 'only_a', 'only_b', 'shared_passages'] as const)
      expect((fitted[name]?.length ?? 0) + (omitted[name] ?? 0) + (capped[name] ?? 0)).toBe(value.total[name])
  }
})

test('cuts a path longer than the budget and counts the rest', () => {
  const path = Array.from({ length: 600 }, (_, at) => `a folder/note ${at}.md` as never)
  const total = { shared: 0, only_a: 0, only_b: 0, shared_passages: 0 }
  const value: Comparison = { shared: [], only_a: [], only_b: [], alike: 0, path, shared_passages: [], total }
  for (const room of [400, 8_000]) {
    const { value: fitted, omitted } = fitComparison(value, room)
    expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(room)
    expect(fitted.path?.length).toBeGreaterThan(0)
    expect((fitted.path?.length ?? 0) + (omitted.path ?? 0)).toBe(600)
  }
})
