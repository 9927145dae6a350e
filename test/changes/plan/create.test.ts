import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CreateNote, Operation } from '../../../src/core/operations.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { writable } from '../../support/writable-vault.ts'
import { check, type Difference, refuse } from './checked.ts'

const create = (id: string, more: Partial<CreateNote> = {}): CreateNote => ({ kind: 'create', id, content: '# A\n', ...more })

const LOGSEQ = { mode: 'logseq', spelling: 'preserve' } as const

describe('creating a note', () => {
  test.each<[string, Record<string, string>, CreateNote, Difference]>([
    ['lower-cases the id and adds the extension', {}, create('Notes/My Note'), { 'notes/my note.md': '# A\n' }],
    ['uses the existing spelling of a folder', { 'Notes/Sub/x.md': '' }, create('notes/SUB/A.MD'), { 'Notes/Sub/a.md': '# A\n' }],
    ['normalizes to Unicode form C', {}, create('E\u0301t\u00e9'), { 'ét\u00e9.md': '# A\n' }],
    ['an empty note', {}, create('a', { content: '' }), { 'a.md': '' }],
    ['a title that equals the name', {}, create('a', { title: 'a' }), { 'a.md': '# A\n' }],
    ['another title', {}, create('a', { title: 'B: c' }), { 'a.md': '---\ntitle: "B: c"\n---\n# A\n' }],
    ['tags', {}, create('a', { tags: ['x', '#y/z'] }), { 'a.md': '---\ntags:\n  - x\n  - y/z\n---\n# A\n' }],
    ['properties', {}, create('a', { properties: { k: 1, done: true } }), { 'a.md': '---\nk: 1\ndone: true\n---\n# A\n' }],
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

  test('names the frontmatter in content that the arguments override', async () => {
    const content = '---\ntags: [kept, Gone]\ntitle: Old\nn: 1\nk: v\n---\nT'
    const { result } = await check(
      {},
      create('a', { content, tags: ['Kept', 'new'], title: 'New', properties: { n: 2, k: null } }),
      {
        'a.md': '---\ntags: [kept, new]\ntitle: New\nn: 2\n---\nT',
      },
    )
    expect(result.notes).toEqual([
      'The arguments override the frontmatter in content: left out #Gone; another value for title, n.',
    ])
    const same = await check({}, create('b', { content, tags: ['gone', 'kept'] }), { 'b.md': content })
    expect(same.result.notes).toEqual([])
  })

  test('keeps the given spelling if the settings say so', async () => {
    await check({}, create('Notes/My Note'), { 'Notes/My Note.md': '# A\n' }, { spelling: 'preserve' })
  })

  test.each([
    ['.obsidian/app.json', '{}', 'Notes/My Note.md'],
    ['.foam/x', '', 'Notes/My Note.md'],
    ['logseq/config.edn', '{}', 'Notes/My Note.md'],
    ['.git/config', '', 'notes/my note.md'],
    ['roux.config.yaml', '', 'notes/my note.md'],
  ])("next to %s, the vault's marker folders decide the spelling", async (file, text, path) => {
    const { result } = await check({ [file]: text }, create('Notes/My Note'), { [path]: '# A\n' }, { spelling: 'auto' })
    expect(result.subjects).toEqual([path])
  })

  test.each([
    ['My Page', 'pages/My Page.md'],
    ['My Page.md', 'pages/My Page.md'],
    ['a___b', 'pages/a___b.md'],
    ['2025_01_30', 'journals/2025_01_30.md'],
    ['Jan 30th, 2025', 'journals/2025_01_30.md'],
    ['journals/2025_01_31', 'journals/2025_01_31.md'],
    ['pages/a', 'pages/a.md'],
    ['journals/Jan 31st, 2025', 'journals/2025_01_31.md'],
    ['a/b', 'pages/a___b.md'],
    ['Other/My Page.md', 'pages/Other___My Page.md'],
    ['pages/a/b/c', 'pages/a___b___c.md'],
    ['Notes/a/b', 'notes/a___b.md'],
    ['What? A: B', 'pages/What%3F A%3A B.md'],
    ['C#', 'pages/C%23.md'],
    ['a%2Fb', 'pages/a%2Fb.md'],
    ['a/50%20 off', 'pages/a___50%2520 off.md'],
    ['a_/_b/Etc.', 'pages/a%5F___%5Fb___Etc.___.md'],
  ])('in Logseq, %s goes to %s', async (id, path) => {
    const files = { 'pages/x.md': '', 'journals/2025_01_01.md': '', 'notes/y.md': '' }
    await check(files, create(id), { [path]: '# A\n' }, LOGSEQ)
  })

  test.each([
    ['a/b', 'pages/a%2Fb.md'],
    ['What? 50%', 'pages/What%3F 50%25.md'],
    ['Version 1.0', 'pages/Version 1%2E0.md'],
    ['a%2Fb', 'pages/a%2Fb.md'],
  ])('in a Logseq graph with the older name format, %s goes to %s', async (id, path) => {
    const config = '{;; :file/name-format :triple-lowbar\n :meta/version 1}'
    await check({ 'pages/x.md': '', 'logseq/config.edn': config }, create(id), { [path]: '# A\n' }, LOGSEQ)
    const newer = { 'pages/x.md': '', 'logseq/config.edn': '{:file/name-format :triple-lowbar}' }
    if (id === 'a/b') await check(newer, create(id), { 'pages/a___b.md': '# A\n' }, LOGSEQ)
  })

  test('in Logseq, a namespaced page answers broken links, and needs no title', async () => {
    const files = { 'pages/x.md': '[[a/b]]\n' }
    const { vault } = await check(files, create('a/b', { title: 'a/b' }), { 'pages/a___b.md': '# A\n' }, LOGSEQ)
    expect(await vault.edges()).toEqual(['pages/x.md -> pages/a___b.md x1'])
  })

  test('in Logseq, a page name cannot contain what a link cannot contain', async () => {
    await refuse({ 'pages/x.md': '' }, create('C#H'), { code: 'INVALID_PARAMS', message: /links cannot contain/ }, LOGSEQ)
  })

  test('in Logseq, a page name that is too long is shown as written', async () => {
    const name = '??'.repeat(60)
    const expected = { code: 'INVALID_PARAMS', message: expect.stringContaining(`"${name}"`), hint: 'Use a shorter name.' }
    await refuse({ 'pages/x.md': '' }, create(name), expected, LOGSEQ)
  })

  test('in Logseq, later operations find a new page by its name', async () => {
    const operations: readonly Operation[] = [
      create('a/b'),
      create('c', { relations: { up: 'a/b' } }),
      { kind: 'manageTags', id: 'A/B', add: ['x'], remove: [] },
    ]
    const expected = { 'pages/a___b.md': '---\ntags:\n  - x\n---\n# A\n', 'pages/c.md': '---\nup: "[[a/b]]"\n---\n# A\n' }
    await check({ 'pages/x.md': '' }, operations, expected, LOGSEQ)
  })

  test('in Logseq, a new folder takes notes', async () => {
    const operations = [{ kind: 'createFolder', path: 'a' } as const, create('a/b')]
    await check({ 'pages/x.md': '' }, operations, { 'a/b.md': '# A\n' }, LOGSEQ)
  })

  test.each([
    ['a/B', 'pages/a%2Fb.md', ''],
    ['A/b', 'pages/foo.md', 'title:: a/b\n'],
    ['2025-01-30', 'journals/2025-01-30.md', ''],
    ['pages/Jan 30th, 2025', 'journals/2025_01_30.md', ''],
  ])('in Logseq, %s is not created beside the page of that name', async (id, path, text) => {
    await refuse(
      { 'pages/x.md': '', [path]: text },
      create(id),
      { code: 'NODE_EXISTS', candidates: [path.toLowerCase()] },
      LOGSEQ,
    )
  })

  test('in Logseq, a relation links to a page by its name', async () => {
    const files = { 'pages/a___b.md': '', 'pages/C%23.md': '' }
    const expected = { 'pages/new.md': '---\nup: "[[a/b]]"\nis: "[[C#]]"\n---\n# A\n' }
    await check(files, create('new', { relations: { up: 'pages/a___b', is: 'pages/C%23' } }), expected, LOGSEQ)
  })

  test('in Logseq, a page goes to the root if there is no folder for pages, and never beside a page of its name', async () => {
    await check({ 'x.md': '' }, create('Page'), { 'Page.md': '# A\n' }, LOGSEQ)
    await check({ 'x.md': '' }, create('a/b'), { 'a___b.md': '# A\n' }, LOGSEQ)
    await refuse({ 'x.md': '', 'pages/y.md': '' }, create('X'), { code: 'NODE_EXISTS' }, LOGSEQ)
  })

  test.each<[string, Record<string, string>, string]>([
    ['most paths have capitals', { 'a.md': '', 'B.md': '', 'Notes/c.md': '' }, 'New/My Idea.md'],
    ['the only note has a capital', { 'Home.md': '' }, 'New/My Idea.md'],
    ['the others are in a script without case', { '会议/记录.md': '', 'ملاحظة.md': '', 'GPT 笔记.md': '' }, 'New/My Idea.md'],
    ['the others are digits', { '2024/01-02.md': '', 'Ärger.md': '' }, 'New/My Idea.md'],
    ['most paths are in lower case', { 'a.md': '', 'b.md': '', 'README.md': '' }, 'new/my idea.md'],
    ['as many paths have capitals as not', { 'a.md': '', 'B.md': '' }, 'new/my idea.md'],
    ['only attachments have capitals', { 'a.md': '', 'B.png': '', 'C.png': '' }, 'new/my idea.md'],
    ['no path has a letter with two cases', { '会议.md': '', '2024.md': '' }, 'new/my idea.md'],
    ['the vault is empty', {}, 'new/my idea.md'],
  ])('keeps the spelling or converts it to lower case where %s, and reports it', async (_, files, path) => {
    const { result } = await check(files, create('New/My Idea'), { [path]: '# A\n' }, { spelling: 'auto' })
    const isLower = path === path.toLowerCase()
    expect(result.notes).toEqual(
      isLower ? [`The name is in lower case: "${path}". To keep capitals, set files.case to preserve.`] : [],
    )
  })

  test('reports lower-casing once for a batch, and not for names without capitals', async () => {
    const expected = { 'x/one.md': '# A\n', 'two.md': '# A\n', 'three.md': '# A\n' }
    const { result } = await check({}, [create('X/One'), create('two'), create('Three')], expected, { spelling: 'auto' })
    expect(result.notes).toEqual(['2 names are in lower case: "x/one.md", …. To keep capitals, set files.case to preserve.'])
  })

  test('lower-cases only new notes: folders, moves, titles and copies keep their spelling', async () => {
    const operations: readonly Operation[] = [
      { kind: 'createFolder', path: 'New Ideas' },
      { kind: 'move', id: 'a', to: 'New Ideas/Great Idea' },
      { kind: 'update', id: 'b', title: 'Better Idea', updateLinks: false },
      { kind: 'move', id: 'old/', to: 'Old Ideas' },
      { kind: 'clone', id: 'new ideas/great idea', folder: 'Copies' },
    ]
    const files = { 'a.md': '', 'b.md': '', 'old/c.md': '' }
    const { result } = await check(
      files,
      operations,
      {
        'a.md': null,
        'b.md': null,
        'old/c.md': null,
        'New Ideas/Great Idea.md': '',
        'Better Idea.md': '',
        'Old Ideas/c.md': '',
        'Copies/Great Idea.md': '---\ncloneOf:\n  - "[[New Ideas/Great Idea]]"\n---\n![[New Ideas/Great Idea]]\n',
      },
      { spelling: 'auto' },
    )
    expect(result.notes).toEqual([])
  })

  test('an existing note in another case counts as existing', async () => {
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
    ['a name that several notes have', ['old/bob'], 'up:\n  - "[[old/bob]]"'],
    ['a missing note', 'nobody', 'up: "[[nobody]]"'],
    ['a link with a heading', '[[ann#Work|her work]]', 'up: "[[ann#Work|her work]]"'],
  ])('relates to %s', async (name, target, line) => {
    const { result } = await check(PEOPLE, create('a', { relations: { up: target } }), { 'a.md': `---\n${line}\n---\n# A\n` })
    const leadsNowhere = name === 'a missing note' || name === 'a link with a heading'
    expect(result.notes).toHaveLength(leadsNowhere ? 1 : 0)
  })

  test.each([['bob'], ['twice']])('an ambiguous relation %j is an error', async (name) => {
    await refuse(PEOPLE, create('a', { relations: { up: name } }), {
      code: 'AMBIGUOUS_NAME',
      candidates: [expect.stringContaining('/'), expect.stringContaining('/')],
    })
  })

  test('keeps links that now lead to a new note, and names them', async () => {
    const files = { 'f/sub/a.md': 'the other', 'b.md': 'to [[a]]', 'c.md': '\n[[new]]' }
    const { vault, result } = await check(files, [create('a'), create('new')], { 'a.md': '# A\n', 'new.md': '# A\n' })
    expect(result.dangling).toEqual([{ path: 'b.md', line: 1, text: 'a', reason: 'it now leads to "a.md"' }])
    expect(await vault.edges()).toEqual(['b.md -> a.md x1', 'c.md -> new.md x1'])
  })
})

describe('refused notes', () => {
  const FILES = { 'a.md': 'A', 'Sub/B.md': 'B', 'pic.png': 'P', '.gitignore': 'hidden*\n', 'hidden.md': 'H', 'drafts/x.md': 'X' }
  test.each<[string, CreateNote, object]>([
    ['an existing note', create('a'), { code: 'NODE_EXISTS', candidates: ['a.md'] }],
    ['a twin of a note', create('sub/b'), { code: 'NODE_EXISTS', candidates: ['sub/b.md'] }],
    ['an ignored file', create('hidden'), { code: 'NODE_EXISTS' }],
    ['a path below a file', create('a.md/b'), { code: 'NODE_EXISTS' }],
    ['an ignored folder', create('drafts/y'), { code: 'PERMISSION_DENIED' }],
    ["Obsidian's settings folder", create('.obsidian/y'), { code: 'PERMISSION_DENIED' }],
    ['the trash', create('.trash/y'), { code: 'PERMISSION_DENIED' }],
    ['outside the vault', create('../y'), { code: 'PERMISSION_DENIED' }],
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
    ['with the name of a device', create('con'), { code: 'INVALID_PARAMS', hint: 'Use "con_.md".' }],
    ['in a folder with the name of a device', create('aux/b'), { code: 'INVALID_PARAMS' }],
    ['with a trailing space', create('a '), { code: 'INVALID_PARAMS' }],
    ['with a name that is too long', create('x'.repeat(300)), { code: 'INVALID_PARAMS' }],
    ['with half a surrogate pair', create('a\ud800'), { code: 'INVALID_PARAMS' }],
    ['with a title that is too long', create('y', { title: 'x'.repeat(201) }), { code: 'TOO_LARGE' }],
    ['with content that is too large', create('y', { content: 'x'.repeat((1 << 20) + 1) }), { code: 'TOO_LARGE' }],
    ['with broken frontmatter', create('y', { content: '---\na: [\n---\n' }), { code: 'INVALID_PARAMS' }],
    ['with an invalid tag', create('y', { tags: ['a b'] }), { code: 'INVALID_PARAMS' }],
    ['with a relation that a link cannot contain', create('y', { relations: { up: 'a]]b' } }), { code: 'INVALID_PARAMS' }],
  ])('%s', async (_, operation, error) => {
    await refuse(FILES, operation, error)
  })

  test('a path through a symbolic link', async () => {
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
