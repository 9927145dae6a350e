import { describe, expect, test } from 'vitest'
import type { Flavor, Mode } from '../../../src/core/note.ts'
import type { NewLinkFormat } from '../../../src/links/relink/candidates.ts'
import { applyPlan, type Files, LENIENT, TextVault } from './rig.ts'

interface Options {
  readonly mode?: Mode
  readonly format?: NewLinkFormat
  readonly profile?: Flavor['profile']
}

/** Moves a file and checks another file's text afterwards; `others` are empty files. */
function check(
  {
    move,
    source = 's.md',
    others = [],
    ...options
  }: Options & { move: Record<string, string>; source?: string; others?: readonly string[] },
  before: string,
  after: string,
): void {
  const { files, edited } = moved({ [source]: before, ...Object.fromEntries(others.map((path) => [path, ''])) }, move, options)
  expect(edited[source]).toBe(after)
  for (const path of Object.keys(files)) if (path !== source) expect(edited[path], path).toBe(files[path])
}

function moved(
  given: Files,
  move: Record<string, string>,
  { mode = 'obsidian', format = 'shortest', profile = 'lenient' }: Options,
) {
  const files = { ...Object.fromEntries(Object.keys(move).map((path) => [path, ''])), ...given }
  const { plan } = new TextVault(files, { ...LENIENT, mode, profile }).move(move, format)
  expect(plan.lost).toEqual([])
  return { files, plan, edited: applyPlan(files, plan) }
}

const RENAME = { 'a.md': 'b c.md' }

describe('a name that other files have, too', () => {
  const others = ['x/b.md', 'y/b.md']

  test('a link to the moved file gets a longer path', () => {
    check({ move: { 'b.md': 'w/b.md' }, others }, '[[b]] [[b|B]] [m](b.md)', '[[w/b]] [[w/b|B]] [m](w/b.md)')
    check({ move: { 'c.md': 'w/b.md' }, others }, '[[c]]', '[[w/b]]')
  })

  test('links that were ambiguous before, and links to other files, stay', () => {
    check({ move: { 'v/b.md': 'w/b.md' }, others }, '[[b]]', '[[b]]')
    check({ move: { 'c.md': 'wide/b.md' }, others: ['x/b.md'] }, '[[b]]', '[[b]]')
  })
})

test('a name with a question mark keeps its ending', () => {
  const links = '[m](a%3Fb.md#h) [m](a%3Fb) [[a?b.md]] [[a?b]]'
  check({ move: { 'a?b.md': 'f/c.md' } }, links, '[m](f/c.md#h) [m](f/c) [[c.md]] [[c]]')
  for (const mode of ['obsidian', 'docs'] as const) {
    check({ mode, move: { 'a?b.md': 'f/c.md' } }, '[m](a%3Fb.md#h)', '[m](f/c.md#h)')
    check({ mode, move: { 's.md': 'f/s.md' }, others: ['a?b.md'] }, '[m](a%3Fb.md)', '[m](../a%3Fb.md)')
  }
})

describe('a name that is not in NFC on disk', () => {
  const [nfd, nfc] = ['Cafe\u0301', 'Caf\u00e9']

  test.each([
    ['Markdown link', `[m](${encodeURI(nfd)}.md)`, `[m](../${encodeURI(nfd)}.md)`],
    ['Markdown link in NFC', `[m](${encodeURI(nfc)}.md)`, `[m](../${encodeURI(nfd)}.md)`],
    ['relative wikilink', `[[./${nfd}]]`, `[[../${nfc}]]`],
  ])('%s, when its note moves', (_, before, after) => check({ move: { 's.md': 'f/s.md' }, others: [`${nfd}.md`] }, before, after))

  test('below a folder that is in NFD', () => {
    check({ move: { [`${nfd}/a.md`]: `${nfd}/b.md` }, source: `${nfd}/s.md` }, '[m](a.md)', '[m](b.md)')
    check({ move: { 'a.md': `${nfd}/a.md` }, source: `${nfd}/s.md` }, '[m](../a.md)', '[m](./a.md)')
  })

  test('with a no-break space', () =>
    check({ move: { 's.md': 'f/s.md' }, others: ['a\u00a0b.md'] }, '[m](a%C2%A0b.md)', '[m](../a%C2%A0b.md)'))
})

