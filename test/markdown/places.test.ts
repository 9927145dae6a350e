import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { check, flavor, OBSIDIAN } from './check.ts'

test('C1: headings, lists, tasks, quotes, callouts, cells, emphasis', () => {
  check('## On [[a]] ##\n\nOn\n[[b]]\n===', 'h2 On [[a]]\nh1 On [[b]]\nlink a\nlink b')
  check('- [ ] [[a]]\n\t- [[b]]\n\n1. x\n   [[c]]', 'link a\nlink b\nlink c')
  check('> [!note] T [[a]]\n> body [[b]]\n> > [[c]]', 'link a\nlink b\nlink c')
  check('| [[a]] | x |\n|---|---|\n| *[[b]]* | ==[[c]]== |', 'link a\nlink b\nlink c')
})

test('C2: footnotes', () => {
  check('t[^1]\n\n[^1]: one [[a]]\n\n    two [[b]]\n\n        code [[z]]\n', 'link a\nlink b')
  check('t ^[see [[a]]] [^1]: [[b]]', 'link a\nlink b')
})

test('C3: comments are flagged, and can be excluded', () => {
  const text = 'x %% [[a]] #c %% y #e\n\n%%\n[[b]]\n\n- #d\n%%\n[[c]]'
  check(text, 'link a (comment)\nlink b (comment)\nlink c\n#c\n#e\n#d')
  check(text, 'link c\n#e', flavor({ comments: false }))
})

test('C3: a comment needs its end', () => {
  check('100 %% of [[a]]\n\n[[b]] %% x', 'link a\nlink b')
  check('%% open\n[[a]]', 'link a')
  check('`%%` [[a]] %%', 'link a')
})

test('C4: %%%% does not open a comment', () => {
  check('%%%% [[a]]\n\n%%\n', 'link a')
})

test('C5: HTML comments', () => {
  check('a <!-- [[x]] --> [[a]] <!--> [[b]] <!-- [[c]]', 'link a\nlink b\nlink c')
  check('<!--\n[[x]]\n\n[[y]]\n--> [[z]]\n[[a]]', 'link a')
  check('<!-- never closed\n\n[[a]]', '')
})

test('C6: HTML blocks end at a blank line, raw ones at their closing tag', () => {
  check('<div>\n[[x]]\n</div>\n\n[[a]]', 'link a')
  check('<div>\n\n[[a]]\n\n</div>', 'link a')
  check('<pre>\n\n[[x]]\n\n</pre>\n[[a]]', 'link a')
  check('<?php\n\n[[x]] ?>\n[[a]]\n\n<![CDATA[\n\n[[x]]\n]]>\n[[b]]\n\n<!D\n[[x]]>\n[[c]]', 'link a\nlink b\nlink c')
  check('<b>\n[[x]]\n</b>\n\ntext\n<b>\n[[a]]\n</b>', 'link a')
  check('- <div>\n  [[x]]\n- [[a]]', 'link a')
})

test('C7: text between inline tags counts, attributes do not', () => {
  check('<b>[[a]]</b> <span title="[[x]]">[[b]]</span> x<br>[[c]] <a\ntitle="[[x]]"> <b [[d]]>', 'link a\nlink b\nlink c\nlink d')
})

test('C8: code spans and fences', () => {
  check('`[[x]]` ``x ` [[x]]`` `` [[a]] `', 'link a')
  check('`a\n[[x]]\nb` [[a]]\n\n` [[b]]\n\n` [[c]]', 'link a\nlink b\nlink c')
  check('\\`[[a]]`\n\n\\\\`[[x]]`', 'link a')
  check('```dataview\nLIST FROM [[x]]\n```\n~~~md\n[[x]]\n~~~\n[[a]]', 'link a')
})

test('C9: a fence closes with the same mark, at least as long, without info', () => {
  check('````\n```\n[[x]]\n~~~~\n```` js\n[[x]]\n````` \n[[a]]', 'link a')
  check('```\n[[x]]\n\n[[x]]', '')
  check('``` a`b\n[[a]]', 'link a')
  check('text\n```\n[[x]]\n    ```\n[[x]]\n  ```\n[[a]]', 'link a')
})

test('C9: a fence ends with its list or quote', () => {
  check('- ```\n  [[x]]\n[[a]]', 'link a')
  check('> ```\n> [[x]]\n[[a]]', 'link a')
  check('> ```\n[[a]]', 'link a')
  check('- ```\n\n  [[x]]\n  ```\n  [[a]]', 'link a')
})

