import { describe, expect, test } from 'vitest'
import type { UpdateNote } from '../../../src/core/operations.ts'
import { bytes, sha } from '../rig.ts'
import { check, type Difference, refuse } from './checked.ts'

const update = (more: Partial<UpdateNote>): UpdateNote => ({ kind: 'update', id: 'a', updateLinks: false, ...more })

const NOTE = '---\ntags: [x]\nk: v # kept\n---\n# A\n\none\n\n## B\ntwo\n'

describe('updating a note', () => {
  test.each<[string, Partial<UpdateNote>, string]>([
    ['replaces the body', { content: 'new\n' }, '---\ntags: [x]\nk: v # kept\n---\nnew\n'],
    ['appends', { append: 'three' }, `${NOTE}\nthree\n`],
    ['prepends', { prepend: 'zero' }, NOTE.replace('# A', 'zero\n\n# A')],
    ['replaces text', { replaceText: { find: 'o', replace: '0', count: 2 } }, NOTE.replace('one', '0ne').replace('two', 'tw0')],
    ['replaces a section', { section: ['B'], content: 'three' }, NOTE.replace('two', 'three')],
    ['inserts after a section', { section: ['A', 'B'], mode: 'insert_after', content: '## C' }, `${NOTE}\n## C\n`],
    ['sets tags', { tags: ['z'] }, NOTE.replace('[x]', '[z]')],
    ['sets properties', { properties: { k: null, n2: 2 } }, NOTE.replace('k: v # kept', 'n2: 2')],
    ['sets relations', { relations: { up: 'b' } }, NOTE.replace('# kept', '# kept\nup: "[[b]]"')],
    [
      'combines all members',
      { content: 'x\n', append: 'z', prepend: 'w', tags: ['x', 'z'], properties: { k: 1 }, relations: { up: ['b'] } },
      '---\ntags: [x, z]\nk: 1 # kept\nup:\n  - "[[b]]"\n---\nw\n\nx\n\nz\n',
    ],
    ['renames a note without backlinks', { title: 'New Name' }, ''],
  ])('%s', async (_, members, expected) => {
    const difference: Difference =
      members.title === undefined ? { 'a.md': expected } : { 'a.md': null, [`${members.title}.md`]: NOTE }
    await check({ 'a.md': NOTE, 'b.md': '' }, update(members), difference)
  })

  test.each([
    ['```\ncode\n', 'x', true],
    ['<!-- a\n', 'x', true],
    ['```\ncode\n', '```', false],
    ['```\ncode\n```\n', '```\nopen', false],
    ['- a\n\n| b |\n|---|\n', 'x', false],
  ])('says when appended text becomes part of an open block: %j and %j', async (text, append, isSaid) => {
    const { result } = await check({ 'a.md': text }, update({ append }), { 'a.md': expect.any(String) })
    const notes = result.notes.filter((note) => note.includes('the appended text is part of it'))
    expect(notes).toHaveLength(isSaid ? 1 : 0)
  })

  test('keeps every other byte: byte order mark, line endings, invalid UTF-8', async () => {
    const raw = Buffer.concat([bytes('\ufeff---\r\nk:   v\r\n---\r\none '), Buffer.from([0xff, 0xfe]), bytes('\r\n\ttwo  ')])
    const { vault } = await check({ 'a.md': raw }, update({ append: 'end', properties: { n2: 2 } }), {
      'a.md': expect.any(String),
    })
    const expected = Buffer.concat([
      bytes('\ufeff---\r\nk:   v\r\nn2: 2\r\n---\r\none '),
      Buffer.from([0xff, 0xfe]),
      bytes('\r\n\ttwo  \r\n\r\nend'),
    ])
    expect(vault.raw('a.md')).toBe(expected.toString('latin1'))
  })

  test.each(['utf16le', 'utf16be'])('refuses to edit a note in %s, because a file cannot mix encodings', async (encoding) => {
    const little = Buffer.from('\ufeff# A\n\none\n', 'utf16le')
    const raw = encoding === 'utf16le' ? little : Buffer.from(little).swap16()
    for (const member of [{ append: 'end' }, { content: 'new' }, { properties: { n2: 2 } }])
      await refuse({ 'a.md': raw }, update(member), {
        code: 'EDIT_MISMATCH',
        message: expect.stringContaining('UTF-16'),
        hint: expect.stringContaining('UTF-8'),
      })
    await check({ 'a.md': raw }, { kind: 'move', id: 'a', to: 'sub/a.md' }, { 'a.md': null, 'sub/a.md': expect.any(String) })
  })

  test('writes nothing if nothing changes', async () => {
    const { result } = await check({ 'a.md': NOTE }, update({ tags: ['x'] }), {})
    expect(result).toMatchObject({ files: [], subjects: ['a.md'], diff: '' })
    expect(result.changeId).toBeUndefined()
  })

  test('accepts a matching hash in any case', async () => {
    await check({ 'a.md': 'A' }, update({ content: 'B', expectedHash: sha('A').toUpperCase() }), { 'a.md': 'B' })
  })

  test('updates one of several twins by hash', async () => {
    const twins = { 'a.md': 'one', 'A.md': 'two' }
    await check(twins, update({ id: 'A.md', content: 'B', expectedHash: sha('two') }), { 'A.md': 'B' })
    await check(twins, update({ id: 'a', content: 'B', expectedHash: sha('one') }), { 'a.md': 'B' })
  })

  test('a removed alias reports its links, or rewrites them', async () => {
    const files = { 'a.md': '---\naliases: [Old]\n---\n', 'b.md': 'see [[Old]]' }
    const { result } = await check(files, update({ properties: { aliases: ['New'] } }), { 'a.md': '---\naliases: [New]\n---\n' })
    expect(result.dangling).toEqual([{ path: 'b.md', line: 1, text: 'Old', reason: 'nothing has this name anymore' }])
    const followed = { 'a.md': '---\naliases: [New]\n---\n', 'b.md': 'see [[a|Old]]' }
    const { vault } = await check(files, update({ properties: { aliases: ['New'] }, updateLinks: true }), followed)
    expect(await vault.edges()).toEqual(['b.md -> a.md x1'])
  })
})

