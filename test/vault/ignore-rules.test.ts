import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openGlobs } from '../../src/vault/ignore-rules.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { diskVault, type Files, memoryVault, OPTIONS, path, pathsOf } from './support.ts'

function check(files: Files, options: Parameters<typeof memoryVault>[1], expected: readonly string[]) {
  const { vault } = memoryVault(files, options)
  expect(pathsOf(vault.list())).toEqual(expected)
  const all = Object.keys(files).filter((file) => vault.stat(path(file)))
  expect(all.sort()).toEqual(expected)
}

describe('globs in the settings', () => {
  const files = {
    'a.md': '',
    'drafts/b.md': '',
    'drafts/deep/c.md': '',
    'x/drafts/d.md': '',
    'x/e.tmp.md': '',
    'x (old)/f.md': '',
  }
  test.each<[readonly string[], readonly string[]]>([
    [['drafts'], ['a.md', 'x (old)/f.md', 'x/drafts/d.md', 'x/e.tmp.md']],
    [['drafts/'], ['a.md', 'x (old)/f.md', 'x/drafts/d.md', 'x/e.tmp.md']],
    [['/drafts/**'], ['a.md', 'x (old)/f.md', 'x/drafts/d.md', 'x/e.tmp.md']],
    [['**/drafts'], ['a.md', 'x (old)/f.md', 'x/e.tmp.md']],
    [
      ['**/*.tmp.md', './a.md'],
      ['drafts/b.md', 'drafts/deep/c.md', 'x (old)/f.md', 'x/drafts/d.md'],
    ],
    [['x (old)'], ['a.md', 'drafts/b.md', 'drafts/deep/c.md', 'x/drafts/d.md', 'x/e.tmp.md']],
    [['a.md/'], Object.keys(files).sort()],
    [['{drafts,x}', 'x?(old)'], ['a.md']],
    [['', '/', '!a.md', '[', '(((', '\\'], Object.keys(files).sort()],
  ])('%j', (ignore, expected) => {
    check(files, { ignore }, expected)
  })

  test('are compared in one normal form', () => {
    check({ 'Cafe\u0301/a.md': '', 'b.md': '' }, { ignore: ['Caf\u00e9'] }, ['b.md'])
  })

  test('match with any number of stars', () => {
    const names = [
      'a.sync-conflict-1-2-3.md',
      'x/a.sync-conflict-1-2-3.md',
      'a.sync-1.md',
      'x/y/z/w/b.md',
      'x/b.md',
      'c d e f g.md',
    ]
    const rest = (hidden: readonly string[]) => names.filter((name) => !hidden.includes(name)).sort()
    const found = Object.fromEntries(names.map((name) => [name, '']))
    for (const [glob, hidden] of [
      ['*.sync-conflict-*-*-*.md', [names[0]]],
      ['**/*.SYNC-conflict-*-*-*.md', []],
      ['**/*.{sync,none}-conflict-*-*-*.{md,txt}', [names[0], names[1]]],
      ['**/[ab]*.s?nc-*-*-*-[!a-z].md', [names[0], names[1]]],
      ['x/**/**/**/**/b.md', [names[3], names[4]]],
      ['c* *d* *e* *.md', ['c d e f g.md']],
      ['c* *d* *e* *.md/', []],
      ['*'.repeat(100_000), names],
    ] as const)
      check(found, { ignore: [glob] }, rest(hidden as readonly string[]))
  })

  test.each([
    `${'*a'.repeat(40)}b`,
    `${'**/'.repeat(40)}b`,
    '(a+)+b',
    '+(a|+(a))b',
    `${'*'.repeat(100_000)}b`,
    `*{${',*a'.repeat(300)}*}b`,
  ])('cannot run forever: %.20s', (glob) => {
    check({ [`${'a'.repeat(200)}.md`]: '' }, { ignore: [glob] }, [`${'a'.repeat(200)}.md`])
  })
})

