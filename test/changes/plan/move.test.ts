import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { planOperations } from '../../../src/changes/plan/plan-operations.ts'
import type { Operation } from '../../../src/core/operations.ts'
import { writable } from '../../support/writable-vault.ts'
import { sha } from '../rig.ts'
import { attachmentVault } from './attachment-vault.ts'
import { check, type Difference, refuse } from './checked.ts'

const move = (id: string, to: string, expectedHash?: string): Operation => ({
  kind: 'move',
  id,
  to,
  ...(expectedHash === undefined ? {} : { expectedHash }),
})

describe('renaming a Logseq page', () => {
  const mode = { mode: 'logseq' } as const

  test('renames tags with its name, also in properties and canvases, and keeps links to their headings', async () => {
    const { result } = await check(
      {
        'pages/a___b.md': '- x\n',
        'pages/a___b___c.md': '- y\n',
        'pages/n.md': 'tags:: a/b, z\n\n- #a/b, #A/B #a/b/c [[a/b]]\n- # On #a/b\n',
        'journals/2025_01_30.md': '- [[n#On a/b]]\n',
        'map.canvas': '{"nodes":[{"type":"text","text":"\\"#a/b\\""}, {"type":"text","text":"#a/b"}]}',
      },
      move('pages/a___b', 'pages/c___d.md'),
      {
        'pages/a___b.md': null,
        'pages/c___d.md': '- x\n',
        'pages/n.md': 'tags:: c/d, z\n\n- #c/d, #c/d #a/b/c [[c/d]]\n- # On #c/d\n',
        'journals/2025_01_30.md': '- [[n#On c/d]]\n',
        'map.canvas': '{"nodes":[{"type":"text","text":"\\"#a/b\\""}, {"type":"text","text":"#c/d"}]}',
      },
      mode,
    )
    expect(result.notes).toEqual([])
    const [note] = result.files.filter(({ from }) => from === 'pages/n.md')
    expect(note?.relinked.map(({ line, before, after }) => `${line} ${before} ${after}`)).toContain('3 #a/b #c/d')
  })

  test.each<[string, Record<string, string>, readonly Operation[]]>([
    ['moving', { 'pages/a%2Fb.md': '', 'pages/x.md': '' }, [move('pages/x', 'pages/a___b.md')]],
    ['moving to another folder', { 'pages/a%2Fb.md': '', 'pages/x.md': '' }, [move('pages/x', 'notes/a___b.md')]],
    [
      'creating in another folder',
      { 'pages/a%2Fb.md': '', 'notes/y.md': '' },
      [{ kind: 'create', id: 'notes/a___b', content: '' }],
    ],
    ['creating with a title', { 'pages/a%2Fb.md': '' }, [{ kind: 'create', id: 'x', content: '', title: 'A/b' }]],
    [
      'setting a title',
      { 'pages/a%2Fb.md': '', 'pages/x.md': '' },
      [{ kind: 'update', id: 'pages/x', properties: { title: 'a/b' }, updateLinks: false }],
    ],
    [
      'setting the title of a page with links',
      { 'pages/a%2Fb.md': '', 'pages/x.md': '', 'pages/y.md': '[[x]]' },
      [{ kind: 'update', id: 'pages/x', title: 'A/b', updateLinks: false }],
    ],
    ['restoring', { 'pages/a%2Fb.md': '', '.trash/pages/a___b.md': '' }, [{ kind: 'restore', id: 'pages/a___b.md' }]],
    [
      'restoring a title',
      { 'pages/a%2Fb.md': '', '.trash/pages/x.md': 'title:: a/b\n' },
      [{ kind: 'restore', id: 'pages/x.md' }],
    ],
    [
      'restoring what the same request deleted',
      { 'pages/a%2Fc.md': '', 'pages/a___b.md': '' },
      [{ kind: 'delete', id: 'pages/a___b' }, move('pages/a%2Fc', 'pages/a%2Fb.md'), { kind: 'restore', id: 'pages/a___b.md' }],
    ],
  ])('%s makes no second page of the same name', async (_, files, operations) => {
    const choice = operations.some(({ kind }) => kind === 'restore') ? 'First' : 'Choose another name, or first'
    const hint = `Logseq has one page for each name. ${choice} rename or delete the existing page.`
    await refuse(files, operations, { code: 'NODE_EXISTS', candidates: ['pages/a%2fb.md'], hint }, mode)
  })

  test.each([
    ['pages/x', 'notes', 'notes/x 1.md', 'x'],
    ['pages/a___b', 'pages', 'pages/a___b 1.md', 'a/b'],
    ['pages/t', 'notes', 'notes/t 1.md', 'T one'],
  ])('a clone of %s is a page with a name of its own', async (id, folder, path, name) => {
    const files = { 'pages/a___b.md': '', 'pages/t.md': 'title:: T one\n', 'pages/x.md': '', 'notes/y.md': '' }
    const text = `---\ncloneOf:\n  - "[[${name}]]"\n---\n- {{embed [[${name}]]}}\n`
    await check(files, { kind: 'clone', id, folder }, { [path]: text }, mode)
  })

  test('writes a name that is not a tag in brackets', async () => {
    await check(
      { 'pages/a.md': '', 'pages/n.md': '- #a and text\n' },
      move('pages/a', 'pages/My page.md'),
      { 'pages/a.md': null, 'pages/My page.md': '', 'pages/n.md': '- #[[My page]] and text\n' },
      mode,
    )
  })

  test('renames the tags of pages that swap names', async () => {
    await check(
      { 'pages/a.md': 'A', 'pages/b.md': 'B', 'pages/n.md': '- #a #b\n' },
      [move('pages/a', 'pages/c.md'), move('pages/b', 'pages/a.md'), move('pages/c', 'pages/b.md')],
      { 'pages/a.md': 'B', 'pages/b.md': 'A', 'pages/n.md': '- #b #a\n' },
      mode,
    )
  })

  test('leaves tags alone if the page keeps its name, and in other vaults', async () => {
    const files = { 'pages/a.md': '', 'pages/n.md': '- #a\n' }
    await check(files, move('pages/a', 'notes/a.md'), { 'pages/a.md': null, 'notes/a.md': '' }, mode)
    await check(files, move('pages/a', 'pages/b.md'), { 'pages/a.md': null, 'pages/b.md': '' })
  })

  test('says which tag it cannot rename', async () => {
    const text = '---\ntags: [a, x]\n---\n- b\n'
    const { result } = await check(
      { 'pages/a.md': '', 'pages/n.md': text },
      move('pages/a', 'pages/My page.md'),
      { 'pages/a.md': null, 'pages/My page.md': '' },
      mode,
    )
    expect(result.notes).toEqual(['pages/n.md: the tag on line 2 was not renamed, because the new name is not a tag.'])
  })
})

