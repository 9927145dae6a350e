import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderForPeople } from '../../../src/cli/output/render.ts'
import { renderTable } from '../../../src/cli/output/table.ts'
import { cutToWidth, localTime, printable, printableText, textWidth } from '../../../src/cli/output/text.ts'

const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`

describe('tables', () => {
  const columns = [{ name: 'id' }, { name: 'score', align: 'right' as const }]

  test('aligns columns, with numbers to the right', () => {
    expect(
      renderTable(columns, [
        ['a.md', '5'],
        ['notes/b.md', '12'],
      ]),
    ).toBe(lines('id          score', 'a.md            5', 'notes/b.md     12'))
  })

  test('wide characters count double, combining ones not at all', () => {
    expect(
      renderTable(columns, [
        ['日本語', '1'],
        ['cafe\u0301', '2'],
        ['👩‍👩‍👧 x', '3'],
      ]),
    ).toBe(lines('id      score', '日本語      1', 'cafe\u0301        2', '👩‍👩‍👧 x        3'))
  })

  test('shrinks the widest column to the terminal and breaks between words', () => {
    const text = renderTable(
      [{ name: 'id' }, { name: 'title' }],
      [
        ['a.md', 'A title that is much too long'],
        ['b.md', '日本語 日本語'],
      ],
      { width: 16 },
    )
    expect(text).toBe(
      lines('id    title', 'a.md  A title', '      that is', '      much too', '      long', 'b.md  日本語', '      日本語'),
    )
    expect(text.split('\n').every((line) => textWidth(line) <= 16)).toBe(true)
  })

  test('moves a long text column below its row', () => {
    const columns = [{ name: 'from' }, { name: 'line', align: 'right' as const }, { name: 'text', isProse: true as const }]
    const rows = [
      ['a.md', '12', 'It feeds [[Tomato]], and needs a lot of water in a dry summer.'],
      ['b.md', '3', ''],
      ['c.md', '4', `日本語日本語日本語日本語 ${'x'.repeat(30)}`],
    ]
    const text = renderTable(columns, rows, { width: 24 })
    expect(text).toBe(
      lines(
        'from  line',
        'a.md    12',
        '  It feeds [[Tomato]],',
        '  and needs a lot of',
        '  water in a dry summer.',
        'b.md     3',
        'c.md     4',
        '  日本語日本語日本語日本',
        '  語',
        '  xxxxxxxxxxxxxxxxxxxxxx',
        '  xxxxxxxx',
      ),
    )
    expect(renderTable(columns, [['a.md', '12', 'It fits.']], { width: 24 })).toBe(
      lines('from  line  text', 'a.md    12  It fits.'),
    )
    expect(renderTable(columns, rows)).toMatch(/^from {2}line {2}text\n/)
  })

  test('never cuts an id: what does not fit beside it goes to the next line', () => {
    const columns = [{ name: 'score', align: 'right' }, { name: 'id', isId: true }, { name: 'title' }] as const
    const rows = [
      ['3', 'projects/garden/greenhouse.md', 'Greenhouse in the garden'],
      ['12', 'a.md', 'A'],
    ]
    expect(renderTable(columns, rows, { width: 30 })).toBe(
      lines(
        'score  id          title',
        '    3  projects/garden/greenhouse.md',
        '                   Greenhouse',
        '                   in the',
        '                   garden',
        '   12  a.md        A',
      ),
    )
  })

  test("lists each row's fields if the columns would be too narrow", () => {
    const columns = [{ name: 'id', isId: true }, { name: 'title' }, { name: 'count', align: 'right' }] as const
    const rows = [
      ['notes/a long name.md', 'A title of some words', '3'],
      ['b.md', '', '12'],
    ]
    expect(renderTable(columns, rows, { width: 20 })).toBe(
      lines('id     notes/a long name.md', 'title  A title of', '       some words', 'count  3', '', 'id     b.md', 'count  12'),
    )
  })

  test('loses no cell text at any width', () => {
    const cellTexts = fc.array(
      fc.tuple(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 })),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(cellTexts, fc.integer({ min: 1, max: 80 }), (rows, width) => {
        const shown = renderTable([{ name: 'a', isId: true }, { name: 'b' }, { name: 'c', isProse: true }], rows, { width })
        const letters = (text: string) => [...text.replace(/\s/g, '')].sort().join('')
        const plain = renderTable([{ name: 'a', isId: true }, { name: 'b' }, { name: 'c', isProse: true }], rows)
        const names = (text: string) => letters(text).replace(/[abc]/g, '')
        expect(names(shown)).toBe(names(plain))
        expect(shown).not.toContain('…')
      }),
    )
  })

  test.each<[string, number, string]>([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['', 0, ''],
  ])('%s cut to %i is %s', (text, width, expected) => {
    expect(cutToWidth(text, width)).toBe(expected)
  })

  test('removes terminal control characters', () => {
    expect(printable('a\u001b[31mb\u0007\nc\td\u202ee\u0000\u009b1m\r\nf')).toBe('a[31mb c de1m f')
    expect(printableText('a\r\nb\tc\u001b]0;x')).toBe('a\nb\tc]0;x')
  })
})

describe('rendering answers', () => {
  test.each([[null], [[]], [{}]])('%j shows that nothing was found', (value) => {
    expect(renderForPeople(value)).toBe('Nothing found.\n')
  })

  test('shows notes by title and id, like search', () => {
    const nodes = [
      { id: 'a.md', title: 'A', tags: ['x', 'y/z'], links: [{ id: 'b.md', title: 'B' }], properties: { up: '[[b]]' } },
      { id: 'b.md', title: 'B\nB', tags: [], links: [], properties: {} },
    ]
    expect(renderForPeople(nodes)).toBe(lines('A', 'a.md · #x · #y/z', '', 'B B', 'b.md'))
  })

  test('shows suggested folders without their operation, and the notes that they come from below', () => {
    const operation = { tool: 'move_node', arguments: { id: 'a.md', to: 'Plants/a.md' } }
    const folders = [{ path: 'Plants', score: 0.5, from: ['plants/fern.md', 'plants/moss.md'], operation }]
    expect(renderForPeople({ folders }, { width: 40 })).toBe(
      lines('folders', 'path    score', 'Plants    0.5', '  plants/fern.md, plants/moss.md'),
    )
  })

  test('shows that a property is empty', () => {
    expect(renderForPeople([{ value: '', count: 2 }])).toBe(lines('value    count', '(empty)      2'))
  })

  test('shows properties by name, and wraps them', () => {
    const properties = { aliases: ['rye flour', 'rye'], up: '[[Grains]]', done: true, from: { city: 'Ulm' } }
    expect(renderForPeople({ id: 'a.md', properties }, { width: 40 })).toBe(
      lines(
        'id          a.md',
        'properties  aliases: rye flour, rye; up:',
        '            [[Grains]]; done: yes; from:',
        '            {"city":"Ulm"}',
      ),
    )
  })

  test('wraps a list of ids between ids', () => {
    expect(renderForPeople({ path: ['notes/a b.md', 'notes/c d.md', 'notes/e f.md'], length: 2 }, { width: 30 })).toBe(
      lines('path    notes/a b.md,', '        notes/c d.md,', '        notes/e f.md', 'length  2'),
    )
    expect(renderForPeople({ path: ['a.md', 'b.md'], length: 1 }, { width: 30 })).toBe(lines('path    a.md, b.md', 'length  1'))
  })

  test('shows that a name matches no note', () => {
    expect(renderForPeople([{ query: 'nobody', match: null, score: 0 }])).toBe(
      lines('query   match  score', 'nobody  none       0'),
    )
  })

  test('shows a node with its text at the end', () => {
    const node = {
      id: 'a.md',
      title: 'A',
      content: '# A\n\ntext\n',
      tags: ['x'],
      links: [{ id: 'b.md', title: 'B' }],
      outline: [{ level: 1, text: 'A', line: 1 }],
      hash: 'ff',
    }
    expect(renderForPeople(node)).toBe(
      lines(
        'id     a.md',
        'title  A',
        'tags   x',
        'links  B',
        'hash   ff',
        '',
        'outline',
        'level  text  line',
        '    1  A        1',
        '',
        '# A',
        '',
        'text',
      ),
    )
  })

  test('shows counts as words and numbers', () => {
    expect(renderForPeople({ id: 'a.md', total: { breaks: 27, falls_apart: 0 } })).toBe(
      lines('id     a.md', 'total  breaks 27, falls apart 0'),
    )
  })

  test('shows a page', () => {
    expect(renderForPeople({ nodes: [{ id: 'a.md', title: 'A', n: 1 }], total: 42 })).toBe(
      lines('total  42', '', 'nodes', 'id    title  n', 'a.md  A      1'),
    )
  })

  test('a page of titles shows ids too', () => {
    expect(renderForPeople({ nodes: [{ id: 'a.md', title: 'A' }], total: 42 })).toBe(
      lines('total  42', '', 'nodes', 'id    title', 'a.md  A'),
    )
  })

  test('shows nested tables one after another', () => {
    const path = (to: string) => ({
      path: ['a.md', to],
      length: 1,
      hops: [{ from: 'a.md', to, line: 3, text: `See [[${to}]] there.` }],
    })
    expect(renderForPeople({ ...path('b.md'), alternatives: [path('c.md'), path('d.md')] }, { width: 20 })).toBe(
      lines(
        'path    a.md, b.md',
        'length  1',
        '',
        'hops',
        'from  to    line',
        'a.md  b.md     3',
        '  See [[b.md]]',
        '  there.',
        '',
        'alternatives 1',
        'path    a.md, c.md',
        'length  1',
        '',
        'hops',
        'from  to    line',
        'a.md  c.md     3',
        '  See [[c.md]]',
        '  there.',
        '',
        'alternatives 2',
        'path    a.md, d.md',
        'length  1',
        '',
        'hops',
        'from  to    line',
        'a.md  d.md     3',
        '  See [[d.md]]',
        '  there.',
      ),
    )
  })

  test('leaves out the line of a whole-file problem', () => {
    const problem = { kind: 'orphan', id: 'a.md', line: 0 }
    const rendered = renderForPeople([problem, { ...problem, id: 'b.md', line: 12 }])
    expect(rendered).toBe(lines('kind    id    line', 'orphan  a.md', 'orphan  b.md    12'))
  })

  test('shows a map, and lists of words', () => {
    expect(renderForPeople({ 'a.md': true, 'b.md': false })).toBe(lines('a.md  yes', 'b.md  no'))
    expect(renderForPeople(['a', 'b'])).toBe(lines('a', 'b'))
    expect(renderForPeople({ path: ['a', 'b'], length: 1 })).toBe(lines('path    a, b', 'length  1'))
  })

  test('shows a tree', () => {
    const leaf = { path: 'x/y', note_count: 2, folders: [], notes: [{ id: 'x/y/a.md', title: 'A' }], omitted_notes: 1 }
    const tree = {
      path: '',
      note_count: 3,
      folders: [{ path: 'x', note_count: 2, folders: [leaf], notes: [] }],
      notes: [{ id: 'b.md', title: 'B' }],
    }
    expect(renderForPeople(tree)).toBe(
      lines('./  3 notes', '  x/  2 notes', '    y/  2 notes, 1 omitted note', '      A  x/y/a.md', '  B  b.md'),
    )
  })
})

test('a note shows when it was created and changed in local time, to the minute', () => {
  const note = { id: 'a.md', created: '2026-12-01T02:48:32.851Z', modified: '2026-12-01T03:05:00.000Z' }
  const [created, modified] = [localTime(note.created), localTime(note.modified)]
  expect(renderForPeople(note)).toBe(lines('id        a.md', `created   ${created}`, `modified  ${modified}`))
  expect(renderForPeople([note])).toBe(lines('id    created           modified', `a.md  ${created}  ${modified}`))
})

test.each(['2024-05-01', '2024', 'last spring', '[[2024-05-01]]', '2024-05-01T10:00'])(
  'a note created on "%s", as its property says, shows that',
  (created) => {
    expect(renderForPeople({ id: 'a.md', created })).toBe(lines('id       a.md', `created  ${created}`))
  },
)

test('a problem of a whole file has no line when problems are shown one by one', () => {
  const problems = [
    { kind: 'orphan', id: 'a.md', line: 0 },
    { kind: 'broken_link', id: 'b.md', line: 2, places: [{ id: 'b.md', path: 'B.md', line: 2 }] },
  ]
  expect(renderForPeople({ problems, total: 2 })).toContain('problems 1\nkind  orphan\nid    a.md\n\n')
})
