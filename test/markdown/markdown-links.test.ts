import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { check, DOCS, flavor, LOGSEQ, OBSIDIAN } from './check.ts'

test('M1, M2: links and images', () => {
  check('[x](a.md) ![i](p.png) [y](a)', 'link a.md|x (markdown)\nembed p.png|i (markdown)\nlink a|y (markdown)')
})

test('M3: percent-decoded', () => {
  check('[y](My%20Note.md) [z](%C3%A9.md#%C3%A9)', 'link My Note.md|y (markdown)\nlink é.md#é|z (markdown)')
})

test('M4, M5: angle brackets allow spaces; an unescaped space means no link', () => {
  check('[x](<My Note.md>) [y](My Note.md)', 'link My Note.md|x (markdown)')
})

test('M6, M7: fragments', () => {
  check(
    '[x](a.md#How%20to) [y](#h) [z](a%23b.md)',
    'link a.md#How to|x (markdown)\nlink #h|y (markdown)\nlink a#b.md|z (markdown)',
  )
})

test('M8: titles', () => {
  check(
    '[x](a.md "T") [y](b.md \'T\') [z](c.md (T)) [w](d.md "a\nb")',
    'link a.md|x (markdown)\nlink b.md|y (markdown)\nlink c.md|z (markdown)\nlink d.md|w (markdown)',
  )
  check('[x](a.md "T" b) [y](a.md"T")', 'link a.md"T"|y (markdown)')
})

test('M9: an empty destination is not a link', () => {
  check('[]() [x]() [x](<>)', '')
  check('[](a.md)', 'link a.md (markdown)')
})

test('M10, M11: external links, autolinks and bare URLs', () => {
  check('[x](https://e.com) [y](obsidian://open?file=a) [z](//e.com) [w](mailto:a@b.c) <https://e.com> www.e.com', '')
})

test('M12: reference links count leniently', () => {
  const text = '[x][r] [r][] ![R] [^r] [zzz] [x][zzz]\n\n[r]: <a b.md#h>\n  "T"\n[r]: second.md\n'
  check(text, 'link a b.md#h|x (reference)\nlink a b.md#h|r (reference)\nembed a b.md#h|R (reference)')
  check(text, '', OBSIDIAN)
  check('[a]: a.md\n[[a]] [b]', 'link a')
})

test('M13: HTML links count in docs mode', () => {
  const text =
    '<a href="a%20b.md#h">x</a> <IMG alt="" src=p.png />\n\n<div>\n<a href=\'b.md?x&amp;y\'>\n<!-- <a href="no.md"> -->\n</div>'
  check(text, 'link a b.md#h (html)\nembed p.png (html)\nlink b.md?x&y (html)', DOCS)
  check(text, '')
  check('<a href="https://e.com">x</a> `<a href="a.md">`', '', DOCS)
})

test('M14: malformed percent codes stay', () => {
  check('[x](100%.md)', 'link 100%.md|x (markdown)')
})

test('M15: parentheses, escapes, character references, nested images', () => {
  check(
    '[x](a_(b).md) [y](a\\_b\\).md) [z](a&amp;b.md)',
    'link a_(b).md|x (markdown)\nlink a_b).md|y (markdown)\nlink a&b.md|z (markdown)',
  )
  check('[![i](p.png)](a.md)', 'link a.md|![i](p.png) (markdown)\nembed p.png|i (markdown)')
  check('[x [y](a.md) z](b.md)', 'link a.md|y (markdown)')
  check('![x [y](a.md) z](p.png)', 'embed p.png|x [y](a.md) z (markdown)')
})

test('M17: code binds tighter than link text; a query string stays in the target', () => {
  check('[`x](b.md)`](a.md)', 'link a.md|`x](b.md)` (markdown)')
  check('[x](a.md?v=1)', 'link a.md?v=1|x (markdown)', DOCS)
})

test('escaped brackets and text over two lines', () => {
  check('\\[x](a.md) [x\\](a.md)', '')
  check('> [x\n> y](a.md)', 'link a.md|x y (markdown)')
})

test('counts wikilinks and relative Markdown links the same way everywhere', () => {
  const text =
    '[[a]] ![[b]] #[[c]] [[https://e.com]] [x](a.md) [y](#h) [z](https://e.com) [r]\n\n|a|\n|-|\n|[[d|e]]|\n\n[r]: r.md'
  for (const each of [flavor(), OBSIDIAN, DOCS, LOGSEQ, flavor({ comments: false })]) {
    expect(parseNote(text, each).style).toEqual({ wikilinks: 5, relativeLinks: 2 })
  }
})
