import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { check, flavor, OBSIDIAN } from './check.ts'

test('W1–W3: target and display text; only the first pipe splits', () => {
  check('[[a]]', 'link a')
  check('[[a|b]]', 'link a|b')
  check('[[a|b|c]]', 'link a|b|c')
  check('[[ a b | c ]]', 'link a b|c')
})

test('W4: a leading pipe belongs to the target in Obsidian; lenient mode drops the link', () => {
  check('[[|x]] [[a]]', 'link a')
  check('[[|x]] [[|x|y]]', 'link |x\nlink |x|y', OBSIDIAN)
})

test('W5, W8: subpaths begin at the first #', () => {
  check('[[a#H]] [[a#H#S|x]] [[a#^id]] [[a#]]', 'link a#H\nlink a#H#S|x\nlink a#^id\nlink a#')
  check('[[pa#th/x]]', 'link pa#th/x')
  check('[[ C# notes ]]', 'link C# notes')
})

test('W7: links within the note have an empty target', () => {
  check('[[#H]] ![[#^id]]', 'link #H\nembed #^id')
})

test('W9–W12: targets and displays are kept as written', () => {
  check('[[a.MD]] ![[p.png|100x50]] [[d.pdf#page=3]]', 'link a.MD\nembed p.png|100x50\nlink d.pdf#page=3')
})

test('W13: every occurrence is a link', () => {
  check('[[a]] [[a|x]][[a]]', 'link a\nlink a|x\nlink a')
})

test('W15: blank brackets are not a link', () => {
  check('[[]] [[ ]] [[\t]] [[ | ]] [[#', '')
})

test('W16, W17: a single bracket is content, inner brackets win', () => {
  check('[[Sq]uare]] [[a[b]]', 'link Sq]uare\nlink a[b')
  check('[[a [[b]] c]]', 'link b')
  check('[[[a]]] [[[[b]]]]', 'link a\nlink b')
})

test('a wikilink as the destination of a Markdown link is the link in lenient mode', () => {
  check('[x]([[a]]) [x]([[b c]]) [x]([[d|e]])', 'link a\nlink b c\nlink d|e')
  check('[x]([[a]])', 'link [[a]]|x (markdown)', OBSIDIAN)
  check('[x]([[a]]) [x]\n\n[x]: b.md', 'link a\nlink b.md|x (reference)')
  check('![x]([[a.png]])', 'embed [[a.png]]|x (markdown)')
})

test('W18: no line break inside', () => {
  check('[[a\nb]] [[a\r\nb]]', '')
})

test('W19: an escaped pipe splits, in tables and elsewhere', () => {
  check('[[a\\|n]]', 'link a|n')
  check('|x|\n|-|\n|[[a\\|n]]|', 'link a|n', OBSIDIAN)
})

test('W20: an unescaped pipe in a table cell is accepted leniently', () => {
  const table = '| x | y |\n|---|---|\n| [[a|n]] | [[b]] |'
  check(table, 'link a|n\nlink b')
  check(table, 'link b', OBSIDIAN)
  check('[[a|n]] | x\n--- | ---\n', 'link a|n')
})

test('W21: brackets bind tighter than the code span or tag inside', () => {
  check('[[F#hasTag|`hasTag`]] `[[x]]`', 'link F#hasTag|`hasTag`')
  check('[[a|<b>]] </b>', 'link a|<b>')
  check('`[[a` b]]', '')
})

test('W22: a dollar sign inside is not math', () => {
  check('[[cost $a]] and [[b$c]]', 'link cost $a\nlink b$c')
  check('$5 for [[b$c]]', 'link b$c')
})

test('W23: nothing is percent-decoded', () => {
  check('[[a%20b]]', 'link a%20b')
})

test('W24: URLs are external in lenient mode, unresolved targets in Obsidian', () => {
  check('[[https://e.com]] [[obsidian://x|y]] [[mailto:a@b.c]] [[Note: a]]', 'link Note: a')
  check('[[https://e.com]]', 'link https://e.com', OBSIDIAN)
})

test('W25: escaped brackets are text; an escaped ! leaves a link', () => {
  check('\\[\\[a\\]\\] \\[[a]] [\\[a]]', '')
  check('\\![[a]] \\\\[[b]]', 'link a\nlink b')
})

test('a wikilink ends the Markdown link around it', () => {
  check('[[a]](b.md)', 'link a')
  check('[x [[a]] y](b.md) [x ![[i]] y](c.md)', 'link a\nlink c.md|x ![[i]] y (markdown)\nembed i')
})

test('positions: the raw link, BOM and CRLF included', () => {
  const text = '\ufeffa\r\n\r\n> q ![[b|c]]\r\n> [x\r\n> y](d.md)'
  const links = parseNote(text, flavor()).links
  expect(links.map(({ line, column, start, end }) => [line, column, text.slice(start, end)])).toEqual([
    [3, 5, '![[b|c]]'],
    [4, 3, '[x\r\n> y](d.md)'],
  ])
  expect(parseNote('\ufeff[[a]]', flavor()).links[0]).toMatchObject({ line: 1, column: 2, start: 1, end: 6 })
})
