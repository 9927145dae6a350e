import { describe, expect, test } from 'vitest'
import { hunksBetween } from '../../../src/changes/conflict.ts'
import { addAttachment } from '../../../src/changes/plan/attachments.ts'
import { type ChangedText, differenceOf } from '../../../src/changes/plan/changed-files.ts'
import { planOperations } from '../../../src/changes/plan/plan-operations.ts'
import { attachment, attachmentVault } from './attachment-vault.ts'

const changed = (given: Partial<ChangedText>): ChangedText => ({
  from: 'a.md',
  to: 'a.md',
  before: '',
  after: '',
  isText: true,
  size: 0,
  ...given,
})

const check = (given: Partial<ChangedText>, expected: string): void => expect(differenceOf([changed(given)])).toBe(expected)

test('shows an edited file', () => {
  check({ before: 'one\ntwo\n', after: 'one\nthree\n' }, '--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n')
})

test('keeps invisible bytes: line endings, a missing final line break, a byte order mark', () => {
  check(
    { before: '\ufeffa\r\nb', after: '\ufeffa\r\nc' },
    '--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n \ufeffa\r\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n',
  )
})

test('shows a new file', () => {
  check({ from: undefined, after: 'one\ntwo\n' }, '--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,2 @@\n+one\n+two\n')
  check({ from: undefined, after: 'one' }, '--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,1 @@\n+one\n\\ No newline at end of file\n')
  check({ from: undefined, after: '' }, '--- /dev/null\n+++ b/a.md\n')
})

test('shows a long new file whole', () => {
  const difference = differenceOf([changed({ from: undefined, after: 'x\n'.repeat(20_000) })])
  expect(difference.split('\n')).toHaveLength(20_004)
})

test('shows a moved file, also with an edit', () => {
  check({ to: 'b/c.md' }, 'rename from a.md\nrename to b/c.md\n')
  check(
    { to: 'c.md', before: 'x\n', after: 'y\n' },
    'rename from a.md\nrename to c.md\n--- a/a.md\n+++ b/c.md\n@@ -1,1 +1,1 @@\n-x\n+y\n',
  )
})

test('shows a deleted file as one line', () => {
  check({ to: undefined, before: 'a secret\n' }, 'Deleted: a.md is moved to the trash\n')
})

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [12_345, '12.3 kB'],
  [999_950, '1.0 MB'],
  [5_242_880, '5.2 MB'],
])('shows an attachment of %i bytes', (size, text) => {
  check({ from: undefined, to: 'x.png', isText: false, size }, `Binary file x.png added (${text})\n`)
})

test('shows a moved or deleted attachment', () => {
  check({ from: 'x.png', to: 'y.png', isText: false }, 'rename from x.png\nrename to y.png\n')
  check({ from: 'x.png', to: undefined, isText: false }, 'Deleted: x.png is moved to the trash\n')
})

test('escapes a name that contains line breaks', () => {
  check({ to: 'b\n--- a/c".md' }, 'rename from a.md\nrename to "b\\n--- a/c\\".md"\n')
})

test('shows an edit of a file whose name contains a line break', () => {
  const name = 'b\n@@ c.md'
  const header = '--- "a/b\\n@@ c.md"\n+++ "b/b\\n@@ c.md"\n'
  check({ from: name, to: name, before: 'x\n', after: 'y\n' }, `${header}@@ -1,1 +1,1 @@\n-x\n+y\n`)
})