describe('keeps the style of each link', () => {
  test.each([
    ['wikilink', '[[a]]', '[[b c]]'],
    ['with its ending', '[[a.md]]', '[[b c.md]]'],
    ['display text', '[[a|the a]]', '[[b c|the a]]'],
    ['spaces around', '[[ a |x]]', '[[ b c |x]]'],
    ['in a table', '| [[a\\|x]] | y |\n|--|--|\n| [[a]] | |', '| [[b c\\|x]] | y |\n|--|--|\n| [[b c]] | |'],
    ['heading and block', '[[a#H#S]] [[a#^id|x]]', '[[b c#H#S]] [[b c#^id|x]]'],
    ['embed with a size', '![[a|100x50]]', '![[b c|100x50]]'],
    ['from the root', '[[/a]] [[/a.md]]', '[[/b c]] [[/b c.md]]'],
    ['from the folder', '[[./a]]', '[[./b c]]'],
    ['Markdown link', '[x](a.md)', '[x](b%20c.md)'],
    ['angle brackets and title', '[x](<a.md> "T") ![y](<a.md#H h>)', '[x](<b c.md> "T") ![y](<b c.md#H h>)'],
    ['encoded heading', "[x](a.md#How%20to 't')", "[x](b%20c.md#How%20to 't')"],
    ['without ending', '[x](a)', '[x](b%20c)'],
    ['image in a link', '[![i](a.md)](a.md)', '[![i](b%20c.md)](b%20c.md)'],
    ['definition, once', '[a][r] [r] ![x][R]\n\n[r]: a.md "T"', '[a][r] [r] ![x][R]\n\n[r]: b%20c.md "T"'],
    ['definition in angle brackets', '[r]\n\n> [r]:\n> <a.md#h>', '[r]\n\n> [r]:\n> <b c.md#h>'],
    ['a label that is called alike', '[a]\n\n[a]: a.md', '[a]\n\n[a]: b%20c.md'],
    ['over two lines of a quote', '> [x\n> y](\n> a.md) z', '> [x\n> y](\n> b%20c.md) z'],
    ['inline field', 'up:: [[a]]', 'up:: [[b c]]'],
    ['comment', '%% [[a]] %%', '%% [[b c]] %%'],
    [
      'not code, not HTML comments',
      '`[[a]]` <!-- [[a]] -->\n\n    [[a]]\n\n[[a]]',
      '`[[a]]` <!-- [[a]] -->\n\n    [[a]]\n\n[[b c]]',
    ],
    ['another case', '[[A]]', '[[b c]]'],
    ['Windows line ends, no end', '\ufeff[[a]]\r\n\r\n[[a]]  ', '\ufeff[[b c]]\r\n\r\n[[b c]]  '],
  ])('%s', (_, before, after) => check({ move: RENAME }, before, after))

  test.each([
    ['double quotes', 'up: "[[a]]"', 'up: "[[b c]]"'],
    ['unquoted', 'up: [[a]]', 'up: [[b c]]'],
    ['flow list', 'rel: [\'[[a|x]]\', "[m](a.md)"]', 'rel: [\'[[b c|x]]\', "[m](b%20c.md)"]'],
    ['in a text', 'n: see [[a]] # not [[a]]', 'n: see [[b c]] # not [[a]]'],
    ['block text', 'n: |\n  see [[a]]\n  and [[a]]', 'n: |\n  see [[b c]]\n  and [[b c]]'],
    ['escapes in the link', 'n: "\\u00e9 [[\\x61|\\"q\\"]]"', 'n: "\\u00e9 [[b c|\\"q\\"]]"'],
    ['the same link twice, escaped', 'n: "[[\\x61|1]] [[\\x61|2]]"', 'n: "[[b c|1]] [[b c|2]]"'],
    ['doubled quotes in the link', "n: 'it''s [[a|it''s]]'", "n: 'it''s [[b c|it''s]]'"],
  ])('property: %s', (_, before, after) => check({ move: RENAME }, `---\n${before}\n---\n`, `---\n${after}\n---\n`))

  test('escapes quotes in a name as its scalar requires', () => {
    check(
      { move: { 'a.md': `i"t's.md` } },
      `---\nx: "[[a]]"\ny: '[[a]]'\n---\n[[a]]`,
      `---\nx: "[[i\\"t's]]"\ny: '[[i"t''s]]'\n---\n[[i"t's]]`,
    )
  })

  test('keeps letters percent-encoded or literal, as in the old link', () => {
    check({ move: { 'é.md': 'ü ö.md' } }, '[x](%C3%A9.md) [x](é.md)', '[x](%C3%BC%20%C3%B6.md) [x](ü%20ö.md)')
  })

  test('encodes characters that would end or change a destination', () => {
    check({ move: { 'a.md': 'x) #1 100% [y] <z>.md' } }, '[x](a.md)', '[x](x%29%20%231%20100%25%20%5By%5D%20%3Cz%3E.md)')
  })

  test('HTML in docs mode', () => {
    const move = { 'a.md': 'd/b c.md' }
    check(
      { move, mode: 'docs' },
      `<a class=x href='a.md#h'>a</a> <a href=a.md>b</a>`,
      `<a class=x href='d/b c.md#h'>a</a> <a href=d/b%20c.md>b</a>`,
    )
  })

  test('keeps a query', () => {
    check({ move: { 'a.md': 'b.md' }, mode: 'docs' }, '[x](a.md?v=1#h)', '[x](b.md?v=1#h)')
    const others = ['index.md', 'other.md']
    const queries = ['[x](a.md?next=/../other.md) [x](a.md?next=/..)', '[x](b.md?next=/../other.md) [x](b.md?next=/..)'] as const
    check({ move: { 'a.md': 'b.md' }, mode: 'docs', others }, ...queries)
  })

  test('Logseq: page names', () => {
    check({ move: { 'pages/a___b.md': 'pages/c___d.md' }, mode: 'logseq' }, '#[[a/b]] [[a/b]] tags', '#[[c/d]] [[c/d]] tags')
  })

  test('changes only the names in a canvas', () => {
    const canvas =
      '{ "nodes":[\n {"type":"file","file":"f\\/a.md","subpath":"#H" },{"text":"\\"q\\" [[a#x]]\\n[r]\\n\\n[r]: f/a.md","type":"text"}]}'
    const after =
      '{ "nodes":[\n {"type":"file","file":"g\\/\\"b\\".md","subpath":"#H" },{"text":"\\"q\\" [[\\"b\\"#x]]\\n[r]\\n\\n[r]: g/%22b%22.md","type":"text"}]}'
    check({ move: { 'f/a.md': 'g/"b".md' }, source: 'c.canvas' }, canvas, after)
  })
})

