import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getNode } from '../../../src/app/read/get-node.ts'
import type { Operation, UpdateNote } from '../../../src/core/operations.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'
import { fakeWriting } from '../../app/write/fake-writing.ts'
import { fakeCore } from '../../support/fake-store.ts'
import { writable } from '../../support/writable-vault.ts'
import { sha } from '../rig.ts'
import { check, refuse } from './checked.ts'

const update = (more: Partial<UpdateNote>): UpdateNote => ({ kind: 'update', id: 'a', updateLinks: false, ...more })
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('')

const NOTE = `---\nk: v\n---\n# A\n\n${lines(300)}\n## B\ntwo\n`
const partial = (text: string): string => `partial:${sha(text)}`
const CUT = { code: 'EDIT_MISMATCH', message: expect.stringContaining(MARKER), hint: expect.stringContaining('offset') }

describe('refuses text that ends with the truncation marker', () => {
  test.each<[string, Partial<UpdateNote>]>([
    ['as the whole text', { content: `# A\n\n${lines(6)}${MARKER}` }],
    ['as the whole text, followed by a line break', { content: `# A\n${MARKER}\n` }],
    ['as the whole text, with replace_all', { content: `# A\n${MARKER}`, replaceAll: true }],
    ['in the middle of the whole text', { content: `# A\n${MARKER}\nline 7\n` }],
    ['as the whole text, with the full hash', { content: `# A\n${MARKER}`, expectedHash: sha(NOTE) }],
    ['as a section', { section: ['B'], content: `tw${MARKER}` }],
    ['appended to a section', { section: ['B'], mode: 'append', content: `tw${MARKER}` }],
    ['appended', { append: `tw${MARKER}\n` }],
    ['prepended', { prepend: `tw${MARKER}` }],
    ['as a text replacement', { replaceText: { find: 'two', replace: `tw${MARKER}`, count: 1 } }],
    ['in a property', { properties: { k: `v${MARKER}` } }],
    ['in a list property', { properties: { k: ['v', `w${MARKER}`] } }],
  ])('%s', async (_, members) => {
    await refuse({ 'a.md': NOTE }, update(members), CUT)
  })

  test('refuses the truncation marker in a new note', async () => {
    await refuse({}, { kind: 'create', id: 'b', content: `tw${MARKER}\n` }, CUT)
    await refuse({}, { kind: 'create', id: 'b', content: '', properties: { k: `v${MARKER}` } }, CUT)
  })

  test('refuses the truncation marker in one of several operations, and applies none', async () => {
    const operations: readonly Operation[] = [
      { kind: 'create', id: 'b', content: '' },
      { kind: 'create', id: 'c', content: MARKER },
    ]
    await refuse({}, operations, { code: 'EDIT_MISMATCH', message: expect.stringContaining('Operation 2') })
  })
})

describe('the truncation marker as part of a note', () => {
  const own = `# A\nIt ends with "${MARKER}".\n`

  test('stays when the whole text is replaced', async () => {
    await check({ 'a.md': own }, update({ content: `${own}more\n`, expectedHash: sha(own) }), { 'a.md': `${own}more\n` })
  })

  test('stays at the end if the caller read the whole note', async () => {
    const ending = `# A\n${MARKER}\n`
    await check({ 'a.md': ending }, update({ content: `# B\n${MARKER}\n`, expectedHash: sha(ending) }), {
      'a.md': `# B\n${MARKER}\n`,
    })
    await refuse({ 'a.md': ending }, update({ content: `# B\n${MARKER}\n` }), CUT)
  })

  test('the truncation marker may occur inside added text or a new note', async () => {
    await check({ 'a.md': 'A\n' }, update({ append: own }), { 'a.md': `A\n\n${own}` })
    await check({}, { kind: 'create', id: 'b', content: own }, { 'b.md': own })
  })

  test('a truncation marker in the old text does not excuse one in another place', async () => {
    await refuse({ 'a.md': own }, update({ content: `# A${MARKER}\nIt ends with "${MARKER}".\n` }), CUT)
  })
})

