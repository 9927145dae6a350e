import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAnswer } from '../../src/ai/answer-tree.ts'
import { citeAnswer } from '../../src/ai/cite.ts'
import { ATTACKS } from './attacks.ts'
import { dangersIn } from './judge.ts'

/** The answer without anything that leads out of it, and without citations. */
function cleanAnswer(answer: string): { readonly text: string; readonly removed: number } {
  const tree = parseAnswer(answer)
  return { text: tree.write(() => undefined), removed: tree.removed }
}

describe('an answer that repeats an attack contains nothing dangerous', () => {
  test.each(Object.entries(ATTACKS))('%s', (_, attack) => {
    for (const answer of [attack, `Flour matters [S1]. ${attack} And so on.`, `> ${attack}`, `- ${attack}\n- ${attack}`]) {
      expect(dangersIn(cleanAnswer(answer).text)).toEqual([])
    }
  })
})

test('there are at least forty attacks, and the check flags every one that leads out of the answer', () => {
  expect(Object.keys(ATTACKS).length).toBeGreaterThanOrEqual(40)
  const silent = Object.entries(ATTACKS)
    .filter(([, attack]) => dangersIn(attack).length === 0)
    .map(([name]) => name)
  // These texts contain no address. Other tests cover boundaries, turns, embedded notes and citations.
  expect(silent).toEqual([
    'an SVG with an event handler',
    'a forged end of the passages',
    'markers for passages that do not exist',
    'a quotation that is in no passage',
  ])
})

test.each([
  ['- one\n- two, e.g. 3 < 4\n\n1. **three** `a[0]`\n2. a[0] in [2024], snake_case and 5 * 3'],
  ['## A heading\n\n> A *quote*\n> of two lines\n\n| a | b |\n| - | - |\n| 1 | **2** |\n\n- [ ] open\n- [x] done\n  1. inside'],
  ['The file is `notes/2024.md`; its version 1.2.3 is 50 % done, and/or more: see page 5.'],
  ['Use Node.js or example.md, c++ and C#. A: b; 10:30.'],
  ['```\nconst a = b[0](1)\n```'],
  ['The network 10.0.0.0/8, version 1.2.3.4, Node.js/Express, src/app.ts and notes/2024.md: what is it? a=b.'],
])('a harmless answer is unchanged: %j', (answer) => {
  expect(cleanAnswer(answer)).toEqual({ text: answer, removed: 0 })
})

test.each([
  ['`sed s/\\./x/` and `C:\\.config\\@home`, `&lt;b&gt;` and `&#46;`'],
  ['Write `[[Note|alias]]`, `![[picture.png]]`, `[text](note.md)` or `<kbd>a</kbd>`.'],
  ['A `Map<string, number>` of `file.link`, `dv.page("x")` and `@app.route`.'],
  ['```sh\ngrep "\\\\d+\\." a  //b\n  ls   -l .   \n\n\n\n![a](b.png) &amp; <br>\n```'],
  ['1. Write\n\n   ```\n   \\@import\n   ```\n\n2. And so on.'],
  ['- Write\n\n  ```js\n  a\\.b\n  ```'],
  ['> ```\n> a\\.b\n> ```'],
  ['| sign | is |\n| - | - |\n| `\\.` | a dot |'],
])('code is unchanged, including backslashes: %j', (answer) => {
  expect(cleanAnswer(answer)).toEqual({ text: answer, removed: 0 })
})

test.each([
  ['a character reference or a backslash', '`www&#46;collect-it.com` and `https\\://collect-it.com`', 'and'],
  ['a code span', 'See `https://collect.example/x` and `git@collect-it.test`.', 'See and.'],
  ['a fence', '```\ncurl https://collect.example/x -o y\n```', '```\ncurl  -o y\n```'],
])('addresses are removed from code too: %s', (_, answer, left) => {
  expect(
    cleanAnswer(answer)
      .text.replace(/ +(?=[ .])/g, '')
      .trim(),
  ).toBe(left.replace(/ +(?= )/g, ''))
})