describe('changing the title', () => {
  test('rewrites links if allowed', async () => {
    const files = {
      'f/a.md': '---\ntitle: Old\n---\n[[a#x]]',
      'b.md': '[[a|shown]] ![x](f/a.md#y)',
      'c.canvas': '{"nodes":[{"type":"file","file":"f/a.md"}]}',
    }
    const { vault, result } = await check(files, update({ id: 'f/a', title: 'New: Name'.replace(':', ','), updateLinks: true }), {
      'f/a.md': null,
      'f/New, Name.md': '---\ntitle: New, Name\n---\n[[New, Name#x]]',
      'b.md': '[[New, Name|shown]] ![x](f/New,%20Name.md#y)',
      'c.canvas': '{"nodes":[{"type":"file","file":"f/New, Name.md"}]}',
    })
    expect(await vault.edges()).toHaveLength(3)
    expect(result.files.find(({ from }) => from === 'b.md')?.relinked).toHaveLength(2)
  })

  test('a new title is refused if links would break, with the linking notes', async () => {
    const files = { 'a.md': '', 'b.md': '[[a]]', 'C.md': '[[a]]', 'd.md': '[[b]]' }
    await refuse(files, update({ title: 'x' }), { code: 'LINK_INTEGRITY', candidates: ['b.md', 'c.md'] })
  })

  test('a new title may differ only in case, without rewriting links', async () => {
    await check({ 'a.md': '[[a]]', 'b.md': '[[a]]' }, update({ title: 'A', updateLinks: true }), {
      'a.md': null,
      'A.md': '[[a]]',
    })
  })

  test("a title that equals the file's name changes only the note itself", async () => {
    await check({ 'a.md': '---\ntitle: Old\n---\n', 'b.md': '[[a]]' }, update({ title: 'a' }), { 'a.md': '---\ntitle: a\n---\n' })
  })

  test('changes the first heading in a docs vault', async () => {
    const files = { 'a.md': '# Old\ntext', 'b.md': '[a](a.md#old)' }
    await check(
      files,
      update({ title: 'New', updateLinks: true }),
      { 'a.md': null, 'New.md': '# New\ntext', 'b.md': expect.stringContaining('New.md') },
      { mode: 'docs' },
    )
  })

  test('renames the page in Logseq', async () => {
    const { vault } = await check(
      { 'pages/a.md': '---\ntitle: Old\n---\n- x', 'pages/b.md': '- [[Old]]' },
      update({ id: 'pages/a', title: 'New', updateLinks: true }),
      { 'pages/a.md': null, 'pages/New.md': '---\ntitle: New\n---\n- x', 'pages/b.md': '- [[New]]' },
      { mode: 'logseq' },
    )
    expect(await vault.edges()).toEqual(['pages/b.md -> pages/new.md x1'])
  })

  test.each([
    ['c/d', 'pages/c___d.md', '#c/d'],
    ['c', 'pages/c.md', '#c'],
    ['Why? 50%20', 'pages/Why%3F 50%2520.md', '#[[Why? 50%20]]'],
    ['c___d', 'pages/c%5F%5F%5Fd.md', '#c___d'],
    ['C#/F# notes', 'pages/C%23___F%23 notes.md', '#[[C#/F# notes]]'],
  ])('renames a namespaced page in Logseq to %s', async (title, path, tag) => {
    const journal = (name: string, label: string) =>
      `- [[${name}]] [text]([[${name}]]) ${label} [[a/b/c]] #a/b/c [[a]]\nkey:: [[${name}]]\n`
    const { vault } = await check(
      { 'pages/a___b.md': '- x', 'pages/a___b___c.md': '', 'journals/2025_01_30.md': journal('a/b', '#a/b') },
      update({ id: 'pages/a___b', title, updateLinks: true }),
      { 'pages/a___b.md': null, [path]: '- x', 'journals/2025_01_30.md': journal(title, tag) },
      { mode: 'logseq' },
    )
    expect(await vault.edges()).toContain(`journals/2025_01_30.md -> ${path.toLowerCase()} x${tag.startsWith('#[[') ? 4 : 3}`)
  })

  test('names the Logseq pages below a renamed page, which keep their names', async () => {
    const below = { 'pages/A___b.md': '', 'pages/x.md': 'title:: a/c/d\n', 'pages/ab.md': '' }
    const rename = (id: string, path: string, title: string) =>
      check(
        { 'pages/a.md': '- x', ...below },
        update({ id, title }),
        { [path]: null, [`pages/${title}.md`]: expect.any(String) },
        { mode: 'logseq' },
      )
    const { result } = await rename('pages/a', 'pages/a.md', 'c')
    expect(result.notes).toEqual(['2 pages below "a" keep their names: "A/b", "a/c/d".'])
    expect((await rename('pages/ab', 'pages/ab.md', 'c')).result.notes).toEqual([])
    expect((await rename('pages/a', 'pages/a.md', 'A')).result.notes).toEqual([])
  })

  test('renames a Logseq page with a # in its name', async () => {
    await check(
      { 'pages/C%23.md': '- x', 'pages/b.md': '- [[C#]] #[[C#]] [[C#H]] [[C]]\n' },
      update({ id: 'pages/C%23', title: 'D', updateLinks: true }),
      { 'pages/C%23.md': null, 'pages/D.md': '- x', 'pages/b.md': '- [[D]] #[[D]] [[C#H]] [[C]]\n' },
      { mode: 'logseq' },
    )
  })

  test.each([
    ['a/B', 'pages/a%2Fb.md', ''],
    ['A/b', 'pages/foo.md', 'title:: a/b\n'],
    ['Jan 30th, 2025', 'journals/2025_01_30.md', ''],
    ['2025_01_30', 'journals/2025-01-30.md', ''],
  ])('does not rename a Logseq page to %s beside the page of that name', async (title, path, text) => {
    await refuse(
      { 'pages/x.md': '', [path]: text },
      update({ id: 'pages/x', title }),
      { code: 'NODE_EXISTS', candidates: [path.toLowerCase()] },
      { mode: 'logseq' },
    )
  })

  test.each([
    ['pages/a%2Fb.md', '', 'A/b', 'pages/A___b.md', ''],
    ['pages/foo.md', 'title:: x\n', 'foo', 'pages/foo.md', 'title:: foo\n'],
    ['journals/2025_01_30.md', '', 'Jan 30th, 2025', 'journals/Jan 30th, 2025.md', ''],
  ])('renames the Logseq page %s with %j to another of its own names, %s', async (path, text, title, to, expected) => {
    await check({ [path]: text }, update({ id: path, title }), { [path]: null, [to]: expected }, { mode: 'logseq' })
  })

  test('a Logseq page that shares its name with another keeps it', async () => {
    const files = { 'pages/a___b.md': '', 'pages/foo.md': 'title:: a/b\n' }
    await check(files, update({ id: 'pages/a___b', title: 'a/b', append: 'x' }), { 'pages/a___b.md': 'x' }, { mode: 'logseq' })
  })

  test('two Logseq pages exchange their names', async () => {
    const rename = (id: string, title: string) => update({ id, title })
    await check(
      { 'pages/a.md': 'A', 'pages/b.md': 'B' },
      [rename('pages/a', 'c'), rename('pages/b', 'a'), rename('pages/c', 'b')],
      { 'pages/a.md': 'B', 'pages/b.md': 'A' },
      { mode: 'logseq' },
    )
  })

  test('a page name that is too long in Logseq is shown as written', async () => {
    const title = '??'.repeat(60)
    const expected = { code: 'INVALID_PARAMS', message: expect.stringContaining(`"${title}"`), hint: 'Use a shorter name.' }
    await refuse({ 'pages/a.md': '' }, update({ id: 'pages/a', title }), expected, { mode: 'logseq' })
  })

  test.each(['a//b', '/b', 'b/', 'a/../b'])('refuses %j as the name of a Logseq page', async (title) => {
    await refuse({ 'pages/a.md': '' }, update({ id: 'pages/a', title }), { code: /./ }, { mode: 'logseq' })
  })
})