describe('names that need a path', () => {
  test.each([
    ['shortest: another has the name', 'shortest', ['g/b.md'], '[[a]]', '[[f/b]]'],
    ['shortest: no one has it', 'shortest', [], '[[a]]', '[[b]]'],
    ['absolute', 'absolute', [], '[[a]]', '[[f/b]]'],
    ['relative', 'relative', [], '[[a]]', '[[f/b]]'],
    ['a path stays a path', 'shortest', [], '[[f/a]]', '[[f/b]]'],
    ['a path from the root stays one', 'relative', [], '[[/f/a]]', '[[/f/b]]'],
  ] as const)('%s', (_, format, others, before, after) => check({ move: { 'f/a.md': 'f/b.md' }, format, others }, before, after))

  test('keeps the path suffix as short as before if possible', () => {
    check({ move: { 'x/f/a.md': 'x/f/b.md' } }, '[[f/a]]', '[[f/b]]')
    check({ move: { 'x/f/a.md': 'x/f/b.md' }, others: ['f/b.md'] }, '[[f/a]]', '[[x/f/b]]')
  })

  test('relative, upwards', () => {
    check(
      { move: { 'f/a.md': 'g/b.md' }, source: 'h/s.md', format: 'relative' },
      '[[a]] [x](../f/a.md)',
      '[[../g/b]] [x](../g/b.md)',
    )
  })

  test('keeps a link by alias while the alias leads there', () => {
    const files = { 'a.md': '---\naliases: [AI]\n---\n', 's.md': '[[AI]] [[a]]' }
    expect(moved(files, { 'a.md': 'b.md' }, {}).edited['s.md']).toBe('[[AI]] [[b]]')
    expect(moved({ ...files, 'c.md': '' }, { 'c.md': 'AI.md' }, {}).edited['s.md']).toBe('[[a|AI]] [[a]]')
  })

  test.each([
    ['[[Nick#Part]]', '[[Alias#Part|Nick#Part]]'],
    ['[[ nick ]] [[Nick|x]] ![[Nick]]', '[[ Alias|nick ]] [[Alias|x]] ![[Alias]]'],
    ['a | b\n-|-\n[[Nick]] | [[Nick]]\n\n[[Nick]]', 'a | b\n-|-\n[[Alias\\|Nick]] | [[Alias\\|Nick]]\n\n[[Alias|Nick]]'],
    ['---\nup: [[Nick]]\nat: "[[Nick]]"\n---\n', '---\nup: [[Alias|Nick]]\nat: "[[Alias|Nick]]"\n---\n'],
  ])('a link by alias still shows the alias when another note takes that name: %j', (before, after) => {
    const files = { 'Alias.md': '---\naliases: [Nick]\n---\n# Part\n', 'c.md': '', 's.md': before }
    expect(moved(files, { 'c.md': 'Nick.md' }, {}).edited['s.md']).toBe(after)
  })

  test('a card of a canvas still shows the alias, too', () => {
    const canvas = (text: string) => JSON.stringify({ nodes: [{ id: '1', type: 'text', text, x: 0, y: 0, width: 9, height: 9 }] })
    const files = { 'Alias.md': '---\naliases: [Nick]\n---\n', 'c.md': '', 's.canvas': canvas('"[[Nick]]"') }
    expect(moved(files, { 'c.md': 'Nick.md' }, {}).edited['s.canvas']).toBe(canvas('"[[Alias|Nick]]"'))
  })
})

