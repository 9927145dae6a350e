import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CreateNote, Operation } from '../../../src/core/operations.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { writable } from '../../support/writable-vault.ts'
import { check, type Difference, refuse } from './checked.ts'

const create = (id: string, more: Partial<CreateNote> = {}): CreateNote => ({ kind: 'create', id, content: '# A\n', ...more })

describe('a new note', () => {
  test.each<[string, Record<string, string>, CreateNote, Difference]>([
    ['lower-cased, with its ending', {}, create('Notes/My Note'), { 'notes/my note.md': '# A\n' }],
    ['in a folder spelled as it is', { 'Notes/Sub/x.md': '' }, create('notes/SUB/A.MD'), { 'Notes/Sub/a.md': '# A\n' }],
    ['in Unicode form C', {}, create('E\u0301t\u00e9'), { 'ét\u00e9.md': '# A\n' }],
    ['empty', {}, create('a', { content: '' }), { 'a.md': '' }],
    ['with a title that is its name', {}, create('a', { title: 'a' }), { 'a.md': '# A\n' }],
    ['with another title', {}, create('a', { title: 'B: c' }), { 'a.md': '---\ntitle: "B: c"\n---\n# A\n' }],
    ['with tags', {}, create('a', { tags: ['x', '#y/z'] }), { 'a.md': '---\ntags:\n  - x\n  - y/z\n---\n# A\n' }],
    ['with properties', {}, create('a', { properties: { k: 1, done: true } }), { 'a.md': '---\nk: 1\ndone: true\n---\n# A\n' }],
    [
      'arguments win over its own frontmatter',
      {},
      create('a', { content: '---\nn: 1 # one\nk: v\n---\nT', properties: { n: 2 } }),
      { 'a.md': '---\nn: 2 # one\nk: v\n---\nT' },
    ],
  ])('%s', async (_, files, operation, expected) => {
    const { result } = await check(files, operation, expected)
    expect(result.subjects).toEqual(Object.keys(expected))
    expect(result.files).toEqual([{ kind: 'created', to: Object.keys(expected)[0], relinked: [] }])
  })

  test('says what of its own frontmatter the arguments took the place of', async () => {
    const content = '---\ntags: [kept, Gone]\ntitle: Old\nn: 1\nk: v\n---\nT'
    const { result } = await check(
      {},
      create('a', { content, tags: ['Kept', 'new'], title: 'New', properties: { n: 2, k: null } }),
      {
        'a.md': '---\ntags: [kept, new]\ntitle: New\nn: 2\n---\nT',
      },
    )
    expect(result.notes).toEqual([
      'The arguments win over the frontmatter in content: left out #Gone; another value for title, n.',
    ])
    const same = await check({}, create('b', { content, tags: ['gone', 'kept'] }), { 'b.md': content })
    expect(same.result.notes).toEqual([])
  })

  test('keeps its spelling where settings say so', async () => {
    await check({}, create('Notes/My Note'), { 'Notes/My Note.md': '# A\n' }, { spelling: 'preserve' })
  })

  test.each([
    ['.obsidian/app.json', '{}', 'Notes/My Note.md'],
    ['.foam/x', '', 'Notes/My Note.md'],
    ['logseq/config.edn', '{}', 'Notes/My Note.md'],
    ['.git/config', '', 'notes/my note.md'],
    ['roux.config.yaml', '', 'notes/my note.md'],
  ])('beside %s is spelled as the marker folders of the vault say', async (file, text, path) => {
    const { result } = await check({ [file]: text }, create('Notes/My Note'), { [path]: '# A\n' }, { spelling: 'auto' })
    expect(result.subjects).toEqual([path])
  })

  test('is found by its folded id where it is there in another spelling: no second file differs by case only', async () => {
    const files = { '.obsidian/app.json': '{}', 'notes/my note.md': 'old' }
    await refuse(files, create('Notes/My Note'), { code: 'NODE_EXISTS', candidates: ['notes/my note.md'] }, { spelling: 'auto' })
    const { result } = await check(files, create('NOTES/Other'), { 'notes/Other.md': '# A\n' }, { spelling: 'auto' })
    expect(result.subjects).toEqual(['notes/Other.md'])
  })

  const PEOPLE = {
    'people/ann.md': '---\ntitle: Ann Lee\naliases: [The Boss]\n---\n',
    'people/bob.md': '',
    'old/bob.md': '',
    'x/cy.md': '---\ntitle: Twice\n---\n',
    'x/dy.md': '---\ntitle: twice\n---\n',
  }
  test.each<[string, string | readonly string[], string]>([
    ['an id', 'people/ann.md', 'up: "[[ann]]"'],
    ['an id without its ending', 'People/ANN', 'up: "[[ann]]"'],
    ['a name', 'ann', 'up: "[[ann]]"'],
    ['an alias', 'the boss', 'up: "[[ann]]"'],
    ['a title', 'ann lee', 'up: "[[ann]]"'],
    ['a link', '[[ann]]', 'up: "[[ann]]"'],
    ['a name that others have', ['old/bob'], 'up:\n  - "[[old/bob]]"'],
    ['what is not there yet', 'nobody', 'up: "[[nobody]]"'],
    ['a link with a heading', '[[ann#Work|her work]]', 'up: "[[ann#Work|her work]]"'],
  ])('relates to %s', async (name, target, line) => {
    const { result } = await check(PEOPLE, create('a', { relations: { up: target } }), { 'a.md': `---\n${line}\n---\n# A\n` })
    const leadsNowhere = name === 'what is not there yet' || name === 'a link with a heading'
    expect(result.notes).toHaveLength(leadsNowhere ? 1 : 0)
  })

  test.each([['bob'], ['twice']])('does not choose among notes called %j', async (name) => {
    await refuse(PEOPLE, create('a', { relations: { up: name } }), {
      code: 'AMBIGUOUS_NAME',
      candidates: [expect.stringContaining('/'), expect.stringContaining('/')],
    })
  })

  test('that links would lead to from now on: they are left, and named', async () => {
    const files = { 'f/sub/a.md': 'the other', 'b.md': 'to [[a]]', 'c.md': '\n[[new]]' }
    const { vault, result } = await check(files, [create('a'), create('new')], { 'a.md': '# A\n', 'new.md': '# A\n' })
    expect(result.dangling).toEqual([{ path: 'b.md', line: 1, text: 'a', reason: 'it now leads to "a.md"' }])
    expect(await vault.edges()).toEqual(['b.md -> a.md x1', 'c.md -> new.md x1'])
  })
})

