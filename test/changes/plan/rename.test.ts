import { describe, expect, test } from 'vitest'
import type { Operation } from '../../../src/core/operations.ts'
import { check, type Difference, refuse } from './checked.ts'

const heading = (to: string, ...path: string[]): Operation => ({ kind: 'renameHeading', id: 'a', heading: path, to })
const tag = (from: string, to: string): Operation => ({ kind: 'renameTag', tag: from, to })
const manage = (add: readonly string[], remove: readonly string[]): Operation => ({ kind: 'manageTags', id: 'a', add, remove })

describe('a heading', () => {
  test('takes every reference with it', async () => {
    const files = {
      'a.md': '# Top\n[[#Part]] [x](#part)\n## Part ##\n### Deep\n',
      'b.md': '[[a#Part|p]] ![[a#Top#Part#Deep]] [[a#Top]] `[[a#Part]]`',
      'c.canvas': '{"nodes":[{"type":"file","file":"a.md","subpath":"#Part"}]}',
    }
    const { result } = await check(files, heading('New part', 'Part'), {
      'a.md': '# Top\n[[#New part]] [x](#new-part)\n## New part ##\n### Deep\n',
      'b.md': '[[a#New part|p]] ![[a#Top#New part#Deep]] [[a#Top]] `[[a#Part]]`',
      'c.canvas': '{"nodes":[{"type":"file","file":"a.md","subpath":"#New part"}]}',
    })
    expect(result.files.map(({ from, relinked }) => [from, relinked.length])).toEqual(
      expect.arrayContaining([
        ['a.md', 2],
        ['b.md', 2],
        ['c.canvas', 1],
      ]),
    )
  })

  test.each<[string, Operation, object]>([
    ['that is not there', heading('x', 'Nope'), { code: 'SECTION_NOT_FOUND' }],
    ['that is there twice', heading('x', 'B'), { code: 'SECTION_NOT_FOUND' }],
    ['by two lines', heading('x\ny', 'A'), { code: 'INVALID_PARAMS' }],
    ['of a note that is not there', { kind: 'renameHeading', id: 'b', heading: ['A'], to: 'x' }, { code: 'NODE_NOT_FOUND' }],
  ])('%s is not renamed', async (_, operation, error) => {
    await refuse({ 'a.md': '# A\n## B\n## B\n' }, operation, error)
  })
})

describe('a tag', () => {
  test.each<[string, Record<string, string>, Operation, Difference]>([
    [
      'everywhere',
      {
        'a.md': '---\ntags: [old, x]\n---\n#old and #Old/sub, #older `#old`',
        'b.md': '---\ntags:\n  - old/sub # kept\n---\n',
        'c.canvas': '{"nodes":[{"type":"text","text":"#old"}]}',
        'd.md': '#other',
      },
      tag('#old', 'new/er'),
      {
        'a.md': '---\ntags: [new/er, x]\n---\n#new/er and #new/er/sub, #older `#old`',
        'b.md': '---\ntags:\n  - new/er/sub # kept\n---\n',
        'c.canvas': '{"nodes":[{"type":"text","text":"#new/er"}]}',
      },
    ],
    [
      'that is in a list already is not doubled',
      { 'a.md': '---\ntags:\n  - new\n  - old\n  - x\n---\n#old #new' },
      tag('old', 'new'),
      { 'a.md': '---\ntags:\n  - new\n  - x\n---\n#new #new' },
    ],
    [
      'nor below another',
      { 'a.md': '---\ntags: [new/x, old/x, old]\n---\n' },
      tag('old', 'new'),
      { 'a.md': '---\ntags: [new/x, new]\n---\n' },
    ],
    ['to another case', { 'a.md': '#old' }, tag('old', 'Old'), { 'a.md': '#Old' }],
  ])('%s', async (_, files, operation, expected) => {
    await check(files, operation, expected)
  })

  test.each<[string, Operation, object]>([
    ['that no one has', tag('nope', 'x'), { code: 'NODE_NOT_FOUND' }],
    ['to what is no tag', tag('old', 'a b'), { code: 'INVALID_PARAMS' }],
    ['to a number', tag('old', '12'), { code: 'INVALID_PARAMS' }],
    ['to what it is', tag('old', 'old'), { code: 'INVALID_PARAMS' }],
  ])('%s is not renamed', async (_, operation, error) => {
    await refuse({ 'a.md': '#old' }, operation, error)
  })
})

describe('tags of a note', () => {
  test.each<[string, string, Operation, string]>([
    ['are added where there are none', 'A\r\nB', manage(['x'], []), '---\r\ntags:\r\n  - x\r\n---\r\nA\r\nB'],
    ['go with what they brought', '---\ntags:\n  - x\n---\nA', manage([], ['X']), 'A'],
    [
      'change only their own lines',
      '---\nk: "v" # c\ntags:\n  - one\n  - two\n---\n',
      manage(['three'], ['#one']),
      '---\nk: "v" # c\ntags:\n  - two\n  - three\n---\n',
    ],
    ['that are there are not added again', '---\ntags: [x]\n---\n', manage(['x'], []), '---\ntags: [x]\n---\n'],
  ])('%s', async (_, text, operation, expected) => {
    const { result } = await check({ 'a.md': text }, operation, text === expected ? {} : { 'a.md': expected })
    expect(result).toMatchObject({ notes: [], files: text === expected ? [] : [{ from: 'a.md' }] })
  })

  test('that are both removed and added stay, and it is said', async () => {
    const { result } = await check({ 'a.md': '---\ntags: [x]\n---\n' }, manage(['x'], ['x']), {})
    expect(result).toMatchObject({ notes: ['Tags that are given to add and to remove stay: #x.'], files: [] })
  })

  test('in the text stay, and are named', async () => {
    const { result } = await check({ 'a.md': '---\ntags: [x, z]\n---\n#x #X/sub' }, manage([], ['x']), {
      'a.md': '---\ntags: [z]\n---\n#x #X/sub',
    })
    expect(result.notes).toEqual(["The text itself still has #x: only the frontmatter's list was changed."])
  })

  test('are refused when there are none, or what is no tag', async () => {
    await refuse({ 'a.md': '' }, manage([], []), { code: 'INVALID_PARAMS' })
    await refuse({ 'a.md': '' }, manage(['a b'], []), { code: 'INVALID_PARAMS' })
    await refuse({ 'a.md': '---\na: [\n---\n' }, manage(['x'], []), { code: 'EDIT_MISMATCH' })
  })
})