describe('.gitignore', () => {
  test('applies when switched on', () => {
    check({ '.gitignore': 'a.md', 'a.md': '', 'b.md': '' }, {}, ['a.md', 'b.md'])
    check({ '.gitignore': 'a.md', 'a.md': '', 'b.md': '' }, { gitignore: true }, ['b.md'])
  })

  test('patterns mean the same as in git', () => {
    const files = {
      'build/a.md': '',
      'x/build/b.md': '',
      'x/c.log': '',
      'x/keep.log': '',
      'root.md': '',
      'x/root.md': '',
      'dir.md': '',
      'x/dir.md/d.md': '',
    }
    check({ ...files, '.gitignore': '# comment\r\nbuild/\n*.log\n!keep.log\n/root.md\ndir.md/\n\n' }, { gitignore: true }, [
      'dir.md',
      'x/keep.log',
      'x/root.md',
    ])
  })

  test.runIf(spawnSync('git', ['--version']).status === 0)('hides the same files as git', () => {
    const names = ['a', 'b', 'ab', 'A', 'a b', 'a*b', '#a', '!a', '[a]', 'a]', 'a-b']
    const folders = ['', 'a/', 'b/', 'ab/a/', 'b/A/a/']
    const files = Object.fromEntries(folders.flatMap((folder) => names.map((name) => [`${folder}${name}.md`, ''])))
    const { root } = diskVault(files)
    const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout
    git('init', '--quiet')
    const part = fc.constantFrom(
      'a',
      'b',
      'A',
      '*',
      '?',
      '**',
      '/',
      '/**/',
      '[ab]',
      '[!a]',
      '[^b]',
      '[]a]',
      '[a\\]]',
      '[a-c]',
      '\\*',
      '-',
    )
    const sign = fc.constantFrom('', '', '', '!', '#', '\\#', '\\!', '/', '**/')
    const end = fc.constantFrom('', '.md', '.md', '*.md', '/', '/**', ' ', '\\ ')
    const line = fc
      .tuple(sign, fc.array(part, { minLength: 1, maxLength: 4 }), end)
      .map(([head, parts, tail]) => head + parts.join('') + tail)
    const isClear = (text: string) => !/\/\/|\*{3}/.test(text)
    fc.assert(
      fc.property(fc.array(line.filter(isClear), { minLength: 1, maxLength: 4 }), (lines) => {
        writeFileSync(join(root, '.gitignore'), lines.join('\n'))
        const listed = git('ls-files', '-z', '--others', '--exclude-per-directory=.gitignore').split('\0')
        const vault = openVault(root, { ...OPTIONS, gitignore: true })
        expect(pathsOf(vault.list()), lines.join('\n')).toEqual(listed.filter((file) => file.endsWith('.md')).sort())
      }),
      { numRuns: 200 },
    )
  })

  test('patterns with any number of stars apply in order', () => {
    const files = { 'a-1-2-3-4.md': '', 'x/a-1-2-3-4.md': '', 'x/b-1-2-3-4.md': '', 'x/keep/c-1-2-3-4.md': '', 'd.md': '' }
    const lines = ['# *-*-*-*-*.md', '*-*-*-*-*.md', '!b-1*', '/*a*-*-*-*-*.md', '!/x/**/c*-*-*-*-*.md', 'd*-*-*-*-*/']
    check({ ...files, '.gitignore': lines.join('\n') }, { gitignore: true }, ['d.md', 'x/b-1-2-3-4.md', 'x/keep/c-1-2-3-4.md'])
  })

  test('two stars after the start of a name match across folders, as in git', () => {
    const files = { 'a.md': '', 'a/b.md': '', 'ab/c.md': '', 'b/a.md': '', 'x/ab/c.md': '' }
    const hidden: readonly (readonly [string, readonly string[]])[] = [
      ['a**/**', ['a.md', 'a/b.md', 'ab/c.md']],
      ['a**/**/', ['a/b.md', 'ab/c.md']],
      ['x/a**', ['x/ab/c.md']],
      ['/a**/c.md', ['ab/c.md']],
    ]
    for (const [line, gone] of hidden)
      check(
        { ...files, '.gitignore': line },
        { gitignore: true },
        Object.keys(files).filter((file) => !gone.includes(file)),
      )
  })

  test('a nearer file overrides one further up, but cannot restore files in a hidden folder', () => {
    const files = {
      'x/.gitignore': '!a.tmp\nb.md',
      'x/a.tmp': '',
      'x/b.md': '',
      'b.md': '',
      'c.tmp': '',
      'out/.gitignore': '!*',
      'out/a.md': '',
    }
    check({ ...files, '.gitignore': '*.tmp\nout/' }, { gitignore: true }, ['b.md', 'x/a.tmp'])
  })

  test('is read again when it changed', () => {
    const { root, vault } = diskVault({ '.gitignore': 'a.md', 'a.md': '', 'b.md': '' }, { gitignore: true })
    expect(pathsOf(vault.list())).toEqual(['b.md'])
    writeFileSync(join(root, '.gitignore'), 'b.md # x\nb.md\n')
    expect(pathsOf(vault.list())).toEqual(['a.md'])
    expect(vault.stat(path('b.md'))).toBeUndefined()
  })

  test('a .gitignore that is a folder, broken or huge is ignored', () => {
    check(
      {
        '.gitignore/x': '',
        'a.md': '',
        'x/.gitignore': '[\n\\\n!\n/\n**\\',
        'x/b.md': '',
        'y/.gitignore': 'c.md\n'.repeat(100_000),
        'y/c.md': '',
      },
      { gitignore: true },
      ['a.md', 'x/b.md', 'y/c.md'],
    )
  })

  test('cannot run forever', () => {
    const name = `${'a'.repeat(250)}.md`
    check({ '.gitignore': `${'*a'.repeat(30)}b\n${'**/'.repeat(30)}b\n`, [name]: '' }, { gitignore: true }, [name])
  })
})

