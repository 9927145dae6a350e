import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getNode } from '../../../src/app/read/get-node.ts'
import type { Operation, UpdateNote } from '../../../src/core/operations.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'
import { fakeCore } from '../../support/fake-store.ts'
import { writable } from '../../support/writable-vault.ts'
import { sha } from '../rig.ts'
import { check, refuse } from './checked.ts'

const update = (more: Partial<UpdateNote>): UpdateNote => ({ kind: 'update', id: 'a', updateLinks: false, ...more })
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('')

const NOTE = `---\nk: v\n---\n# A\n\n${lines(300)}\n## B\ntwo\n`
const partial = (text: string): string => `partial:${sha(text)}`
const CUT = { code: 'EDIT_MISMATCH', message: expect.stringContaining(MARKER), hint: expect.stringContaining('offset') }

describe('a text that ends where Roux cut it is not written', () => {
  test.each<[string, Partial<UpdateNote>]>([
    ['as the whole text', { content: `# A\n\n${lines(6)}${MARKER}` }],
    ['as the whole text, with a line break behind it', { content: `# A\n${MARKER}\n` }],
    ['as the whole text, with leave to drop the rest', { content: `# A\n${MARKER}`, replaceAll: true }],
    ['as the whole text, in the middle', { content: `# A\n${MARKER}\nline 7\n` }],
    ['as the whole text, with the hash of all', { content: `# A\n${MARKER}`, expectedHash: sha(NOTE) }],
    ['as a section', { section: ['B'], content: `tw${MARKER}` }],
    ['below a section', { section: ['B'], mode: 'append', content: `tw${MARKER}` }],
    ['at the end', { append: `tw${MARKER}\n` }],
    ['at the beginning', { prepend: `tw${MARKER}` }],
    ['in the place of a passage', { replaceText: { find: 'two', replace: `tw${MARKER}`, count: 1 } }],
    ['in a property', { properties: { k: `v${MARKER}` } }],
    ['in a list of a property', { properties: { k: ['v', `w${MARKER}`] } }],
  ])('%s', async (_, members) => {
    await refuse({ 'a.md': NOTE }, update(members), CUT)
  })

  test('as a new note', async () => {
    await refuse({}, { kind: 'create', id: 'b', content: `tw${MARKER}\n` }, CUT)
    await refuse({}, { kind: 'create', id: 'b', content: '', properties: { k: `v${MARKER}` } }, CUT)
  })

  test('as one of several operations, and none of them is carried out', async () => {
    const operations: readonly Operation[] = [
      { kind: 'create', id: 'b', content: '' },
      { kind: 'create', id: 'c', content: MARKER },
    ]
    await refuse({}, operations, { code: 'EDIT_MISMATCH', message: expect.stringContaining('Operation 2') })
  })
})

describe('the words that end a cut text, in a note of its own', () => {
  const own = `# A\nIt ends with "${MARKER}".\n`

  test('stay where the whole text is written again', async () => {
    await check({ 'a.md': own }, update({ content: `${own}more\n`, expectedHash: sha(own) }), { 'a.md': `${own}more\n` })
  })

  test('stay at its end, when all of it was read', async () => {
    const ending = `# A\n${MARKER}\n`
    await check({ 'a.md': ending }, update({ content: `# B\n${MARKER}\n`, expectedHash: sha(ending) }), {
      'a.md': `# B\n${MARKER}\n`,
    })
    await refuse({ 'a.md': ending }, update({ content: `# B\n${MARKER}\n` }), CUT)
  })

  test('can be written in the middle of what is added, or of a new note', async () => {
    await check({ 'a.md': 'A\n' }, update({ append: own }), { 'a.md': `A\n\n${own}` })
    await check({}, { kind: 'create', id: 'b', content: own }, { 'b.md': own })
  })

  test('are not taken for those of another place', async () => {
    await refuse({ 'a.md': own }, update({ content: `# A${MARKER}\nIt ends with "${MARKER}".\n` }), CUT)
  })
})

describe('the hash of a note that was read in part', () => {
  const read = partial(NOTE)

  test.each<[string, Partial<UpdateNote>, string]>([
    ['an addition', { append: 'end' }, `${NOTE}\nend\n`],
    ['a section', { section: ['B'], content: 'three' }, NOTE.replace('two', 'three')],
    ['a passage', { replaceText: { find: 'two', replace: 'three', count: 1 } }, NOTE.replace('two', 'three')],
    ['properties', { properties: { k: 'w' } }, NOTE.replace('k: v', 'k: w')],
    ['tags', { tags: ['t'] }, NOTE.replace('k: v', 'k: v\ntags:\n  - t')],
  ])('does for %s', async (_, members, expected) => {
    const { result } = await check({ 'a.md': NOTE }, update({ ...members, expectedHash: read.toUpperCase() }), {
      'a.md': expected,
    })
    expect(result.notes).toEqual([])
  })

  test('does for a move and a deletion', async () => {
    await check({ 'a.md': NOTE }, { kind: 'move', id: 'a', to: 'b', expectedHash: read }, { 'a.md': null, 'b.md': NOTE })
    await check({ 'a.md': NOTE }, { kind: 'delete', id: 'a', expectedHash: read }, { 'a.md': null, '.trash/a.md': NOTE })
  })

  test('does not for the whole text', async () => {
    const expected = {
      code: 'EDIT_MISMATCH',
      message: expect.stringContaining('in part'),
      hint: expect.stringContaining('replace_all'),
    }
    await refuse({ 'a.md': NOTE }, update({ content: 'new\n', expectedHash: read }), expected)
    await refuse({ 'a.md': NOTE }, update({ content: 'new\n', append: 'x', expectedHash: read }), expected)
  })

  test('does for the whole text where the rest shall go, and the lines that went are counted', async () => {
    const { result } = await check(
      { 'a.md': NOTE },
      update({ content: `# A\n\n${lines(6)}`, expectedHash: read, replaceAll: true }),
      {
        'a.md': `---\nk: v\n---\n# A\n\n${lines(6)}`,
      },
    )
    expect(result.notes).toEqual([expect.stringContaining('297 lines')])
  })

  test('is refused when the note is another, and what it is now is said as a hash of what was not read', async () => {
    await refuse({ 'a.md': NOTE }, update({ append: 'x', expectedHash: partial('other') }), {
      code: 'CONFLICT',
      candidates: [read, partial('other')],
    })
    await refuse({ 'a.md': NOTE }, update({ content: 'x', expectedHash: sha('other') }), {
      code: 'CONFLICT',
      message: expect.stringContaining(read),
      candidates: [read, sha('other')],
    })
  })
})

