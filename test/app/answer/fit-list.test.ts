import { describe, expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { compose, fitRows } from '../../../src/app/answer/fit-list.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'

const PASSAGE = { heading: ['Soil'], start_line: 1, end_line: 9, score: 0.5 }
/** A result with all that an answer may show of one; its texts differ in length, so that none is taken for another. */
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

/** What the rows show of each member, as lengths. */
function shownIn(rows: readonly (typeof RESULT)[]): readonly object[] {
  return rows.map(({ snippet, passages, tags, properties, links }) => ({
    snippet: snippet === MARKER ? 0 : snippet.length,
    passages: passages.map(({ text }) => text.length),
    facts: tags.length + Object.keys(properties).length,
    links: links.length,
  }))
}

test('an answer is filled in order: ids, what the tool is about, the best passage, facts, links, further passages', () => {
  const steps = new Set<string>()
  for (let room = 100; room < 7_000; room += 20) {
    const { rows, bytes } = compose(RESULTS, { room })
    if (rows.length > 1) expect(bytes).toBeLessThanOrEqual(room)
    expect(
      rows.every(({ id, title, score, link_count }) => [id, title, score, link_count].every((each) => each !== undefined)),
    ).toBe(true)
    const shown = shownIn(rows) as { snippet: number; passages: number[]; facts: number; links: number }[]
    const all = (has: (row: (typeof shown)[number]) => boolean) => (shown.every(has) ? 'all' : shown.some(has) ? 'some' : 'none')
    steps.add(
      [
        rows.length,
        all(({ snippet }) => snippet > 0),
        all(({ passages }) => passages.length > 0),
        all(({ facts }) => facts === 4),
        all(({ links }) => links > 0),
        all(({ passages }) => passages.length === 3),
      ].join(' '),
    )
  }
  expect([...steps]).toEqual([
    '1 none none none none none',
    '2 none none none none none',
    '2 some none none none none',
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

test('members stay where they are, and those that are empty stay what they are', () => {
  const { rows, omitted } = compose([RESULT], { room: 0 })
  expect(rows).toEqual([{ ...RESULT, tags: [], links: [], properties: {}, snippet: MARKER, passages: [] }])
  expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(RESULT))
  expect(omitted).toEqual({ snippet: 1, passages: 3, tags: 2, properties: 2, links: 1 })
})

test('of rows that do not fit the first are shown, and the others are counted', () => {
  const rows = Array.from({ length: 50 }, (_, at) => ({ id: `note ${at}.md`, title: `Note ${at}` }))
  const { value, omitted } = fitRows(rows, 400)
  expect(jsonBytes(value)).toBeLessThanOrEqual(400)
  expect(value).toEqual(rows.slice(0, value.length))
  expect(omitted).toEqual({ results: 50 - value.length })
})

describe('in a list', () => {
  const fitted = (row: object) => fitRows([row], 100_000).value[0]

  test('long values of properties are cut, and lists of values after five', () => {
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

  test('a long title is cut', () => {
    expect(fitted({ id: 'a.md', title: 't'.repeat(300) })).toEqual({
      id: 'a.md',
      title: 't'.repeat(200 - MARKER.length) + MARKER,
    })
  })
})

test('contents and passages that are cut show at least 160 characters, or nothing', () => {
  const rows = Array.from({ length: 5 }, (_, at) => ({ id: `${at}.md`, title: '', content: '"quoted" 👍 '.repeat(40) }))
  for (let room = 0; room < 3_500; room += 10) {
    const { value } = fitRows(rows, room)
    if (value.length > 1) expect(jsonBytes(value)).toBeLessThanOrEqual(room)
    for (const { content } of value) {
      if (content === MARKER) continue
      expect(content.length).toBeGreaterThan(150)
      expect(content).toMatch(/^"quoted" 👍 ("quoted" 👍 )*/)
      expect(content.isWellFormed()).toBe(true)
    }
  }
})

test('what may have been meant is cut and counted, but for the first, and the text of a first row that is too long is cut', () => {
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