describe('Logseq', () => {
  const files = {
    'logseq/bak/a.md': '',
    'logseq/.recycle/b.md': '',
    'logseq/custom.css': '',
    'pages/c.md': '',
    'pages/bak/d.md': '',
  }
  test('backups are hidden', () => {
    check(files, { mode: 'logseq' }, ['logseq/custom.css', 'pages/bak/d.md', 'pages/c.md'])
    check(files, { mode: 'auto' }, ['logseq/custom.css', 'pages/bak/d.md', 'pages/c.md'])
  })
  test('in other modes they are ordinary files', () => {
    check(files, { mode: 'docs' }, ['logseq/bak/a.md', 'logseq/custom.css', 'pages/bak/d.md', 'pages/c.md'])
  })
})

describe('globs alone', () => {
  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    [
      'a folder and all below it',
      ['templates'],
      ['templates', 'templates/a.md', 'templates/x/y.md'],
      ['my templates/a.md', 'a/templates/b.md'],
    ],
    ['what is in a folder', ['templates/**'], ['templates/a.md', 'templates/x/y.md'], ['a.md', 'x/templates/a.md']],
    ['a folder anywhere', ['**/templates/'], ['templates/a.md', 'x/templates/a.md'], ['x/templates', 'a.md']],
    ['names', ['**/*.draft.md', 'x?.md'], ['a.draft.md', 'b/a.draft.md', 'x1.md'], ['a.md', 'x12.md', 'b/x1.md']],
    ['braces', ['{a,b}/**'], ['a/x.md', 'b/x.md'], ['c/x.md']],
    ['nothing', [], [], ['a.md', 'templates/a.md']],
    ['what is no pattern', ['', '/', './'], [], ['a.md']],
  ])('match %s', (_, globs, matched, others) => {
    const matches = openGlobs(globs, false)
    expect(matched.filter((path) => !matches(path))).toEqual([])
    expect(others.filter(matches)).toEqual([])
  })

  test('ignore case only if the disk does', () => {
    expect([false, true].map((folds) => openGlobs(['Templates/**'], folds)('templates/a.md'))).toEqual([false, true])
  })

  test('hide the same files as a listing with them', () => {
    const anyName = fc.constantFrom('a', 'b', 'templates', 'x1')
    const anyPath = fc.array(anyName, { minLength: 1, maxLength: 3 }).map((names) => `${names.join('/')}.md`)
    const anyGlob = fc.constantFrom('a', 'a/', '**/b', '*.md', 'templates/**', '{a,b}/*', '**/x?.md*', '!a')
    fc.assert(
      fc.property(
        fc.uniqueArray(anyPath, { minLength: 1, maxLength: 8 }),
        fc.array(anyGlob, { maxLength: 3 }),
        (paths, globs) => {
          const matches = openGlobs(globs, false)
          check(
            Object.fromEntries(paths.map((path) => [path, ''])),
            { ignore: globs },
            paths.filter((path) => !matches(path)).sort(),
          )
        },
      ),
      { numRuns: 60 },
    )
  })
})
