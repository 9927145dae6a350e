import { describe, expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { compose, fitRows } from '../../../src/app/answer/fit-list.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'

const PASSAGE = { heading: ['Soil'], start_line: 1, end_line: 9, score: 0.5 }
/** A result with every field that an answer may show; its texts differ in length, so they cannot be confused. */
const RESULT = {
  id: 'beds/tomato.md',
  title: 'Tomato',
  tags: ['bed', 'summer'],
  links: [{ id: 'soil/compost.md', title: 'Compost' }],
  properties: { status: 'growing', sown: '2024-03-01' },
  link_count: 9,
  score: 0.9,
  snippet: 's'.repeat(240),
  passages: ['a', 'b', 'c'].map((letter) => ({ ...PASSAGE, text: letter.repeat(400) })),
}
const RESULTS = [RESULT, { ...RESULT, id: 'beds/bean.md', title: 'Bean' }]

test('shows as many rows as fit with their main fields, then passages of the best rows, then facts and links', () => {
  const steps = new Set<string>()
  for (let room = 600; room < 9_000; room += 20) {
    const { rows, bytes } = compose(RESULTS, { room })
    if (rows.length > 1) expect(bytes).toBeLessThanOrEqual(room)
    for (const { id, title, score, link_count, tags } of rows)
      expect([id, title, score, link_count, tags].every((each) => each !== undefined)).toBe(true)
    const shown: readonly Partial<typeof RESULT>[] = rows
    const all = (has: (row: (typeof shown)[number]) => boolean) => (shown.every(has) ? 'all' : shown.some(has) ? 'some' : 'none')
    steps.add(
      [
        rows.length,
        all(({ snippet }) => snippet !== undefined),
        all(({ passages = [] }) => passages.length > 0),
        all(({ passages = [] }) => passages.length === 3),
        all(({ properties }) => properties !== undefined),
        all(({ links }) => links !== undefined),
      ].join(' '),
    )
  }
  expect([...steps]).toEqual([
    '1 all none none none none',
    '2 all none none none none',
    '2 all some none none none',
    '2 all all none none none',
    '2 all all some none none',
    '2 all all all none none',
    '2 all all all some none',
    '2 all all all all none',
    '2 all all all all some',
    '2 all all all all all',
  ])
})

test('members that do not fit are left out and counted, those that are empty stay, and ten tags are always shown', () => {
  const tags = Array.from({ length: 12 }, (_, at) => `tag ${at}`)
  const { rows, omitted, capped } = compose([{ ...RESULT, tags, candidates: [] }], { room: 0 })
  const { links: _, properties: __, snippet: ___, passages: ____, ...least } = RESULT
  expect(rows).toEqual([{ ...least, tags: tags.slice(0, 10), candidates: [] }])
  expect(omitted).toEqual({ snippet: 1, passages: 3, properties: 2, links: 1 })
  expect(capped).toEqual({ tags: 2 })
})

test('fields keep their order', () => {
  const { rows } = compose(RESULTS, { room: 100_000 })
  expect(rows).toEqual(RESULTS)
  expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(RESULT))
})

test('shows the first rows that fit and counts the others', () => {
  const rows = Array.from({ length: 50 }, (_, at) => ({ id: `note ${at}.md`, title: `Note ${at}` }))
  const { value, omitted } = fitRows(rows, 400)
  expect(jsonBytes(value)).toBeLessThanOrEqual(400)
  expect(value).toEqual(rows.slice(0, value.length))
  expect(omitted).toEqual({ results: 50 - value.length })
})

describe('in a list', () => {
  const fitted = (row: object) => fitRows([row], 100_000).value[0]

  test('cuts long property values, and lists of values after five', () => {
    const properties = { short: 'x', long: 'y'.repeat(101), list: [1, 2, 3, 4, 5, 6], deep: { a: 'z'.repeat(100) } }
    expect(fitted({ id: 'a.md', properties })).toEqual({
      id: 'a.md',
      properties: {
        short: 'x',
        long: 'y'.repeat(100 - MARKER.length) + MARKER,
        list: [1, 2, 3, 4, 5, MARKER],
        deep: MARKER,
      },
    })
  })

  test('cuts a long title', () => {
    expect(fitted({ id: 'a.md', title: 't'.repeat(300) })).toEqual({
      id: 'a.md',
      title: 't'.repeat(200 - MARKER.length) + MARKER,
    })
  })
})

test('shows at least 160 characters of a cut text, or none', () => {
  const rows = Array.from({ length: 5 }, (_, at) => ({ id: `${at}.md`, title: '', content: '"quoted" 👍 '.repeat(40) }))
  for (let room = 0; room < 3_500; room += 10) {
    const { value } = fitRows(rows, room, { include_content: true })
    if (value.length > 1) expect(jsonBytes(value)).toBeLessThanOrEqual(room)
    for (const { content } of value as readonly { readonly content?: string }[]) {
      if (content === undefined) continue
      expect(content.length).toBeGreaterThan(150)
      expect(content).toMatch(/^"quoted" 👍 ("quoted" 👍 )*/)
      expect(content.isWellFormed()).toBe(true)
    }
  }
})

test('cuts and counts candidates except the first, and cuts a long text of the first row', () => {
  const candidates = Array.from({ length: 300 }, (_, at) => `folder ${at}/same.md`)
  const problem = { kind: 'ambiguous_link', id: 'a.md', line: 1, text: '[[Same]]', candidates }
  for (const room of [300, 1_000, 4_000]) {
    const { value, omitted } = fitRows([problem, { ...problem, line: 2 }], room)
    expect(jsonBytes(value)).toBeLessThanOrEqual(room)
    expect(value.map((row) => row.candidates[0])).toEqual([candidates[0], candidates[0]])
    expect(omitted.candidates).toBe(600 - value.reduce((sum, row) => sum + row.candidates.length, 0))
  }
  const { value } = fitRows([{ ...problem, text: 'long '.repeat(90), candidates: ['b.md'] }], 300)
  expect(jsonBytes(value)).toBeLessThanOrEqual(300)
  expect(value[0]?.text.endsWith(MARKER)).toBe(true)
})

test('content and links that were requested use the whole budget, and short contents leave their room to long ones', () => {
  const content = 'c'.repeat(500)
  const rows = [0, 1, 2, 3].map((at) => ({ id: `${at}.md`, title: '', content: at === 3 ? 'short' : content }))
  const room = jsonBytes(rows)
  expect(fitRows(rows, room, { include_content: true }).value).toEqual(rows)
  expect(jsonBytes(fitRows(rows, room).value)).toBeLessThan(room * 0.6)
  const links = Array.from({ length: 50 }, (_, at) => ({ id: `linked ${at}.md`, title: `Linked ${at}` }))
  const linked = [{ id: 'a.md', title: '', links }]
  const most = jsonBytes(linked) - 200
  expect(jsonBytes(fitRows(linked, most).value)).toBeLessThan(most * 0.6)
  expect(jsonBytes(fitRows(linked, most, { links: 50 }).value)).toBeGreaterThan(most * 0.95)
})