test('shows edits of a file of several megabytes, at their lines', () => {
  const lines = Array.from({ length: 300_000 }, (_, line) => `line ${line + 1}\n`)
  const before = lines.join('')
  const header = '--- a/a.md\n+++ b/a.md\n'
  check(
    { before, after: before.replace('line 200000\n', 'new\n') },
    `${header}@@ -199998,5 +199998,5 @@\n line 199998\n line 199999\n-line 200000\n+new\n line 200001\n line 200002\n`,
  )
  check(
    { before, after: `${before}new` },
    `${header}@@ -299999,2 +299999,3 @@\n line 299999\n line 300000\n+new\n\\ No newline at end of file\n`,
  )
  check({ before, after: `new\n${before}` }, `${header}@@ -1,2 +1,3 @@\n+new\n line 1\n line 2\n`)
  check({ before, after: `\n${before}` }, `${header}@@ -1,2 +1,3 @@\n+\n line 1\n line 2\n`)
  check(
    { before, after: before.replace('line 299900\n', '').replace('line 299999\n', 'line 299999\nline 299999\n') },
    `${header}@@ -299898,5 +299898,4 @@\n line 299898\n line 299899\n-line 299900\n line 299901\n line 299902\n@@ -299998,3 +299997,4 @@\n line 299998\n line 299999\n+line 299999\n line 300000\n`,
  )
})

test('gives up on versions that have nothing in common', () => {
  const text = (of: string): string => Array.from({ length: 6000 }, (_, line) => `${of}${line}\n`).join('')
  check({ before: text('a'), after: text('b') }, '--- a/a.md\n+++ b/a.md\nThe versions differ too much to compare\n')
})

describe('the limit of 200,000 characters', () => {
  const large = changed({ from: undefined, after: `${'x'.repeat(99_000)}\n` })

  test('counts files that do not fit and shows later ones that do', () => {
    const small = changed({ to: 'last.md' })
    const difference = differenceOf([large, large, large, large, small])
    expect(difference.length).toBeLessThanOrEqual(200_000)
    expect(
      difference.endsWith('rename from a.md\nrename to last.md\n… 2 changed files are not shown because the diff is too long.\n'),
    ).toBe(true)
  })

  test('counts many small files', () => {
    const difference = differenceOf(Array.from({ length: 10_000 }, (_, at) => changed({ to: `${at}.md` })))
    const shown = difference.split('rename from').length - 1
    expect(difference.length).toBeLessThanOrEqual(200_000)
    expect(difference.length).toBeGreaterThan(199_800)
    expect(difference).toContain(`… ${10_000 - shown} changed files are not shown`)
  })

  test('counts a single file that is too long', () => {
    const difference = differenceOf([changed({ from: undefined, after: 'x'.repeat(300_000) })])
    expect(difference).toBe('… 1 changed file is not shown because the diff is too long.\n')
  })
})

test('the diff is empty without changes', () => {
  expect(differenceOf([])).toBe('')
})

test('shows what was planned', async () => {
  const { view } = attachmentVault({ 'a.md': 'one\n', 'b.md': 'x\n', 'Old/c.md': 'y\n', 'p.png': '\0' })
  const { diff } = await planOperations(view, [
    { kind: 'update', id: 'a', append: 'two', updateLinks: false },
    { kind: 'delete', id: 'b' },
    { kind: 'move', id: 'Old', to: 'New' },
    { kind: 'move', id: 'p.png', to: 'q.png' },
    attachment({ id: 'a.md' }),
  ])
  expect(diff).toContain('--- a/a.md\n+++ b/a.md\n@@')
  expect(diff).toContain('+two\n')
  expect(diff).toContain('Deleted: b.md is moved to the trash\n')
  expect(diff).toContain('rename from Old/c.md\nrename to New/c.md\n')
  expect(diff).toContain('rename from p.png\nrename to q.png\n')
  expect(diff).toContain('Binary file a.png added (70 bytes)\n')
})

test('keeps no text of files that only move', async () => {
  const workspace = attachmentVault({ 'note.md': 'x\n' })
  await addAttachment(workspace, attachment())
  await workspace.move([{ draft: workspace.find('note'), to: 'b.md' }])
  expect((await workspace.finish()).texts.map(({ before, after }) => before + after)).toEqual(['', ''])
})

test('equal texts have no hunks', () => expect(hunksBetween('a', 'a')).toBe(''))
