import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLAVORS } from './random-vaults.ts'
import { TextVault } from './rig.ts'

const PIECES = [
  '[[b]]',
  '[[b#H|x]]',
  '![[p.png|9]]',
  '[[f/b.md|',
  '[[ b',
  '|x]]',
  ']]',
  '[[',
  '[x](b.md)',
  '[x](<f/b.md#H h> "t")',
  '![y](p.png)',
  '[![z](p.png)](b)',
  '](b.md',
  '[r]',
  '[x][r]',
  '[r][]',
  '![x][R]',
  '\n\n[r]: b.md "t"\n',
  '\n> [r]: <f/b.md>\n',
  '<a href="b.md#h">',
  "<img src='p.png'>",
  '<a\nhref=b>',
  '<div>\n',
  '</div>',
  '`',
  '``',
  '```\n',
  '~~~\n',
  '\n',
  '\n',
  '\n\n',
  '\r\n',
  '> ',
  '> ',
  '- ',
  '1. ',
  '    ',
  '\t',
  '| ',
  ' |\n|--|--|\n',
  '|',
  '\\',
  '\\|',
  '[',
  ']',
  '(',
  ')',
  '$',
  '$$',
  '%%',
  '%%\n',
  '<!--',
  '-->',
  '*',
  '**',
  '_',
  '# ',
  '---\n',
  '===\n',
  'word ',
  ' ',
  'key:: ',
  '(k:: ',
  '#',
  '#[[b]]',
  '&amp;',
  '"',
  "'",
  '\u00a0',
  'é',
  ';',
  '---\nup: "[[b]]"\n---\n',
  "---\nrel:\n- '[[f/b|it''s]]'\n- \"\\u00e9 [x](b.md)\"\n---\n",
]
const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 30, size: 'max' }).map((pieces) => pieces.join(''))
const MOVES = [
  { 'b.md': 'c d.md' },
  { 'f/b.md': 'b2.md', 'p.png': 'i/q.png' },
  { 's.md': 'f/s.md' },
  { 'b.md': 'x`y$z.md' },
  { 'b.md': 'f/%% (1) [k].md', 's.md': 'g/s.md' },
]
const RUNS = Number(process.env.RELINK_RUNS ?? 200)

describe.each(FLAVORS)('$profile, $mode', (flavor) => {
  test('in any mixture of markup, links lead to the same files as before', () => {
    fc.assert(
      fc.property(soup, fc.constantFrom(...MOVES), fc.boolean(), (text, moved: Record<string, string>, isCanvas) => {
        const files = {
          's.md': isCanvas ? '' : text,
          'b.md': text,
          'f/b.md': '',
          'p.png': '',
          'c.canvas': isCanvas
            ? JSON.stringify({
                nodes: [
                  { type: 'text', text },
                  { type: 'file', file: 'b.md' },
                ],
              })
            : '',
        }
        const before = new TextVault(files, flavor)
        const { plan, after } = before.move(moved)
        const lost = new Map(plan.lost.map(({ link, reason }) => [link, reason]))
        for (const source of before.sources()) {
          const now = after.source(moved[source.path] ?? source.path)
          const known = (at: number) => lost.has(source.links[at] as never)
          expect(now?.links.map(({ to }, at) => (known(at) ? 'lost' : to))).toEqual(
            source.links.map(({ to }, at) => (known(at) ? 'lost' : to)),
          )
        }
        // Any link can hold a name of letters.
        if (Object.values(moved).every((to) => /^[\w ./]+$/.test(to))) expect([...lost.values()]).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})
