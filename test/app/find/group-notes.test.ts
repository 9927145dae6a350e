import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countNodes, type GroupArguments, groupNodes, readGroupings } from '../../../src/app/find/group-notes.ts'
import { mergeAnswers } from '../../../src/app/find/merge.ts'
import { searchCore } from '../search-core.ts'

type Files = Readonly<Record<string, string>>

const ALL = { query: '', limit: 100, orderBy: 'relevance', includeArchived: false } as const

async function group(files: Files, groupBy: string, args: Partial<GroupArguments> = {}) {
  const core = await searchCore(files)
  onTestFinished(() => core.close())
  const { value, warnings, list } = await groupNodes(core, { ...ALL, groupBy, ...args })
  const groups = value.groups.map(({ value: shown, count, examples }) => [shown, count, examples.join(' ')])
  return { ...value, groups, warnings: warnings.map(({ message }) => message), list }
}

/** Notes `n0.md`, `n1.md`, …, each with these lines as its frontmatter. */
function notesWith(...frontmatter: readonly string[]): Files {
  return Object.fromEntries(frontmatter.map((lines, at) => [`n${at}.md`, `---\n${lines}\n---\n`]))
}

const BOOKS: Files = {
  'Books/Dune.md': '---\nauthor: Frank Herbert\nread: 2023-05-02\ntags: [fiction/space]\n---\n',
  'Books/Emma.md': '---\nauthor: "[[Jane Austen]]"\nread: 2024-01-10\n---\nFiction. #fiction\n',
  'Books/Persuasion.md': '---\nauthor: jane austen\nread: 2024-02-03\n---\n',
  'Books/More/Good Omens.md': '---\nauthor: [Neil Gaiman, Terry Pratchett]\nread: 2023\n---\n',
  'Old.md': '---\nauthor: Jane Austen\nread: 1999-01-01\narchived: true\n---\n',
  'Shelf.md': 'No book.\n',
}