describe('properties in the first block of a Logseq page', () => {
  const logseq = { mode: 'logseq' } as const
  const PAGE = 'title:: Old\ntags:: x, [[y]], [[two words]]\ntype:: book\n\n- text\n'
  test.each<[string, Partial<UpdateNote>, string]>([
    ['are set there', { properties: { Type: 'film', k: 1 } }, PAGE.replace('book', 'film\nk:: 1')],
    ['are added after a removed one', { properties: { type: null, k: [1, 'a'] } }, PAGE.replace('type:: book', 'k:: 1, a')],
    ['take relations', { relations: { up: 'a' } }, PAGE.replace('book', 'book\nup:: [[Old]]')],
    ['take a list', { properties: { type: ['[[book]]', 'film'] } }, PAGE.replace('book', '[[book]], film')],
    ['are removed', { properties: { type: null } }, PAGE.replace('type:: book\n', '')],
    ['have the tags', { tags: ['z', 'y'] }, PAGE.replace('x, [[y]], [[two words]]', '[[y]], [[two words]], z')],
    ['lose the last tag', { tags: [] }, PAGE.replace('x, [[y]], [[two words]]', '[[two words]]')],
  ])('%s', async (_, members, expected) => {
    await check({ 'a.md': PAGE }, update(members), { 'a.md': expected }, logseq)
  })

  test('are set in a bullet, and with Windows line endings', async () => {
    const text = '- title:: Old\r\n  type:: book\r\n- text\r\n'
    await check({ 'a.md': text }, update({ properties: { type: 'film' } }), { 'a.md': text.replace('book', 'film') }, logseq)
    await check(
      { 'a.md': text },
      update({ properties: { type: null } }),
      { 'a.md': text.replace('  type:: book\r\n', '') },
      logseq,
    )
    await check({ 'a.md': text }, update({ properties: { title: null } }), { 'a.md': text.replace('title:: Old', '') }, logseq)
  })

  test('are added in a bullet, at the end of the file, and to frontmatter if there is one', async () => {
    const add = update({ properties: { k: 1 }, tags: ['x'] })
    const checkAdded = (text: string, expected: string) => check({ 'a.md': text }, add, { 'a.md': expected }, logseq)
    await checkAdded('- type:: book\r\n- text\r\n', '- type:: book\r\n  tags:: x\r\n  k:: 1\r\n- text\r\n')
    await checkAdded('type:: book', 'type:: book\ntags:: x\nk:: 1')
    await checkAdded('---\na: 1\n---\ntype:: book\n', '---\na: 1\ntags:\n  - x\nk: 1\n---\ntype:: book\n')
  })

  test.each([
    ['a:: 1\nb:: 2', 'a:: 1\nc:: 3'],
    ['a:: 1\r\nx:: 1\r\nb:: 2 ', 'a:: 1\r\nc:: 3 '],
    ['b:: 2', 'c:: 3'],
    ['- b:: 2', '- c:: 3'],
    ['- a:: 1\r\n  b:: 2\r\n- text\r\n', '- a:: 1\r\n  c:: 3\r\n- text\r\n'],
  ])('take the place of the last one: %j', async (text, expected) => {
    await check({ 'a.md': text }, update({ properties: { b: null, x: null, c: 3 } }), { 'a.md': expected }, logseq)
  })

  test('gain and lose tags', async () => {
    const manage = { kind: 'manageTags', id: 'a', add: ['z'], remove: ['x'] } as const
    await check({ 'a.md': PAGE }, manage, { 'a.md': PAGE.replace('x, [[y]], [[two words]]', '[[y]], [[two words]], z') }, logseq)
  })

  test('have tags in several lines', async () => {
    const text = 'Tags:: a,b\ntype:: book\ntag:: b, [[two words]]\ntag:: c\n'
    const checkTags = (tags: readonly string[], expected: string) =>
      check({ 'a.md': text }, update({ tags }), { 'a.md': expected }, logseq)
    await checkTags(['d', 'c'], 'Tags:: d\ntype:: book\ntag:: [[two words]]\ntag:: c\n')
    await checkTags(['a', 'b'], 'Tags:: a,b\ntype:: book\ntag:: b, [[two words]]\n')
    const manage = { kind: 'manageTags', id: 'a', add: [], remove: ['b'] } as const
    await check({ 'a.md': text }, manage, { 'a.md': text.replace('a,b', 'a').replace('b, [[', '[[') }, logseq)
  })

  test('have one line each', async () => {
    for (const value of ['a\nb', { a: 1 }])
      await refuse({ 'a.md': PAGE }, update({ properties: { type: value } }), { code: 'INVALID_PARAMS' }, logseq)
    await refuse({ 'a.md': PAGE }, update({ properties: { 'two words': 1 } }), { code: 'INVALID_PARAMS' }, logseq)
  })

  test('a new title is written there, and links and tags follow it', async () => {
    await check(
      { 'pages/a.md': PAGE, 'pages/n.md': 'tags:: old\n\n- [[Old]] #old #[[Old]] #a\n' },
      update({ id: 'pages/a', title: 'New', updateLinks: true }),
      {
        'pages/a.md': null,
        'pages/New.md': PAGE.replace('Old', 'New'),
        'pages/n.md': 'tags:: New\n\n- [[New]] #New #[[New]] #New\n',
      },
      logseq,
    )
  })
})