test('a whole text that is replaced without a hash says how many lines went', async () => {
  const { result } = await check({ 'a.md': 'one\ntwo\ntwo\nthree\n' }, update({ content: 'three\ntwo\nfour\n' }), {
    'a.md': 'three\ntwo\nfour\n',
  })
  expect(result.notes).toEqual([expect.stringContaining('2 lines')])
  const kept = await check({ 'a.md': 'one\r\ntwo' }, update({ content: 'zero\none\ntwo\n' }), { 'a.md': expect.any(String) })
  expect(kept.result.notes).toEqual([])
  const known = await check({ 'a.md': 'one\n' }, update({ content: 'two\n', expectedHash: sha('one\n') }), { 'a.md': 'two\n' })
  expect(known.result.notes).toEqual([])
})

test.each<[string, Partial<UpdateNote>, number]>([
  ['the section that is the whole text', { section: ['A'], content: 'x' }, 303],
  ['a section with others below it', { section: ['A', 'C'], content: 'x' }, 3],
])('%s is replaced and says how many lines went, unless all was read', async (_, members, lost) => {
  const text = members.section?.length === 1 ? NOTE : '# A\nyes\n## C\none\n### D\ntwo\n## E\n'
  const told = async (expectedHash?: string) => {
    const asked = update(expectedHash === undefined ? members : { ...members, expectedHash })
    return (await check({ 'a.md': text }, asked, { 'a.md': expect.any(String) })).result.notes
  }
  expect(await told()).toEqual([expect.stringContaining(`${lost} lines`)])
  expect(await told(partial(text))).toEqual([expect.stringContaining(`${lost} lines`)])
  expect(await told(sha(text))).toEqual([])
})

test('a section is replaced as far as reading it shows, comments included, and headings that go are told however they are written', async () => {
  const text = '# One\n\n%%\nOld\n===\n%%\n\nafter the comment\n\n# Two\n\nSub\n---\ntwo\n'
  const one = await check({ 'a.md': text }, update({ section: ['One'], content: 'x' }), {
    'a.md': expect.stringMatching(/^# One\n\nx\n\n# Two/),
  })
  expect(one.result.notes).toEqual([])
  const two = await check({ 'a.md': text }, update({ section: ['Two'], content: 'x' }), {
    'a.md': expect.stringMatching(/# Two\n\nx\n$/),
  })
  expect(two.result.notes).toEqual([expect.stringContaining('3 lines')])
})

test('leave to drop the rest without a whole text is refused', async () => {
  for (const members of [{ append: 'x' }, { section: ['B'], content: 'x' }])
    await refuse({ 'a.md': NOTE }, update({ ...members, replaceAll: true }), {
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('replace_all'),
    })
})

test('what is answered of a note and written back with its hash leaves the note as it is, or is refused', async () => {
  const vault = await writable({ 'a.md': '' })
  const text = fc.array(fc.constantFrom('one\n', '# H\n', 'é👍\n', `${MARKER}\n`, MARKER, '\r\n', 'x'.repeat(30)), {
    maxLength: 12,
  })
  const asked = fc.record({
    maxChars: fc.constantFrom(20, 50, 10_000),
    offset: fc.constantFrom(0, 0, 3, 40),
    section: fc.constantFrom(undefined, undefined, ['H']),
  })
  await fc.assert(
    fc.asyncProperty(text, asked, async (parts, args) => {
      const body = parts.join('')
      vault.put('a.md', body)
      await vault.service.reconcile()
      const core = { ...fakeCore(vault.store), texts: vault.texts }
      const { value } = await getNode(core, { id: 'a', depth: 0, ...args }).catch(() => ({ value: null }))
      fc.pre(value !== null && value.hash !== undefined)
      const content = value?.content ?? ''
      const written = await vault.write(update({ content, expectedHash: value?.hash ?? '' })).catch(() => undefined)
      expect(vault.text('a.md')).toBe(body)
      if (content === body) expect(written).toBeDefined()
    }),
    { numRuns: 60 },
  )
})