describe('a partial hash', () => {
  const read = partial(NOTE)

  test.each<[string, Partial<UpdateNote>, string]>([
    ['an addition', { append: 'end' }, `${NOTE}\nend\n`],
    ['a section', { section: ['B'], content: 'three' }, NOTE.replace('two', 'three')],
    ['a passage', { replaceText: { find: 'two', replace: 'three', count: 1 } }, NOTE.replace('two', 'three')],
    ['properties', { properties: { k: 'w' } }, NOTE.replace('k: v', 'k: w')],
    ['tags', { tags: ['t'] }, NOTE.replace('k: v', 'k: v\ntags:\n  - t')],
  ])('allows %s', async (_, members, expected) => {
    const { result } = await check({ 'a.md': NOTE }, update({ ...members, expectedHash: read.toUpperCase() }), {
      'a.md': expected,
    })
    expect(result.notes).toEqual([])
  })

  test('allows a move and a deletion', async () => {
    await check({ 'a.md': NOTE }, { kind: 'move', id: 'a', to: 'b', expectedHash: read }, { 'a.md': null, 'b.md': NOTE })
    await check({ 'a.md': NOTE }, { kind: 'delete', id: 'a', expectedHash: read }, { 'a.md': null, '.trash/a.md': NOTE })
  })

  test('a partial hash does not allow replacing the whole text', async () => {
    const expected = {
      code: 'EDIT_MISMATCH',
      message: expect.stringContaining('only partly read'),
      hint: expect.stringContaining('replace_all'),
    }
    await refuse({ 'a.md': NOTE }, update({ content: 'new\n', expectedHash: read }), expected)
    await refuse({ 'a.md': NOTE }, update({ content: 'new\n', append: 'x', expectedHash: read }), expected)
  })

  test('allows replacing the whole text with replace_all, and counts the dropped lines', async () => {
    const { result } = await check(
      { 'a.md': NOTE },
      update({ content: `# A\n\n${lines(6)}`, expectedHash: read, replaceAll: true }),
      {
        'a.md': `---\nk: v\n---\n# A\n\n${lines(6)}`,
      },
    )
    expect(result.notes).toEqual([expect.stringContaining('297 lines')])
  })

  test("a mismatch is refused with the note's current partial hash", async () => {
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

test('replacing the whole text without a hash counts the dropped lines', async () => {
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
  ['a section that is the whole text', { section: ['A'], content: 'x' }, 303],
  ['a section with subsections', { section: ['A', 'C'], content: 'x' }, 3],
])('replacing %s counts the dropped lines unless the whole note was read', async (_, members, lost) => {
  const text = members.section?.length === 1 ? NOTE : '# A\nyes\n## C\none\n### D\ntwo\n## E\n'
  const notesFor = async (expectedHash?: string) => {
    const operation = update(expectedHash === undefined ? members : { ...members, expectedHash })
    return (await check({ 'a.md': text }, operation, { 'a.md': expect.any(String) })).result.notes
  }
  expect(await notesFor()).toEqual([expect.stringContaining(`${lost} lines`)])
  expect(await notesFor(partial(text))).toEqual([expect.stringContaining(`${lost} lines`)])
  expect(await notesFor(sha(text))).toEqual([])
})

test('a replaced section ends where readers see its end, even after a comment, and counts removed headings in any syntax', async () => {
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

test('refuses replace_all without a whole text', async () => {
  for (const members of [{ append: 'x' }, { section: ['B'], content: 'x' }])
    await refuse({ 'a.md': NOTE }, update({ ...members, replaceAll: true }), {
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('replace_all'),
    })
})

test('writing back a returned text with its hash changes nothing or is refused', async () => {
  const vault = await writable({ 'a.md': '' })
  const text = fc.array(fc.constantFrom('one\n', '# H\n', 'é👍\n', `${MARKER}\n`, MARKER, '\r\n', 'x'.repeat(30)), {
    maxLength: 12,
  })
  const args = fc.record({
    maxChars: fc.constantFrom(20, 50, 10_000),
    offset: fc.constantFrom(0, 0, 3, 40),
    section: fc.constantFrom(undefined, undefined, ['H']),
  })
  await fc.assert(
    fc.asyncProperty(text, args, async (parts, args) => {
      const body = parts.join('')
      vault.put('a.md', body)
      await vault.service.reconcile()
      const core = { ...fakeCore(vault.store), texts: vault.texts, writing: fakeWriting() }
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