describe('grouping notes', () => {
  test('groups by a property: largest group first, with examples, and the number of notes without a value', async () => {
    const { groups, total, notes, without, list } = await group(BOOKS, 'author')
    expect(groups).toEqual([
      ['Jane Austen', 2, 'Books/Emma.md Books/Persuasion.md'],
      ['Frank Herbert', 1, 'Books/Dune.md'],
      ['Neil Gaiman', 1, 'Books/More/Good Omens.md'],
      ['Terry Pratchett', 1, 'Books/More/Good Omens.md'],
    ])
    expect({ total, notes, without }).toEqual({ total: 4, notes: 5, without: 1 })
    expect(list).toEqual({ offset: 0, shown: 4, count: 4, counted: 'all' })
  })

  test('groups by two fields at once', async () => {
    const { groups } = await group(BOOKS, 'author, read:year')
    expect(groups.slice(0, 2)).toEqual([
      [['Jane Austen', '2024'], 2, 'Books/Emma.md Books/Persuasion.md'],
      [['Frank Herbert', '2023'], 1, 'Books/Dune.md'],
    ])
    expect(groups).toHaveLength(4)
  })

  test('groups by folder as spelled, including the root of the vault', async () => {
    expect((await group(BOOKS, 'folder')).groups).toEqual([
      ['Books', 3, 'Books/Dune.md Books/Emma.md Books/Persuasion.md'],
      ['/', 1, 'Shelf.md'],
      ['Books/More', 1, 'Books/More/Good Omens.md'],
    ])
  })

  test('groups by tag: a nested tag also counts for its parent, as in a query', async () => {
    expect((await group(BOOKS, 'tag')).groups).toEqual([
      ['fiction', 2, 'Books/Dune.md Books/Emma.md'],
      ['fiction/space', 1, 'Books/Dune.md'],
    ])
  })

  test('groups by the month of a property or of the note', async () => {
    expect((await group(BOOKS, 'read:month')).groups.map(([value, count]) => [value, count])).toEqual([
      ['2023', 1],
      ['2023-05', 1],
      ['2024-01', 1],
      ['2024-02', 1],
    ])
    const dated = notesWith('created: 2024-02-03', 'created: 2024-02-28T23:59', 'created: 2023-12-31')
    expect((await group(dated, 'created:month')).groups).toEqual([
      ['2024-02', 2, 'n0.md n1.md'],
      ['2023-12', 1, 'n2.md'],
    ])
    expect((await group(dated, 'created')).groups).toHaveLength(2)
    expect((await group(dated, 'created:year')).groups.map(([value]) => value)).toEqual(['2024', '2023'])
  })

  test('only matching notes in the folder, and archived ones on request', async () => {
    expect((await group(BOOKS, 'author', { query: '#fiction' })).groups).toHaveLength(2)
    expect((await group(BOOKS, 'author', { folder: 'Books/More' })).notes).toBe(1)
    expect((await group(BOOKS, 'author', { includeArchived: true })).groups[0]).toEqual([
      'Jane Austen',
      3,
      'Books/Emma.md Books/Persuasion.md Old.md',
    ])
  })

  test('five spellings of a date form one group, and values that are not dates are reported', async () => {
    const spellings = ['2024-05-01', '"2024-05-01 12:30"', '2024-05-01T09:00', '"[[2024-05-01]]"', '"[[days/2024-05-01|then]]"']
    const others = ['May 1, 2024', '01.05.2024', '2024-13-01']
    const files = notesWith(...[...spellings, ...others.map((text) => `"${text}"`)].map((text) => `due: ${text}`), 'due:')
    const { groups, without, warnings } = await group(files, 'due:day')
    expect(groups).toEqual([['2024-05-01', 5, 'n0.md n1.md n2.md']])
    expect(without).toBe(4)
    expect(warnings).toEqual([
      '3 values of the property "due" are not dates and were left out, such as "May 1, 2024". Write dates as 2024-05-01.',
    ])
  })

  test('numbers and the same digits as text form one group, and a repeated value counts once', async () => {
    const files = notesWith('stars: 4', 'stars: "4"', 'stars: [4, "4", 5]', 'stars: []', 'stars: ""', 'stars: {a: 1}')
    const { groups, without } = await group(files, '#stars')
    expect(groups).toEqual([
      ['4', 3, 'n0.md n1.md n2.md'],
      ['5', 1, 'n2.md'],
    ])
    expect(without).toBe(3)
  })

  test('shows the most common spelling and cuts a long value', async () => {
    const files = notesWith('status: DONE', 'status: Done', 'status: Done', `status: ${'long '.repeat(60)}`)
    const { groups } = await group(files, 'status')
    expect(groups[0]).toEqual(['Done', 3, 'n0.md n1.md n2.md'])
    expect(String(groups[1]?.[0]).length).toBeLessThanOrEqual(100)
  })

  test('pages through a property with 10,000 values and counts them', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`n${at}.md`, `---\nkey: k${at % 9_999}\n---\n`]))
    const { groups, total, list } = await group(files, 'key', { limit: 2, offset: 1 })
    expect(groups.map(([value]) => value)).toEqual(['k1', 'k10'])
    expect(total).toBe(9_999)
    expect(list).toEqual({ offset: 1, shown: 2, count: 9_999, counted: 'all' })
  })

  test('an unknown property gives no groups and names the nearest', async () => {
    const { groups, notes, warnings } = await group(BOOKS, 'auhtor')
    expect({ groups, notes }).toEqual({ groups: [], notes: 5 })
    expect(warnings).toEqual(['No note has the property "auhtor". Nearest: "author".'])
  })

  test('# selects a property named folder or tag', async () => {
    const files = notesWith('folder: red', 'folder: red')
    expect((await group(files, '#folder')).groups).toEqual([['red', 2, 'n0.md n1.md']])
  })

  test.each([
    ['tags', [{ kind: 'tag' }]],
    ['Folders, TAG', [{ kind: 'folder' }, { kind: 'tag' }]],
    ['Communities', [{ kind: 'community' }]],
    ['created', [{ kind: 'created', unit: 'month' }]],
    ['Modified:Years', [{ kind: 'modified', unit: 'year' }]],
    ['property:status', [{ kind: 'property', name: 'status' }]],
    ['Property: tags', [{ kind: 'property', name: 'tags' }]],
    ['property:due:month', [{ kind: 'property', name: 'due', unit: 'month' }]],
    ['dc:title', [{ kind: 'property', name: 'dc:title' }]],
    ['dc:date:year', [{ kind: 'property', name: 'dc:date', unit: 'year' }]],
    ['constructor', [{ kind: 'property', name: 'constructor' }]],
    ['property', [{ kind: 'property', name: 'property' }]],
  ])('grouping by %j is understood', (text, groupings) => {
    expect(readGroupings(text)).toEqual(groupings)
  })

  test('groups by a property whose name has a colon', async () => {
    const { groups } = await group(notesWith('dc:title: Dune', 'dc:title: Dune', 'DC:Title: Emma'), 'dc:title')
    expect(groups).toEqual([
      ['Dune', 2, 'n0.md n1.md'],
      ['Emma', 1, 'n2.md'],
    ])
  })

  test.each([
    ['', 'one or two groupings'],
    [' , ', 'one or two groupings'],
    ['a,b,c', 'one or two groupings'],
    ['created:week', '"week" is not year, month or day'],
    ['due:quarter', '"quarter" is not year, month or day'],
    ['folder:status', '"status" is not year, month or day'],
    ['due:', '"" is not year, month or day'],
    ['#', 'the property name is missing'],
    ['""', 'the property name is missing'],
  ])('grouping by %j is an error with a hint', (text, problem) => {
    expect(() => readGroupings(text)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS', hint: expect.any(String) }))
    expect(() => readGroupings(text)).toThrow(problem)
  })

  test('each group has as many notes as the query for its value finds', async () => {
    const value = fc.constantFrom('a', 'A', 'b', '[[a]]', '4', 'x y')
    const notes = fc.array(fc.array(value, { maxLength: 3 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(notes, async (lists) => {
        const core = await searchCore(notesWith(...lists.map((list) => `p: ${JSON.stringify(list)}`)))
        const { value: found } = await groupNodes(core, { ...ALL, groupBy: 'p' })
        for (const { value: shown, count } of found.groups) {
          const { value: counted } = await countNodes(core, { ...ALL, query: `#p="${String(shown)}"` })
          expect([shown, counted.total]).toEqual([shown, count])
        }
        expect(found.without).toBe(lists.filter((list) => list.length === 0).length)
        await core.close()
      }),
      { numRuns: 30 },
    )
  })
})

test('counts only full matches, without the fallback to some of the words', async () => {
  const core = await searchCore(BOOKS)
  onTestFinished(() => core.close())
  const count = async (query: string) => (await countNodes(core, { ...ALL, query })).value.total
  expect(await count('')).toBe(5)
  expect(await count('#fiction')).toBe(2)
  expect(await count('fiction nowhere')).toBe(0)
  expect((await countNodes(core, { ...ALL, query: '#fictoin' })).warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
})

test('a count and groups begin with what was counted', async () => {
  const core = await searchCore(BOOKS)
  onTestFinished(() => core.close())
  const firstOf = ({ value }: { readonly value: object }) => Object.entries(value)[0]
  expect(firstOf(await countNodes(core, { ...ALL, query: '' }))).toEqual(['counted', 'notes, excluding archived ones'])
  expect(firstOf(await countNodes(core, { ...ALL, query: 'fiction', folder: 'Books', includeArchived: true }))).toEqual([
    'counted',
    'notes and canvases that match "fiction" in the folder "Books"',
  ])
  expect(firstOf(await groupNodes(core, { ...ALL, query: '#fiction', groupBy: 'author, read:year' }))).toEqual([
    'counted',
    'notes that match "#fiction", excluding archived ones, by author, read:year',
  ])
})

test('adds up groups and counts of several vaults', () => {
  const one = {
    counted: 'notes, by status',
    groups: [{ value: 'Done', count: 2, examples: ['a:x', 'a:y'] }],
    total: 1,
    notes: 3,
    without: 1,
  }
  const other = {
    counted: 'notes, by status',
    groups: [
      { value: 'open', count: 4, examples: [] },
      { value: 'done', count: 3, examples: ['b:x', 'b:y'] },
    ],
    total: 2,
    notes: 7,
    without: 0,
  }
  expect(mergeAnswers([one, other], { orderBy: 'relevance' })).toEqual({
    counted: 'notes, by status',
    groups: [
      { value: 'Done', count: 5, examples: ['a:x', 'a:y', 'b:x'] },
      { value: 'open', count: 4, examples: [] },
    ],
    total: 2,
    notes: 10,
    without: 1,
  })
  expect(
    mergeAnswers(
      [2, 3].map((total) => ({ counted: 'notes', total })),
      { orderBy: 'relevance' },
    ),
  ).toEqual({ counted: 'notes', total: 5 })
})