describe('moving a file', () => {
  test.each<[string, Record<string, string>, Operation, Difference]>([
    ['renames it', { 'a.md': 'A' }, move('a', 'B c'), { 'a.md': null, 'B c.md': 'A' }],
    [
      'into an existing folder, with its spelling',
      { 'a.md': 'A', 'Sub/x.md': '' },
      move('a', 'sub'),
      { 'a.md': null, 'Sub/a.md': 'A' },
    ],
    ['into a new folder', { 'a.md': 'A' }, move('a', 'f/g/'), { 'a.md': null, 'f/g/a.md': 'A' }],
    ['to the root', { 'f/a.md': 'A' }, move('f/a', '/'), { 'f/a.md': null, 'a.md': 'A' }],
    ['changes its case', { 'a.md': '[[a]]', 'b.md': '[[a]]' }, move('a', 'A'), { 'a.md': null, 'A.md': '[[a]]' }],
    [
      'an attachment',
      { 'p.PNG': 'P', 'b.md': '![[p.PNG]] [x](p.PNG)' },
      move('p.png', 'f/q'),
      { 'p.PNG': null, 'f/q.PNG': 'P', 'b.md': '![[q.PNG]] [x](f/q.PNG)' },
    ],
    [
      'a canvas',
      { 'c.canvas': '{"nodes":[{"type":"file","file":"b.md"}]}', 'b.md': '[[c.canvas]]' },
      move('c.canvas', 'f/d.canvas'),
      { 'c.canvas': null, 'f/d.canvas': '{"nodes":[{"type":"file","file":"b.md"}]}', 'b.md': '[[d.canvas]]' },
    ],
    [
      'the background of a group on a canvas',
      { 'p.png': 'P', 'c.canvas': '{"nodes":[{"type":"group","background":"p.png"}]}' },
      move('p.png', 'f/q.png'),
      { 'p.png': null, 'f/q.png': 'P', 'c.canvas': '{"nodes":[{"type":"group","background":"f/q.png"}]}' },
    ],
    [
      'updates links in every form',
      {
        'f/a.md': 'A',
        'b.md': '---\nup: "[[a]]"\n---\n[[a|x]] ![[f/a#h]] [m](f/a.md "T") [r]\n`[[a]]` <!-- [[a]] -->\n\n[r]: f/a.md\n',
        'c.canvas': '{"nodes":[{"type":"file","file":"f/a.md"},{"type":"text","text":"[[a]]"}]}',
      },
      move('f/a', 'g/z'),
      {
        'f/a.md': null,
        'g/z.md': 'A',
        'b.md': '---\nup: "[[z]]"\n---\n[[z|x]] ![[g/z#h]] [m](g/z.md "T") [r]\n`[[a]]` <!-- [[a]] -->\n\n[r]: g/z.md\n',
        'c.canvas': '{"nodes":[{"type":"file","file":"g/z.md"},{"type":"text","text":"[[z]]"}]}',
      },
    ],
    [
      'quotes links in properties if YAML would misread the new name',
      {
        't.md': '',
        'a.md': '---\nup: [[t]] # c\nsee: see [[t]]\nlist:\n  - [[t]]\n  - "[[t]]"\n---\n',
      },
      move('t', 'Tea, black'),
      {
        't.md': null,
        'Tea, black.md': '',
        'a.md':
          '---\nup: "[[Tea, black]]" # c\nsee: see [[Tea, black]]\nlist:\n  - "[[Tea, black]]"\n  - "[[Tea, black]]"\n---\n',
      },
    ],
    [
      'quotes links in properties that YAML could not read with the new name',
      { 't.md': '', 'a.md': '---\nsee: see [[t]]\nup: [[t]]\nrow: [ [[t|a "b"]], x ]\n---\n' },
      move('t', "Tea's {b}"),
      {
        't.md': null,
        "Tea's {b}.md": '',
        'a.md': `---\nsee: see [[Tea's {b}]]\nup: "[[Tea's {b}]]"\nrow: [ "[[Tea's {b}|a \\"b\\"]]", x ]\n---\n`,
      },
    ],
    [
      'to a number as name',
      { 't.md': '', 'a.md': '---\nup: [[t]]\nsee: of [[t]]\n---\n' },
      move('t', '2024'),
      { 't.md': null, '2024.md': '', 'a.md': '---\nup: "[[2024]]"\nsee: of [[2024]]\n---\n' },
    ],
    [
      'updates its own relative links',
      { 'f/a.md': '[b](b.md) ![p](../p.png) [[b]]', 'f/b.md': '', 'p.png': '' },
      move('f/a', 'g/h/'),
      { 'f/a.md': null, 'g/h/a.md': expect.stringMatching(/^\[b\]\(.*b\.md\) !\[p\]\(\.\.\/\.\.\/p\.png\) \[\[b\]\]$/) },
    ],
    [
      'does not take over links to its new name',
      { 'f/a.md': 'one', 'g/h/b.md': 'two', 'c.md': '[[b]] [[a]]' },
      move('f/a', 'b'),
      { 'f/a.md': null, 'b.md': 'one', 'c.md': '[[g/h/b]] [[b]]' },
    ],
    [
      'does not lose links to its old name to another note',
      { 'a.md': 'one', 'f/a.md': 'two', 'c.md': '[[a]]' },
      move('a', 'z'),
      { 'a.md': null, 'z.md': 'one', 'c.md': '[[z]]' },
    ],
    [
      'out of a folder with an unusual name',
      { 'an: b/c.md': 'C' },
      move('an: b/c', 'an: b/d'),
      { 'an: b/c.md': null, 'an: b/d.md': 'C' },
    ],
    [
      'with a name in another Unicode form',
      { 'E\u0301.md': 'E', 'b.md': '[[\u00c9]]' },
      move('\u00e9', 'x'),
      { 'E\u0301.md': null, 'x.md': 'E', 'b.md': '[[x]]' },
    ],
    [
      'with a name that ends in a final sigma',
      { 'ΣΑΣ.md': 'S', 'b.md': '[[ΣΑΣ]]' },
      move('ΣαΣ', 'x'),
      { 'ΣΑΣ.md': null, 'x.md': 'S', 'b.md': '[[x]]' },
    ],
  ])('%s', async (_, files, operation, expected) => {
    const { vault } = await check(files, operation, expected)
    expect((await vault.edges()).filter((edge) => edge.includes('('))).toEqual([])
  })

  test.each([
    ['shortest', '[[z]]'],
    ['relative', '[[../g/z]]'],
    ['absolute', '[[g/z]]'],
  ])('writes %s links if Obsidian is set to', async (newLinkFormat, link) => {
    const settings = JSON.stringify({ newLinkFormat })
    for (const text of [settings, `\ufeff${settings}`]) {
      const files = { 'f/a.md': '', 'f/b.md': '[[a]]', '.obsidian/app.json': text }
      await check(files, move('f/a', 'g/z'), { 'f/a.md': null, 'g/z.md': '', 'f/b.md': link })
    }
  })

  test.each<[string, Record<string, string>, Operation | readonly Operation[], Difference]>([
    [
      'to another folder and name',
      { 'f/s.md': '[a](target.md#h "T") [[target]] [r]\n\n[r]: ./target.md\n', 'f/target.md': '# h\n' },
      move('f/target', 'g/New Target'),
      {
        'f/target.md': null,
        'g/New Target.md': '# h\n',
        'f/s.md': '[a](../g/New%20Target.md#h "T") [[New Target]] [r]\n\n[r]: ../g/New%20Target.md\n',
      },
    ],
    [
      'to a folder where only the application would find it',
      { 's.md': '[a](target.md) ![p](p.png) [[target]]', 'target.md': '', 'p.png': 'P' },
      [move('target', 'g/'), move('p.png', 'g/')],
      {
        's.md': '[a](g/target.md) ![p](g/p.png) [[target]]',
        'target.md': null,
        'g/target.md': '',
        'p.png': null,
        'g/p.png': 'P',
      },
    ],
    [
      'together with the linking note',
      { 's.md': '[a](f/target.md)', 'f/target.md': '' },
      move('s', 'g/h/s'),
      { 's.md': null, 'g/h/s.md': '[a](../../f/target.md)' },
    ],
    [
      'a link by name alone from another folder stays as it is',
      { 'f/s.md': '[a](target.md)', 'g/target.md': '' },
      move('g/target', 'h/other'),
      { 'f/s.md': '[a](other.md)', 'g/target.md': null, 'h/other.md': '' },
    ],
    [
      'Obsidian is set to absolute paths',
      { 'f/s.md': '[a](target.md)', 'f/target.md': '', '.obsidian/app.json': '{"newLinkFormat": "absolute"}' },
      move('f/target', 'g/other'),
      { 'f/s.md': '[a](g/other.md)', 'f/target.md': null, 'g/other.md': '' },
    ],
  ])('every Markdown reader can follow the links: %s', async (_, files, operation, expected) => {
    const { result } = await check(files, operation, expected)
    expect(result.dangling).toEqual([])
  })

  test.each<[string, Operation, readonly string[]]>([
    ['a note', move('f/a', 'g/b'), ['f/s.md:2 a.md', 's.md:1 f/a.md', 's.md:4 /f/a.md']],
    ['a picture', move('f/p.png', 'p.png'), ['f/s.md:3 p.png']],
    ['a folder', move('f', 'g'), ['s.md:1 f/a.md', 's.md:4 /f/a.md']],
    ['the note with the links', move('f/s', 'g/s'), ['g/s.md:2 a.md', 'g/s.md:3 p.png']],
    ['a file that they do not link to', move('x', 'g/x'), []],
  ])('reports HTML links to the old place: %s', async (_, operation, expected) => {
    const files = {
      'f/a.md': '',
      'f/p.png': 'P',
      'f/s.md': 'text\n<a href="a.md#h">a</a> <a href="https://a.md">w</a>\n<img src="p.png"> `<a href="a.md">`\n',
      's.md': "<a href='f/a.md'>a</a> <a href='none.md'>n</a>\n\n<div>\n<a href='/f/a.md'>a</a>\n</div>\n",
      'x.md': '',
    }
    const vault = await writable(files)
    // The clock stands still, so the time limit for searching HTML is never reached.
    vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    const { dangling, notes } = await vault.write(operation)
    expect(dangling.map(({ path, line, text }) => `${path}:${line} ${text}`).sort()).toEqual(expected)
    expect(notes).toHaveLength(expected.length === 0 ? 0 : 1)
    const docs = await writable(files, { mode: 'docs' })
    expect((await docs.write(operation)).notes).toEqual([])
  })

  test('yields to other work while it looks for HTML links', async () => {
    const notes = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.md`, '<a href="t.md">']))
    const { view } = attachmentVault({ ...notes, 't.md': '' })
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    const read = (path: string) => {
      // Reading a file takes a millisecond.
      now += 1
      return view.read(path)
    }
    let turns = 0
    let timer = setImmediate(function take() {
      turns++
      timer = setImmediate(take)
    })
    const { dangling } = await planOperations({ ...view, read }, [move('t', 'u')])
    clearImmediate(timer)
    expect(dangling).toHaveLength(60)
    expect(turns).toBeGreaterThan(0)
  })

  test('moves one of two files whose paths differ only in case', async () => {
    const vault = await writable({ 'a.md': 'one', 'A.md': 'two', 'c.md': '[[a]]' })
    await vault.write(move('A.md', 'b', sha('two')))
    expect(vault.files()).toEqual({ 'a.md': 'one', 'b.md': 'two', 'c.md': '[[a]]' })
  })

  test('moves both files whose paths differ only in case, and undo restores both', async () => {
    const files = { 'a.md': 'one', 'A.md': 'two', 'c.md': '[[a]]' }
    const vault = await writable(files)
    const { changeId = '' } = await vault.write([move('A.md', 'x', sha('two')), move('a.md', 'y', sha('one'))])
    expect(vault.files()).toEqual({ 'x.md': 'two', 'y.md': 'one', 'c.md': '[[y]]' })
    await vault.writes.undo(changeId)
    expect(vault.files()).toEqual(files)
  })
})

describe('moving a folder', () => {
  const FILES = {
    'F/a.md': '[[b]] [c](../c.md) ![p](p.png)',
    'F/sub/b.md': '[a](../a.md)',
    'F/p.png': 'P',
    'F/.hidden': 'H',
    'c.md': '[[F/a]] [[a]]',
    'g/x.md': '',
  }
  test.each<[string, Operation, string, Difference]>([
    ['renames it', move('f', 'H'), 'H', { 'c.md': '[[H/a]] [[a]]' }],
    ['into another folder', move('F', 'g'), 'g/F', {}],
    ['into a new folder', move('F/', 'n/m/'), 'n/m/F', {}],
    ['changes its case', move('F', 'f'), 'f', {}],
  ])('%s', async (_, operation, to, others) => {
    const deep = to.includes('/') ? '../'.repeat(to.split('/').length) : '../'
    const { vault } = await check(FILES, operation, {
      'F/a.md': null,
      'F/sub/b.md': null,
      'F/p.png': null,
      'F/.hidden': null,
      [`${to}/a.md`]: FILES['F/a.md'].replace('../', deep),
      [`${to}/sub/b.md`]: FILES['F/sub/b.md'],
      [`${to}/p.png`]: 'P',
      [`${to}/.hidden`]: 'H',
      ...others,
    })
    const id = to.toLowerCase()
    expect(await vault.edges()).toEqual(
      [
        `${id}/a.md -> ${id}/sub/b.md x1`,
        `${id}/a.md -> c.md x1`,
        `${id}/a.md -> ${id}/p.png x1`,
        `${id}/sub/b.md -> ${id}/a.md x1`,
        `c.md -> ${id}/a.md x2`,
      ].sort(),
    )
  })

  test("a folder's move is a single change on disk", async () => {
    const { vault, result } = await check({ 'f/a.md': '', 'f/b.md': '' }, move('f', 'g'), {
      'f/a.md': null,
      'f/b.md': null,
      'g/a.md': '',
      'g/b.md': '',
    })
    expect(result.files).toHaveLength(2)
    expect((await vault.writes.changes(9)).at(-1)?.files).toEqual([{ kind: 'move', path: 'f', to: 'g' }])
  })
})

describe('refused moves', () => {
  const FILES = {
    'a.md': '[[b]]',
    'b.md': '',
    'F/x.md': '',
    'F/g/y.md': '',
    'h/x.md': '',
    'T.md': '1',
    't.md': '2',
    'drafts/d.md': '',
  }
  test.each<[string, Operation, object]>([
    ['of an unknown note', move('nope', 'x'), { code: 'NODE_NOT_FOUND' }],
    ['onto a note', move('a', 'b'), { code: 'NODE_EXISTS', candidates: ['b.md'] }],
    ['onto a twin', move('a', 'B'), { code: 'NODE_EXISTS' }],
    ['onto itself', move('a', 'a'), { code: 'INVALID_PARAMS' }],
    ['into a folder with a note of this name', move('F/x', 'h'), { code: 'NODE_EXISTS' }],
    ['into itself', move('F', 'F/g/z'), { code: 'INVALID_PARAMS' }],
    ['into the folder itself', move('F', 'F/'), { code: 'INVALID_PARAMS' }],
    ['to where the folder already is', move('F', 'F'), { code: 'INVALID_PARAMS' }],
    ['onto a folder in it', move('F/g', 'h/x.md'), { code: 'NODE_EXISTS' }],
    ['outside', move('a', '../a'), { code: 'PERMISSION_DENIED' }],
    ['to an absolute path', move('a', '/x'), { code: 'PERMISSION_DENIED' }],
    ['into the trash', move('a', '.trash/a'), { code: 'PERMISSION_DENIED' }],
    ['into an ignored folder', move('a', 'drafts/a'), { code: 'PERMISSION_DENIED' }],
    ["into Obsidian's settings folder", move('F', '.obsidian/F'), { code: 'PERMISSION_DENIED' }],
    ['to a name that links cannot contain', move('a', 'x#y'), { code: 'INVALID_PARAMS', hint: 'Use "x-y.md".' }],
    ['to a name that Windows does not allow', move('F', 'x?'), { code: 'INVALID_PARAMS', hint: 'Use "x-".' }],
    ['to an empty path', move('a', ''), { code: 'INVALID_PARAMS' }],
    ['of an ambiguous twin', move('t', 'x'), { code: 'INVALID_PARAMS' }],
    ['of a note that changed since it was seen', move('a', 'x', sha('old')), { code: 'CONFLICT' }],
    ['below a note', move('a', 'b.md/x'), { code: 'NODE_EXISTS' }],
  ])('refuses a move %s', async (_, operation, error) => {
    await refuse(FILES, operation, error)
  })
})

test('a file is not a folder, also in a dry run', async () => {
  const vault = await writable({ 'a.md': '', 'b.md': '' })
  const move = { kind: 'move', id: 'a', to: 'b.md/c.md' } as const
  for (const dryRun of [true, false]) {
    await expect(vault.write(move, { dryRun })).rejects.toMatchObject({ code: 'NODE_EXISTS' })
  }
})

describe('files of Obsidian Bases, which are not rewritten,', () => {
  const BASE = [
    'filters:',
    '  and:',
    `    - 'file.inFolder("F/Sub")'`,
    '    - "file.folder == \\"F\\""',
    "    - file.folder == 'F/'",
    '    - status == "Fine" && file.hasTag("f", "task/x")',
    '    - file.hasLink(link("Note")) || author == "Note"',
    'formulas: { up: "[[F/Note|n]]" }',
    '',
  ].join('\n')
  const files = { 'F/Sub/x.md': '', 'F/Note.md': '#task/x', 'views/v.base': BASE, 'note.md': 'file.inFolder("F")' }
  const said = async (operation: Operation) => (await (await writable(files)).write(operation, { dryRun: true })).notes

  test('are named if they contain the old name of a folder, a note or a tag', async () => {
    expect(await said(move('F', 'G'))).toEqual([
      '4 places in files of Bases still have the old name, because these files are not rewritten: ' +
        'views/v.base:3 "F/Sub", views/v.base:4 "F", views/v.base:5 "F/", views/v.base:8 "F/Note".',
    ])
    expect(await said(move('F/Sub', 'F/Other'))).toEqual([
      '1 place in a file of Bases still has the old name, because these files are not rewritten: views/v.base:3 "F/Sub".',
    ])
    expect((await said(move('F/Note', 'F/Other')))[0]).toMatch(/: views\/v\.base:7 "Note", views\/v\.base:8 "F\/Note"\.$/)
    expect((await said({ kind: 'renameTag', tag: 'task', to: 'todo' }))[0]).toMatch(/: views\/v\.base:6 "task\/x"\.$/)
  })

  test('are not named otherwise', async () => {
    expect(await said(move('views', 'bases'))).toEqual([])
    expect(await said(move('F/Sub/x', 'y'))).toEqual([])
    expect(await said({ kind: 'update', id: 'F/Note', append: 'x', updateLinks: false })).toEqual([])
    expect(await said({ kind: 'delete', id: 'F/Note' })).toEqual([])
  })
})