test('C10: indented code', () => {
  check('p\n\n    [[x]]\n\n    [[x]]\n[[b]]', 'link b')
  check('p\n    [[a]]\n\n\t[[x]]', 'link a')
  check('- p\n\n    [[a]]\n\n      [[x]]', 'link a')
  check('> p\n    [[a]]\n\n>     [[x]]', 'link a')
  check('# H\n    [[x]]', 'h1 H')
})

test('lazy continuation, and what interrupts it', () => {
  check('> - p\n[[a]]\n- [[b]]\n      [[c]]', 'link a\nlink b\nlink c')
  check('> p `a\nb [[x]]` [[c]]', 'link c')
})

test('C11, C12: math', () => {
  check('$x [[x]] y$ [[a]] $$ [[x]] $$ [[b]]', 'link a\nlink b')
  check('$$\n[[x]]\n\n[[x]]\n$$ [[a]]\n[[b]]', 'link a\nlink b')
  check('costs $5 for [[a]] or $6\n\n$ [[b]] $ \\$[[c]]$', 'link a\nlink b\nlink c')
  check('$$ never closed\n\n[[a]]', 'link a')
  check('- $$\n  [[x]]\n- [[a]]\n\n$$', 'link a')
  check('$5 [[a]]\nand 6$', 'link a')
})

test('C13: link text', () => {
  check('[see ![[i]] #t](https://e.com)', 'embed i\n#t')
})

test('C14: frontmatter outside links and tags', () => {
  check('---\ntext: "#x y"\n---\n', '')
})

test('headings: text as written, h1, levels', () => {
  check('# A #b\n\n## *C* `d` ##\n####### x\n#y\n#\tZ', 'h1 A #b\nh2 *C* `d`\nh1 Z\n#b\n#y')
  const note = parseNote('---\na: 1\n---\n## B\n# [[A]]\n# C', flavor())
  expect(note.h1).toBe('[[A]]')
  expect(note.headings.map(({ line }) => line)).toEqual([4, 5, 6])
})

test('setext headings, thematic breaks and tables', () => {
  check('a\n---\nb\n\n---\n\n- - -\nc\n***\nd\n===', 'h2 a\nh1 d')
  check('> a\n---\n- b\n---\n  c\n  ---', 'h2 c')
  check('a | b\n- | -\n`x | y` [[a]]\n[[b]]\n\n[[c]]', 'link a\nlink b\nlink c')
})

test('definitions are not text', () => {
  check('[a]: <b [[x]]>\n  "title [[x]]\n  goes on"\n[[a]]\n\n[b]: c d [[b]]', 'link a\nlink b')
  check('[a]: b\n===\n\n[r]: x\ny\n---', 'h2 y')
})

test('block ids stand at the end of a block', () => {
  check('text ^a-1\n\n- item ^b\n  - ^c\n\n^d\n\n| x |\n|---|\n| y |\n^e\n\n# H ^f', 'h1 H ^f\n^a-1\n^b\n^c\n^d\n^e\n^f')
  check('text ^a\nmore\n\nx^b\n\n`^c`\n\n```\n^d\n```\n^e_f', '')
})

test('CRLF equals LF everywhere', () => {
  const lf =
    '---\nup: "[[a]]"\n---\n```\n[[x]]\n```\n> - [[b]] ^id\n\nH\n===\n| a |\n|---|\n| [[c]] |\n\n[r]: d.md\n\n[r] %% #t %%'
  const facts = 'h1 H\nup: a\nlink b\nlink c\nlink d.md|r (reference)\n#t\n^id'
  check(lf, facts)
  check(lf.replaceAll('\n', '\r\n'), facts)
  check(lf.replaceAll('\n', '\r\n'), facts.replace('link d.md|r (reference)\n', ''), OBSIDIAN)
})

test('reports a file whose lines end in carriage returns alone, and reads it as one line', () => {
  check('---\rtags: [x]\r---\r# A\r\r[[b]] #t\r', 'link b\n#t\nbad 1')
  check('[[b]]\r', 'link b')
  check('# A\n\nx\r# B\r\n', 'h1 A')
})

test('reports a NUL character once, with its first line, and reads the rest', () => {
  check('[[a]]\n\nx\0y [[b]] #t\n\n\0', 'link a\nlink b\n#t\nbad 3')
  check('---\naliases: x\n---\r\n\0', 'alias x\nbad 4', OBSIDIAN)
})