describe('refused updates', () => {
  const FILES = {
    'a.md': NOTE,
    'b.md': '',
    'p.png': 'P',
    'T.md': 'one',
    't.md': 'two',
    'hidden/.x': '',
    'bad.md': '---\na: [\n---\n',
  }
  test.each<[string, Partial<UpdateNote>, object]>([
    ['of an unknown note', { id: 'nope', content: '' }, { code: 'NODE_NOT_FOUND' }],
    ['outside the vault', { id: '../a', content: '' }, { code: 'PERMISSION_DENIED' }],
    ["in Obsidian's settings folder", { id: '.obsidian/app.json', content: '' }, { code: 'PERMISSION_DENIED' }],
    ['of an attachment', { id: 'p.png', content: '' }, { code: 'INVALID_PARAMS' }],
    ['without members', {}, { code: 'INVALID_PARAMS' }],
    ['with only a mode', { mode: 'append', section: ['A'] }, { code: 'INVALID_PARAMS' }],
    ['in a section without content', { section: ['A'], append: 'x' }, { code: 'INVALID_PARAMS' }],
    ['in an unknown section', { section: ['Bee'], content: '' }, { code: 'SECTION_NOT_FOUND' }],
    ['with more matches than expected', { replaceText: { find: 'o', replace: '', count: 1 } }, { code: 'EDIT_MISMATCH' }],
    [
      'with an outdated hash',
      { content: '', expectedHash: sha('old') },
      { code: 'CONFLICT', candidates: [`partial:${sha(NOTE)}`, sha('old')] },
    ],
    ['of an ambiguous twin', { id: 't', content: '' }, { code: 'INVALID_PARAMS' }],
    ["with the other twin's hash", { id: 't', content: '', expectedHash: sha('one') }, { code: 'CONFLICT' }],
    ['with frontmatter as content', { content: '---\na: 1\n---\n' }, { code: 'INVALID_PARAMS' }],
    ['of a property in broken frontmatter', { id: 'bad', properties: { b: 1 } }, { code: 'EDIT_MISMATCH' }],
    ['with one invalid member', { content: 'new', tags: ['a b'] }, { code: 'INVALID_PARAMS' }],
    ['with a title that is a path', { title: 'f/x' }, { code: 'INVALID_PARAMS' }],
    ['with a title that another file has', { title: 'B' }, { code: 'NODE_EXISTS' }],
    ['with an empty title', { title: ' ' }, { code: 'INVALID_PARAMS' }],
    ['with a title that links cannot contain', { title: 'a#b' }, { code: 'INVALID_PARAMS', hint: 'Use "a-b.md".' }],
    ['with a title of dots', { title: '..' }, { code: 'PERMISSION_DENIED' }],
    ['with a title of two lines', { title: 'a\nb' }, { code: 'INVALID_PARAMS' }],
    ['with a title that is too long', { title: 'x'.repeat(201) }, { code: 'TOO_LARGE' }],
    ['with too much appended', { append: 'x'.repeat((1 << 20) + 1) }, { code: 'TOO_LARGE' }],
  ])('refuses an update %s', async (_, members, error) => {
    await refuse(FILES, update(members), error)
  })
})
