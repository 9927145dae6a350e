import { describe, expect, test } from 'vitest'
import type { Mode } from '../../../src/core/note.ts'
import type { Operation } from '../../../src/core/operations.ts'
import { check, type Difference, refuse } from './checked.ts'

const heading = (to: string, ...path: string[]): Operation => ({ kind: 'renameHeading', id: 'a', heading: path, to })
const tag = (from: string, to: string): Operation => ({ kind: 'renameTag', tag: from, to })
const manage = (add: readonly string[], remove: readonly string[]): Operation => ({ kind: 'manageTags', id: 'a', add, remove })

describe('renaming a heading', () => {
  test('updates every reference', async () => {
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

  test.each<[string, string, Mode]>([
    ['a section after a comment with a heading', '# A\n%%\n## Draft\n%%\n## B\n## C\n', 'obsidian'],
    ['a section after a heading that begins with a comment', '# A\n## %%x%% Draft\n## B\n## C\n', 'obsidian'],
    ['a section after a block property and a rule', '# A\n\t- x\n\t  id:: 1\n\t  ---\n## B\n## C\n', 'logseq'],
  ])('%s: updates the links to it and no others', async (_, text, mode) => {
    const expected = { 'a.md': text.replace('## C', '## Cee'), 'b.md': '[[a#B]] [[a#Cee]]' }
    await check({ 'a.md': text, 'b.md': '[[a#B]] [[a#C]]' }, heading('Cee', 'C'), expected, { mode })
  })

  test('reports a tag that the new heading adds to the note', async () => {
    const renamed = async (to: string, link: string) => {
      const front = '---\ntags: [old]\n---\n'
      const files = { 'a.md': `${front}# Top #had\n`, 'b.md': '[[a#Top had]]' }
      const { result } = await check(files, heading(to, 'Top #had'), { 'a.md': `${front}# ${to}\n`, 'b.md': `[[a#${link}]]` })
      return result.notes
    }
    expect(await renamed('Multi #x and #y', 'Multi x and y')).toEqual([
      'The note now has #x, #y, because the new heading contains them. To write # as text, use \\#.',
    ])
    expect(await renamed('Multi \\#x', 'Multi x')).toEqual([])
    expect(await renamed('More #had #old #1', 'More had old 1')).toEqual([])
  })

  test('reports a link in the new heading that leads nowhere', async () => {
    const { result } = await check({ 'a.md': '# Top\n' }, heading('See [[Nope]]', 'Top'), { 'a.md': '# See [[Nope]]\n' })
    expect(result.notes).toEqual(['1 new link leads nowhere: a.md:1 "Nope".'])
  })

  test('keeps a block id, which is part of links to the heading', async () => {
    await check({ 'a.md': '# A ^blk\n', 'b.md': '[[a#A blk]] [[a#^blk]]' }, heading('New', 'A ^blk'), {
      'a.md': '# New ^blk\n',
      'b.md': '[[a#New blk]] [[a#^blk]]',
    })
  })

  test('writes a heading that links to itself once and reports no other rewrite of it', async () => {
    const { result } = await check({ 'a.md': '# A [x](#a-x)\n', 'b.md': '[y](a.md#a-x)' }, heading('New', 'A x'), {
      'a.md': '# New\n',
      'b.md': '[y](a.md#new)',
    })
    expect(result.files.map(({ from, relinked }) => [from, relinked.length])).toEqual([
      ['a.md', 0],
      ['b.md', 1],
    ])
  })

  test('rewrites a heading that names the renamed one, and the links to it', async () => {
    const files = { 'a.md': '# Part\n## On [[#Part]]\n[[#On Part]]\n', 'b.md': '[[a#On Part]]' }
    await check(files, heading('Piece', 'Part'), {
      'a.md': '# Piece\n## On [[#Piece]]\n[[#On Piece]]\n',
      'b.md': '[[a#On Piece]]',
    })
  })

  test.each<[string, Record<string, string>, Operation, Record<string, string | null>]>([
    [
      'a link',
      {
        'a.md': '## See [[Topic]]\n\n[[#See Topic]]',
        'Topic.md': '# Of [[Topic]]\n',
        'b.md': '[[a#See Topic]] [[Topic#Of Topic]]',
      },
      { kind: 'move', id: 'Topic', to: 'Subject' },
      {
        'Topic.md': null,
        'Subject.md': '# Of [[Subject]]\n',
        'a.md': '## See [[Subject]]\n\n[[#See Subject]]',
        'b.md': '[[a#See Subject]] [[Subject#Of Subject]]',
      },
    ],
    [
      'a tag',
      {
        'a.md': '## About #old\n',
        'b.md': '[[a#About old]]',
        'c.canvas': '{"nodes":[{"type":"file","file":"a.md","subpath":"#About old"}]}',
      },
      tag('old', 'new'),
      {
        'a.md': '## About #new\n',
        'b.md': '[[a#About new]]',
        'c.canvas': '{"nodes":[{"type":"file","file":"a.md","subpath":"#About new"}]}',
      },
    ],
    [
      'a link in a heading that another heading links to',
      { 'a.md': '# On [[t]]\n', 'b.md': '# See [[a#On t]]\n', 'c.md': '[[b#See a On t]]', 't.md': '' },
      { kind: 'move', id: 't', to: 'u' },
      { 'a.md': '# On [[u]]\n', 'b.md': '# See [[a#On u]]\n', 'c.md': '[[b#See a On u]]', 't.md': null, 'u.md': '' },
    ],
  ])('updates references to a heading with %s', async (_, files, operation, expected) => {
    const { result } = await check(files, operation, expected)
    expect(result).toMatchObject({ notes: [], dangling: [] })
    const rewritten = result.files.flatMap(({ from, relinked }) => relinked.map(({ before }) => `${from} ${before}`))
    expect(rewritten).toEqual([...new Set(rewritten)])
  })

  test("updates references to a heading that is the page's title when the title changes", async () => {
    const operation: Operation = { kind: 'update', id: 'a', title: 'New', updateLinks: true }
    const files = { 'a.md': '# Old\n', 'b.md': '[x](a.md#old)\n' }
    await check(files, operation, { 'a.md': null, 'New.md': '# New\n', 'b.md': '[x](New.md#new)\n' }, { mode: 'docs' })
  })

  test.each<[string, Operation, object]>([
    ['an unknown heading', heading('x', 'Nope'), { code: 'SECTION_NOT_FOUND' }],
    ['a duplicate heading', heading('x', 'B'), { code: 'SECTION_NOT_FOUND' }],
    ['a heading with two lines', heading('x\ny', 'A'), { code: 'INVALID_PARAMS' }],
    ['a heading of an unknown note', { kind: 'renameHeading', id: 'b', heading: ['A'], to: 'x' }, { code: 'NODE_NOT_FOUND' }],
  ])('refuses %s', async (_, operation, error) => {
    await refuse({ 'a.md': '# A\n## B\n## B\n' }, operation, error)
  })
})

describe('renaming a tag', () => {
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
      'without duplicates in a list',
      { 'a.md': '---\ntags:\n  - new\n  - old\n  - x\n---\n#old #new' },
      tag('old', 'new'),
      { 'a.md': '---\ntags:\n  - new\n  - x\n---\n#new #new' },
    ],
    [
      'without duplicates among nested tags',
      { 'a.md': '---\ntags: [new/x, old/x, old]\n---\n' },
      tag('old', 'new'),
      { 'a.md': '---\ntags: [new/x, new]\n---\n' },
    ],
    ['to another case', { 'a.md': '#old' }, tag('old', 'Old'), { 'a.md': '#Old' }],
  ])('%s', async (_, files, operation, expected) => {
    await check(files, operation, expected)
  })

  test.each([
    ['---\ntags: "[[my old note]]"\n---\n#old', 'a.md: the tag on line 2 was not renamed, because it is a word of a link.'],
    ['---\ntags: "\\u006fld"\n---\n#old', 'a.md: the tag on line 2 was not renamed, because it is written with escapes.'],
  ])('gives the reason why a tag stays: %j', async (text, note) => {
    const { result } = await check({ 'a.md': text }, tag('old', 'new'), { 'a.md': text.replace('#old', '#new') })
    expect(result.notes).toEqual([note])
  })

  test.each<[string, Operation, object]>([
    ['an unused tag', tag('nope', 'x'), { code: 'NODE_NOT_FOUND' }],
    ['a tag with an invalid new name', tag('old', 'a b'), { code: 'INVALID_PARAMS' }],
    ['a tag with a number as new name', tag('old', '12'), { code: 'INVALID_PARAMS' }],
    ['a tag with its own name', tag('old', 'old'), { code: 'INVALID_PARAMS' }],
  ])('refuses %s', async (_, operation, error) => {
    await refuse({ 'a.md': '#old' }, operation, error)
  })
})

