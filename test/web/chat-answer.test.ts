import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnswer } from '../../src/web/client/chat/answer.ts'

const structured = (structuredContent: object) => ({ content: [], structuredContent })

test('shows hubs with their scores', () => {
  const answer = structured({ results: [{ id: 'a.md', title: 'A', score: 7 }], total: 1 })
  expect(readAnswer(answer, {})).toMatchObject({
    message: 'The 1 most central note',
    notes: [{ id: 'a.md', title: 'A', detail: '7' }],
  })
})

test('shows linked notes around the note in the call', () => {
  const answer = structured({
    results: [
      { id: 'a.md', title: 'A' },
      { id: 'b.md', title: 'B' },
    ],
  })
  expect(readAnswer(answer, { id: 'C' })).toMatchObject({ message: '2 notes linked with C', center: 'C', path: [] })
})

test('shows a path in order, next to its alternatives', () => {
  const answer = structured({
    path: ['a.md', 'b.md'],
    length: 1,
    hops: [{ from: 'a.md', to: 'b.md', text: 'See [[b]].' }],
    alternatives: [{ path: ['a.md', 'c.md', 'b.md'] }],
  })
  const { path, notes, message } = readAnswer(answer, {})
  expect([message, path, notes.map(({ id }) => id)]).toEqual(['A path of 1 link', ['a.md', 'b.md'], ['a.md', 'b.md', 'c.md']])
  expect(notes[1]?.detail).toBe('See [[b]].')
})

test('shows communities by id, and lists them by name', () => {
  const answer = structured({ notes: 9, communities: [{ id: 'c1', label: 'Soil', notes: 5, key: [{ id: 'a.md', title: 'A' }] }] })
  expect(readAnswer(answer, {})).toMatchObject({
    message: '1 community in 9 notes',
    communities: [{ id: 'c1', label: 'Soil', notes: 5, key: [{ id: 'a.md', title: 'A' }] }],
  })
})

test('a host that forwards only texts is also supported', () => {
  const answer = { content: [{ type: 'text', text: '[{"id":"a.md","title":"A","score":1}]' }] }
  expect(readAnswer(answer, {}).notes).toEqual([{ id: 'a.md', title: 'A', detail: '1' }])
})

test('shows a missing path and an error as text', () => {
  expect(readAnswer(structured({ result: null }), {})).toMatchObject({
    message: 'There is nothing to show on the map.',
    notes: [],
  })
  const failed = { isError: true, ...structured({ error: { message: 'No vault.' } }) }
  expect(readAnswer(failed, {})).toMatchObject({ message: 'No vault.', notes: [] })
})

test('accepts any message from a host without failing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('structuredContent', 'content', 'isError'), fc.jsonValue()), (result) => {
      expect(typeof readAnswer(result, {}).message).toBe('string')
    }),
  )
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('results', 'path', 'hops', 'alternatives', 'communities', 'error', 'notes'), fc.jsonValue()),
      (facts) => {
        for (const { id } of readAnswer(structured(facts), {}).notes) expect(typeof id).toBe('string')
      },
    ),
  )
})