test.each([
  ['stray backticks', '`a` \\` ![x](y.png) `'],
  ['a fence that ends with its quote', '> ```\n![x](y.png)\n```'],
  ['a fence that ends with its list item', '- a\n\n  ```\n![x](y.png)\n  ```'],
  ['a paragraph that ends', '`a\n\n![x](y.png)`'],
  ['the cells of a table', '| a | b |\n|---|---|\n| `a | ![x](y.png)` |'],
  ['a formula', 'It is $a`$ ![x](y.png) `.'],
  ['a multi-line formula', '$$\n```\n$$\n```\n![x](y.png)\n```'],
  ['a wikilink', '[[a`]] ![[x]] `'],
  ['a tag', '<a title="`">![x](y.png)`'],
])('text that only resembles code hides nothing dangerous: %s', (_, answer) => {
  expect(cleanAnswer(answer).text.replace(/`[^`]*`/g, '')).not.toMatch(/!\[|(?<!\\)\$/)
})

test('the text of a removed link stays, and removals are counted', () => {
  expect(cleanAnswer('See [the docs](https://a.example/x) and ![a](b.png).')).toEqual({ text: 'See the docs and.', removed: 2 })
})

test('no combination of attack fragments is dangerous in any of three renderers', async () => {
  const pieces = [
    ...[
      '[',
      ']',
      '(',
      ')',
      '![',
      '](',
      '<',
      '>',
      '</',
      '<a href=',
      '"',
      "'",
      '\n',
      ' ',
      '\\',
      '`',
      '``',
      '\n```\n',
      '\n~~~\n',
      '\n\n',
      '   ',
      '\n> ',
      '\n- ',
      '\n|-|-|\n',
      '$',
      '$$',
      '|',
      ':',
      '/',
      '//',
      '.',
      '@',
      '&#58;',
      '&colon;',
      '&lt;',
      '&amp;',
    ],
    ...[
      'http',
      'https:',
      'www',
      'www.',
      'collect',
      '.example',
      'data:',
      'javascript:',
      'obsidian://',
      'img',
      'script',
      'src=',
      'x',
      '[S1]',
      '【1】',
      '[1]',
      '[^1]',
      '**',
      '%%',
      '<%',
      '%>',
      '=',
      'mermaid',
      '：／／',
      '&#x200b;',
      '(S1)',
      '~~',
      '\ue000',
      'S1',
      '[[',
      ']]',
      ']:',
      '\u200b',
      '\u202e',
    ],
  ]
  const isOwn = (url: string) => url === 'roux://node/flour'
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), async (parts) => {
      const { write, sentences } = await citeAnswer(parts.join(''), [{ startLine: 1, text: 'Flour matters.' }])
      expect(
        dangersIn(
          write((n) => `[${n}](roux://node/flour)`),
          isOwn,
        ),
      ).toEqual([])
      expect(sentences.flatMap(({ text }) => dangersIn(text))).toEqual([])
      const text = write(() => undefined)
      expect(dangersIn(text)).toEqual([])
      expect(cleanAnswer(text).text).toBe(text)
    }),
    {
      numRuns: 2_000,
      examples: [
        ...Object.values(ATTACKS).map((attack): [string[]] => [[attack]]),
        [['S1', '**', 'javascript:', '&#58;', '**']],
        [['\n~~~\n', 'http', '\ue000', '&colon;', '[']],
        [['``', '\n', '@', '.', '``', '$', '[']],
        [['www', '\\', '.example']],
        [['.', '@', '.example']],
        [['http', '\\', ':', '//', 'collect', '\\', '.', 'x']],
        [['$', '&colon;', '`', '//', '$', '`']],
      ],
    },
  )
})

test('unclosed markup is read to the end and contains nothing dangerous', () => {
  for (const piece of ['[', '![', '<', '<a ', '[a](', '&amp;', 'www.', '(', '"a ', '[[a|', 'a.b.', '<!--', '//', 'a@']) {
    expect(dangersIn(cleanAnswer(piece.repeat(6_000 / piece.length)).text)).toEqual([])
  }
})

test.each([
  ['many list items', '- a\n'.repeat(600), '\\- a'],
  ['nested list items', '1. 2. 3. a\n'.repeat(300), '1\\. 2. 3. a'],
  ['deep quotes', `${'> '.repeat(40)}a`, `\\${'> '.repeat(40)}a`],
])('an answer that is slow to parse is read as plain text: %s', (_, answer, line) => {
  expect(cleanAnswer(answer).text.split('\n\n')[0]).toBe(line)
})

test('a long answer keeps its Markdown', () => {
  const answer = Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\n- **One** of \`two\`\n- Three`).join('\n\n')
  expect(cleanAnswer(answer).text).toBe(answer)
})