describe('links that would silently lead elsewhere', () => {
  test('a name that becomes ambiguous', () => {
    check({ move: { 'x.md': 'n.md' }, others: ['f/n.md'] }, '[[n]]', '[[f/n]]')
  })

  test('a name that becomes unique', () => {
    check({ move: { 'n.md': 'm.md' }, others: ['f/n.md'] }, '[[n]] [[f/n]]', '[[m]] [[f/n]]')
  })

  test('two files swap names', () => {
    check({ move: { 'a.md': 'b.md', 'b.md': 'a.md' } }, '[[a]] [[b]]', '[[b]] [[a]]')
  })

  test('a change of case only needs no rewriting', () => check({ move: { 'note.md': 'Note.md' } }, '[[note]]', '[[note]]'))

  test('a relative Markdown link still gets the exact spelling of the path, which other tools need', () => {
    const move = { 'f/note.md': 'f/Note.md' }
    check(
      { move },
      '[a](f/note.md#h) [b](./f/note) [c](F/note.md) [d](note.md) [e](/f/note.md) [[f/note]]',
      '[a](f/Note.md#h) [b](./f/Note) [c](F/note.md) [d](note.md) [e](/f/note.md) [[f/note]]',
    )
    check({ move, mode: 'docs' }, '[a](f/note.md?x=1) [r]\n\n[r]: f/note.md', '[a](f/Note.md?x=1) [r]\n\n[r]: f/Note.md')
    check({ move: { 'f/index.md': 'F/index.md' }, mode: 'docs' }, '[a](f/) [b](f)', '[a](F/) [b](F)')
    check(
      { move: { 'f/a.md': 'F/a.md', 'f/s.md': 'F/s.md' }, source: 'f/s.md' },
      '[a](a.md) [b](../f/a.md)',
      '[a](a.md) [b](./a.md)',
    )
    check({ move: { 'Café.md': 'café.md' } }, '[a](Caf%C3%A9.md)', '[a](caf%C3%A9.md)')
  })

  test('links in the moved note itself', () => {
    const text = '[x](../g/t.md) [y](./u.md) [[n]] [[f/u]] [z](#h) [w](https://e.com) [[#h]] [[s]]'
    const files = { 'f/s.md': text, 'g/t.md': '', 'f/u.md': '', 'f/n.md': '', 'n/n.md': '', 'f/long/n.md': '' }
    const { edited } = moved(files, { 'f/s.md': 's.md' }, {})
    expect(edited['f/s.md']).toBe('[x](./g/t.md) [y](./f/u.md) [[n]] [[f/u]] [z](#h) [w](https://e.com) [[#h]] [[s]]')
  })

  test("a file of the same name in the moved note's new folder", () => {
    const files = { 's.md': '[[n]]', 'f/n.md': '', 'long/n.md': '' }
    expect(moved(files, { 's.md': 'long/s.md' }, {}).edited['s.md']).toBe('[[f/n]]')
  })

  test('moving a folder: notes that move together keep their relative links', () => {
    const files = { 'f/a.md': '[x](./b.md) [y](../c.md)', 'f/b.md': '[[f/a]]', 'c.md': '[[f/a|x]] [[b]]' }
    const { edited, plan } = moved(files, { 'f/a.md': 'x/g/a.md', 'f/b.md': 'x/g/b.md' }, {})
    expect(edited).toEqual({ 'f/a.md': '[x](./b.md) [y](../../c.md)', 'f/b.md': '[[x/g/a]]', 'c.md': '[[x/g/a|x]] [[b]]' })
    expect(plan.files.map(({ path }) => path)).toEqual(['f/a.md', 'f/b.md', 'c.md'])
  })
})

