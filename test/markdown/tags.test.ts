import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { check, flavor, OBSIDIAN } from './check.ts'

test('T1: letters of every script, digits, _ - / and emoji', () => {
  check('#日本語 #été #🗂️hub #a/b-c_d', '#日本語\n#été\n#🗂️hub\n#a/b-c_d')
})

test('T2: not digits only', () => {
  check('#1984 #y1984 - #3344: #1/2 #-', '#y1984\n#-')
})

test('T3: after white space or at the beginning', () => {
  check('(#x) "#x .#x —#x a#x [#x](//u) [x #ph](//u)', '#ph')
  check('a\t#p\u00a0#q\u3000#r\n#s\n>#t\n> #u\n- #v', '#p\n#q\n#r\n#s\n#t\n#u\n#v')
  check('|#a|b|\n|-|-|\n|#c|x#d|', '#a\n#c')
})

test('T4: or after another token', () => {
  check('#tl#tm \\[#Esc _#uc_ **#b** *a*#c ==#d== <b>#e</b>', '#tl\n#tm\n#Esc\n#uc\n#b\n#c\n#d\n#e')
  check('*#a x\n_#b\na*#c\n2_#d_', '')
  check('https://e.com/_#x_', '')
})

test('T5, T6: ends at punctuation; escaped and empty ones are none', () => {
  check('#one, #two. #three! #four: (x #five) #six’s', '#one\n#two\n#three\n#four\n#five\n#six')
  check('\\#x # x ## # ##', '')
})

test('T7: not in code, math, HTML, URLs, destinations, wikilinks', () => {
  check(
    '`#x` $a #x$ <!-- #x --> <a b=" #x"> <https://e.com/#x> https://e.com/#x [t](a.md#h "#x") [[s#h| #x]]',
    'link a.md#h|t (markdown)\nlink s#h|#x',
  )
})

test('T8: in link text, headings, comments', () => {
  check('[Discord #tf](https://x.y)\n# H #in\n%% #c %%', 'h1 H #in\n#tf\n#in\n#c')
})

test('T8: not in link text, if requested', () => {
  const given = flavor({ ignoredTags: { inLinkText: true, colors: false } })
  check(
    '#a [b #x](https://x.y) #c ![d #x](p.png "#x") [e ![#x](q.png) #x][r] [f #f] #g\n\n[r]: r.md',
    'embed p.png|d #x (markdown)\nlink r.md|e ![#x](q.png) #x (reference)\nembed q.png|#x (markdown)\n#a\n#c\n#f\n#g',
    given,
  )
  check(
    '| #a | [#x](b.md) #c |\n|---|---|\n\n> #d\n> [x\n> #x](b.md) #e',
    'link b.md|#x (markdown)\nlink b.md|x #x (markdown)\n#a\n#c\n#d\n#e',
    given,
  )
})

test('T9: not colors, if requested', () => {
  const given = flavor({ ignoredTags: { inLinkText: false, colors: true } })
  check(
    '---\ntags: [fff]\n---\n#FFaa00 #9b11 #ab #abcdef012 #face/x [#fff](a.md)',
    'link a.md|#fff (markdown)\n#fff\n#ab\n#abcdef012\n#face/x',
    given,
  )
})

test('T9: hex colors are tags', () => {
  check('#ffaa00', '#ffaa00')
})

test('T10, T11: one tag per folded name, as first written; a final slash is dropped', () => {
  check('#Tag #TAG #a/ #A #a/b #é #é', '#Tag\n#a\n#a/b\n#é')
  const tags = parseNote('---\ntags:\n  - x\n  - Y\n---\n\n#y #z', flavor()).tags
  expect(tags).toEqual([
    { name: 'x', line: 3, inBody: false },
    { name: 'Y', line: 4, inBody: false },
    { name: 'z', line: 7, inBody: true },
  ])
})

test('T12: the property tags, in any case, with or without #', () => {
  check('---\nTags: ["#one", two, a/b/]\n---\n', '#one\n#two\n#a/b', OBSIDIAN)
})

test('T13: a string is one tag in Obsidian; lenient mode splits at commas and spaces', () => {
  check('---\ntags: journal\n---\n', '#journal', OBSIDIAN)
  check('---\ntags: a, b c\n---\n', '', OBSIDIAN)
  check('---\ntags: a, b #c\n---\n', '#a\n#b')
  check('---\ntags: "a, #b, c"\n---\n', '#a\n#b\n#c')
})

test('T14: tag: is accepted leniently', () => {
  check('---\ntag: [one]\n---\n', '#one')
  check('---\ntag: one\n---\n', '', OBSIDIAN)
})

test('T15: numbers, nulls, nested values are skipped', () => {
  check('---\ntags: [2024, y24, ~, 1.5, {a: b}]\n---\n', '#y24')
  check('---\ntags:\n  - [deep]\n  - a!b\n---\n', '')
})
