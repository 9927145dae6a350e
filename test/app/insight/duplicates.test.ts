import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DuplicateNotes } from '../../../src/app/insight/duplicates.ts'
import { getProblems, type ProblemList, type ProblemSummary } from '../../../src/app/insight/get-problems.ts'
import { type SearchCore, searchCore } from '../search-core.ts'

const TEXT = [
  'The sourdough is fed in the evening with rye flour and lukewarm water.',
  'It stands beside the stove until the morning and smells of apples by then.',
  'Two spoons of it are kept in the cold for the next time that bread is baked.',
]
const OTHER = 'Rakes lean on the wall of the shed, where nails and boards wait for a winter with more time than this one had.'
const COPIES = {
  'b/Copy.md': `Found on an old disk:\n\n${TEXT.join('\n\n')}\n`,
  'a/Starter.md': `# Starter\n\n${TEXT.join('\n')}\n`,
  'Shed.md': `${OTHER}\n`,
  'Shed again.md': `${OTHER}\n`,
  'Shed, a third time.md': `${OTHER}\n`,
}
const ARGS = { kind: 'duplicate', limit: 20, summary: false } as const

async function duplicates(core: SearchCore, args: object = {}) {
  const answered = await getProblems(core, { ...ARGS, ...args })
  return { ...answered, value: answered.value as ProblemList }
}

test('lists pairs of similar notes, most similar first, with a common line', async () => {
  const { value, warnings } = await duplicates(await searchCore(COPIES))
  expect(warnings).toEqual([])
  const shed = { kind: 'duplicate', id: 'shed again.md', line: 1, text: OTHER, equal_lines: 1, alike: 1 }
  expect(value).toEqual({
    problems: [
      { ...shed, candidates: ['shed, a third time.md'] },
      { ...shed, candidates: ['shed.md'] },
      {
        kind: 'duplicate',
        id: 'a/starter.md',
        line: 3,
        text: TEXT[0],
        candidates: ['b/copy.md'],
        equal_lines: 3,
        alike: 0.87,
      },
    ],
    total: 3,
  })
})

test('lists all pairs of three near-copies, even in a small vault where their lines count as boilerplate', async () => {
  const drafts = ['first', 'second', 'third'].map((draft) => [`${draft}.md`, `${TEXT.join('\n')}\nThis is the ${draft} draft.\n`])
  const { value } = await duplicates(await searchCore(Object.fromEntries([...drafts, ['Shed.md', OTHER]])))
  expect((value.problems as readonly DuplicateNotes[]).map(({ id, candidates }) => [id, ...candidates])).toEqual([
    ['first.md', 'second.md'],
    ['first.md', 'third.md'],
    ['second.md', 'third.md'],
  ])
  expect(value.problems[0]).toMatchObject({ line: 1, text: TEXT[0], equal_lines: 3 })
})

test('a folder filters pairs to those with a note in it, which is named first', async () => {
  const core = await searchCore(COPIES)
  const { value } = await duplicates(core, { folder: 'B/' })
  expect(value.problems[0]).toMatchObject({ id: 'b/copy.md', line: 3, text: TEXT[0], candidates: ['a/starter.md'] })
  expect(value.problems.every(({ id }) => id === 'b/copy.md')).toBe(true)
  const nowhere = await duplicates(core, { folder: 'nowhere' })
  expect([nowhere.value.total, nowhere.warnings.length]).toEqual([0, 1])
})

test('pages through pairs and counts them', async () => {
  const notes = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`${at}.md`, `${TEXT.join('\n')}\n`]))
  const core = await searchCore(notes)
  const whole = (await duplicates(core)).value
  expect(whole.total).toBe(15)
  const { value, list } = await duplicates(core, { limit: 4, offset: 13 })
  expect(value.problems).toEqual(whole.problems.slice(13))
  expect(list).toMatchObject({ offset: 13, shown: 2, count: 15 })
  const counted = (await getProblems(core, { ...ARGS, summary: true })).value as ProblemSummary
  expect(counted).toEqual({ counts: { duplicate: 15 }, total: 15 })
})

test('does not compute pairs unless they are requested', async () => {
  const core = await searchCore(COPIES)
  const never = { follow: () => Promise.reject(new Error('it was asked for')) }
  for (const summary of [true, false]) {
    const { value } = await getProblems({ ...core, insights: never }, { limit: 20, summary })
    expect(JSON.stringify(value)).not.toContain('duplicate')
  }
})

test('returns no pairs and a warning before the vault has been analyzed', async () => {
  const core = await searchCore(COPIES)
  const { value, warnings } = await getProblems({ ...core, insights: { follow: async () => undefined } }, ARGS)
  expect([value, warnings.map(({ code }) => code)]).toEqual([{ problems: [], total: 0 }, ['STALE']])
})

test('after an edit, returns the last pairs without outdated lines or removed notes', async () => {
  const core = await searchCore(COPIES)
  const before = (await duplicates(core)).value
  core.vault.write('a/Starter.md', `One more line.\n\n# Starter\n\n${TEXT.join('\n')}\n`)
  core.vault.remove('Shed again.md')
  await core.indexed.index()
  const { value, warnings } = await duplicates(core)
  expect(warnings.map(({ code }) => code)).toEqual(['STALE'])
  expect(value.problems).toEqual([{ ...before.problems[2], line: 0, text: 'Much of the text is the same.' }])
})

test('each pair has two different notes and appears once, for any notes', async () => {
  const anyLine = fc.constantFrom(...TEXT, OTHER, '', '- [ ]', '日本語の文章です。', 'x')
  const anyNotes = fc.array(fc.array(anyLine, { maxLength: 6 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(anyNotes, async (notes) => {
      const core = await searchCore(Object.fromEntries(notes.map((lines, at) => [`${at}.md`, lines.join('\n')])))
      const { problems } = (await duplicates(core, { limit: 100 })).value as { problems: readonly DuplicateNotes[] }
      const pairs = problems.map(({ id, candidates }) => [id, ...candidates].sort().join(' '))
      expect(new Set(pairs).size).toBe(pairs.length)
      for (const { id, line, text, candidates } of problems) {
        expect(candidates[0]).not.toBe(id)
        if (line > 0) expect(notes[Number.parseInt(id, 10)]?.[line - 1]).toBe(text)
      }
    }),
    { numRuns: 25 },
  )
})