describe('docs mode', () => {
  test('keeps a link from the folder relative, even if search would find the page', () => {
    check(
      { move: { 'f/a.md': 'g/a.md' }, source: 'f/s.md', mode: 'docs' },
      '[x](a.md) [y][r]\n\n[r]: <a.md>',
      '[x](../g/a.md) [y][r]\n\n[r]: <../g/a.md>',
    )
  })

  test('a folder link means its index file', () => {
    check(
      { move: { 'guide/index.md': 'manual/index.md' }, mode: 'docs' },
      '[x](guide/) [y](./guide)',
      '[x](manual/) [y](./manual)',
    )
    check({ move: { 'guide/index.md': 'guide/start.md' }, mode: 'docs' }, '[x](guide/)', '[x](guide/start.md)')
  })

  test('keeps a site path to a page', () => {
    check({ move: { 'a/b.md': 'c/d.md' }, mode: 'docs' }, '[x](/a/b/#h) [y](/a/b)', '[x](/c/d/#h) [y](/c/d)')
    check({ move: { 'a/b.md': 'c/_index.md' }, mode: 'docs' }, '[x](/a/b/)', '[x](/c/)')
    check({ move: { 'a/_index.md': 'a/b.md' }, mode: 'docs' }, '[x](/a/)', '[x](/a/b/)')
    const source = 'content/en/s.md'
    check(
      { move: { 'content/en/a/b.md': 'content/en/c.md' }, source, mode: 'docs' },
      '[x](/a/b/) [y](/a/b.md)',
      '[x](/c/) [y](/c.md)',
    )
    check({ move: { 'content/en/a.md': 'content/fr/a.md' }, source, mode: 'docs' }, '[x](/a/)', '[x](/content/fr/a/)')
  })
})