describe("editing a note's tags", () => {
  test.each<[string, string, Operation, string]>([
    ['adds tags to a note without frontmatter', 'A\r\nB', manage(['x'], []), '---\r\ntags:\r\n  - x\r\n---\r\nA\r\nB'],
    ['removes frontmatter that becomes empty', '---\ntags:\n  - x\n---\nA', manage([], ['X']), 'A'],
    [
      'changes only their own lines',
      '---\nk: "v" # c\ntags:\n  - one\n  - two\n---\n',
      manage(['three'], ['#one']),
      '---\nk: "v" # c\ntags:\n  - two\n  - three\n---\n',
    ],
    ['does not add an existing tag again', '---\ntags: [x]\n---\n', manage(['x'], []), '---\ntags: [x]\n---\n'],
  ])('%s', async (_, text, operation, expected) => {
    const { result } = await check({ 'a.md': text }, operation, text === expected ? {} : { 'a.md': expected })
    expect(result).toMatchObject({ notes: [], files: text === expected ? [] : [{ from: 'a.md' }] })
  })

  test('keeps a tag that is both added and removed, and says so', async () => {
    const { result } = await check({ 'a.md': '---\ntags: [x]\n---\n' }, manage(['x'], ['x']), {})
    expect(result).toMatchObject({ notes: ['Tags in both add and remove are kept: #x.'], files: [] })
  })

  test('keeps tags in the text and names them', async () => {
    const { result } = await check({ 'a.md': '---\ntags: [x, z]\n---\n#x #X/sub' }, manage([], ['x']), {
      'a.md': '---\ntags: [z]\n---\n#x #X/sub',
    })
    expect(result.notes).toEqual(['The text still has #x: only the list of tags was changed.'])
  })

  test('refuses empty requests, invalid tags and broken frontmatter', async () => {
    await refuse({ 'a.md': '' }, manage([], []), { code: 'INVALID_PARAMS' })
    await refuse({ 'a.md': '' }, manage(['a b'], []), { code: 'INVALID_PARAMS' })
    await refuse({ 'a.md': '---\na: [\n---\n' }, manage(['x'], []), { code: 'EDIT_MISMATCH' })
  })
})