describe('no note is made', () => {
  const FILES = { 'a.md': 'A', 'Sub/B.md': 'B', 'pic.png': 'P', '.gitignore': 'hidden*\n', 'hidden.md': 'H', 'drafts/x.md': 'X' }
  test.each<[string, CreateNote, object]>([
    ['where one is', create('a'), { code: 'NODE_EXISTS', candidates: ['a.md'] }],
    ['where a twin is', create('sub/b'), { code: 'NODE_EXISTS', candidates: ['sub/b.md'] }],
    ['where a file is that the vault ignores', create('hidden'), { code: 'NODE_EXISTS' }],
    ['below a file', create('a.md/b'), { code: 'NODE_EXISTS' }],
    ['in an ignored folder', create('drafts/y'), { code: 'PERMISSION_DENIED' }],
    ['in the settings of Obsidian', create('.obsidian/y'), { code: 'PERMISSION_DENIED' }],
    ['in the trash', create('.trash/y'), { code: 'PERMISSION_DENIED' }],
    ['outside', create('../y'), { code: 'PERMISSION_DENIED' }],
    ['at an absolute path', create('/etc/y'), { code: 'PERMISSION_DENIED' }],
    ['without a name', create(''), { code: 'INVALID_PARAMS' }],
    ['with a backslash', create('a\\b'), { code: 'INVALID_PARAMS' }],
    ['with an empty folder', create('a//b'), { code: 'INVALID_PARAMS' }],
    ['with a colon', create('an: b'), { code: 'INVALID_PARAMS', hint: 'Use "an- b.md".' }],
    ['with a hash', create('c#'), { code: 'INVALID_PARAMS', hint: 'Use "c-.md".' }],
    ['with brackets', create('a[1]'), { code: 'INVALID_PARAMS', hint: 'Use "a-1-.md".' }],
    ['with a bar', create('a|b'), { code: 'INVALID_PARAMS', hint: 'Use "a-b.md".' }],
    ['with a caret', create('a^b'), { code: 'INVALID_PARAMS' }],
    ['with a line break', create('a\nb'), { code: 'INVALID_PARAMS' }],
    ['called like a device', create('con'), { code: 'INVALID_PARAMS', hint: 'Use "con_.md".' }],
    ['in a folder called like a device', create('aux/b'), { code: 'INVALID_PARAMS' }],
    ['with a space at its end', create('a '), { code: 'INVALID_PARAMS' }],
    ['with a name too long', create('x'.repeat(300)), { code: 'INVALID_PARAMS' }],
    ['with half a character', create('a\ud800'), { code: 'INVALID_PARAMS' }],
    ['with a title too long', create('y', { title: 'x'.repeat(201) }), { code: 'TOO_LARGE' }],
    ['with content too large', create('y', { content: 'x'.repeat((1 << 20) + 1) }), { code: 'TOO_LARGE' }],
    ['with broken frontmatter', create('y', { content: '---\na: [\n---\n' }), { code: 'INVALID_PARAMS' }],
    ['with a tag that is none', create('y', { tags: ['a b'] }), { code: 'INVALID_PARAMS' }],
    ['with a relation that no link can say', create('y', { relations: { up: 'a]]b' } }), { code: 'INVALID_PARAMS' }],
  ])('%s', async (_, operation, error) => {
    await refuse(FILES, operation, error)
  })

  test('through a symbolic link', async () => {
    const vault = await writable({ 'real/a.md': 'A' })
    symlinkSync(join(vault.root, 'real'), join(vault.root, 'linked'))
    symlinkSync(temporaryFolder(), join(vault.root, 'outside'))
    await vault.service.reconcile()
    const before = vault.snapshot()
    const operations: readonly Operation[] = [
      create('linked/b'),
      create('outside/b'),
      { kind: 'createFolder', path: 'outside/f' },
      { kind: 'move', id: 'real/a', to: 'outside/' },
      { kind: 'move', id: 'real/a', to: 'linked/b' },
      { kind: 'move', id: 'real', to: 'outside/real' },
    ]
    for (const operation of operations) await expect(vault.write(operation)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
    expect(vault.snapshot()).toEqual(before)
  })
})