describe('links that cannot be kept are reported', () => {
  const relink = (files: Files, move: Record<string, string>) => {
    const before = new TextVault(files)
    const { plan } = before.move(move)
    return {
      edited: applyPlan(files, plan),
      lost: plan.lost.map(({ reason, link }) => [reason, link.line]),
      gained: plan.gained.length,
    }
  }

  test('a name that a wikilink cannot hold: other links to it are rewritten', () => {
    const { edited, lost } = relink({ 'a.md': '', 's.md': '[[a]]\n[x](a.md)' }, { 'a.md': 'a#b.md' })
    expect(edited['s.md']).toBe('[[a]]\n[x](a%23b.md)')
    expect(lost).toEqual([['unwritable', 1]])
  })

  test('a name that turns into code or math within the surrounding text', () => {
    const { edited, lost } = relink({ 'a.md': '', 's.md': 'a ` here\nand [[a]] but [x](a.md)' }, { 'a.md': 'b`c.md' })
    expect(edited['s.md']).toBe('a ` here\nand [[a]] but [x](b%60c.md)')
    expect(lost).toEqual([['misread', 2]])
  })

  test('a broken link that starts to lead to the moved file', () => {
    expect(relink({ 'a.md': '', 's.md': '[[b]]' }, { 'a.md': 'b.md' })).toEqual({
      edited: { 'a.md': '', 's.md': '[[b]]' },
      lost: [],
      gained: 1,
    })
  })

  test('a deleted file, and an added one', () => {
    const vault = new TextVault({ 'a.md': '[[s]]', 'f/n.md': '', 's.md': '[[a]] [[n]]' })
    const gone = vault.relink([{ key: vault.keys.get('a.md') as number, after: undefined }])
    expect([gone.files, gone.lost.map(({ reason }) => reason)]).toEqual([[], ['gone']])
    const come = vault.relink([{ key: 99, after: { path: 'n.md', aliases: [] } }])
    expect(applyPlan(vault.files, come)['s.md']).toBe('[[a]] [[f/n]]')
  })

  test('a text that changed since it was indexed', () => {
    const vault = new TextVault({ 'a.md': '', 's.md': '[[a]]' })
    const other = Object.assign(vault, { files: { 'a.md': '', 's.md': 'x [[a]]' } })
    expect(other.move({ 'a.md': 'b.md' }).plan.lost.map(({ reason }) => reason)).toEqual(['unwritable'])
  })

  test('a removed alias', () => {
    const vault = new TextVault({ 'a.md': '---\naliases: [AI]\n---\n', 's.md': '[[AI]] [[AI|x]]' })
    const plan = vault.relink([{ key: vault.keys.get('a.md') as number, after: { path: 'a.md', aliases: [] } }])
    expect(applyPlan(vault.files, plan)['s.md']).toBe('[[a|AI]] [[a|x]]')
  })
})

test('a dry run shows the changed lines', () => {
  const { plan } = moved({ 's.md': 'x\n![[a#h|y]] and [r]\n\n[r]: <a.md> "T"' }, { 'a.md': 'b.md' }, {})
  expect(plan.files[0]?.rewrites).toEqual([
    { line: 2, before: '![[a#h|y]]', after: '![[b#h|y]]' },
    { line: 2, before: 'a.md', after: 'b.md' },
  ])
})
