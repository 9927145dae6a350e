import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { check, DOCS, flavor, LOGSEQ, OBSIDIAN } from './check.ts'

test('inline fields give property links leniently', () => {
  const text =
    'up:: [[a]], [[b]] and ![[e]]\n- **Rel to**:: [[c]]\n- [ ] due:: [x](d.md)\n\ntext [also:: [[f]], [[g]]] [[h]] (see:: [[i]]) [[j]]'
  check(text, 'up: a\nup: b\nembed e\nRel to: c\ndue: d.md|x (markdown)\nalso: f\nalso: g\nlink h\nsee: i\nlink j')
  check('up:: [[a]]', 'link a', OBSIDIAN)
})

test('text that looks like an inline field but is not', () => {
  check('std::x [[a]]\na :: b\n[[c]]\nsee: this, that:: [[d]]\n`k:: ` [[e]]', 'link a\nlink c\nlink d\nlink e')
  check('| k:: [[a]] | [l:: [[b]]] |\n|-|-|', 'link a\nl: b')
})

test('Logseq: page references and tags', () => {
  check('- #[[two words]] #one [[a]] ![[b]]\n- \\#[[c]]', 'link two words (page)\nlink a\nembed b\nlink c\n#one', LOGSEQ)
  check('#[[x]]', 'link x')
})

test('Logseq: a label of a page is a link to it, and one of a block is none', () => {
  check('[x]([[a]]) [y]([[b c]]) [z](((65f-1)))', 'link a\nlink b c', LOGSEQ)
})

test('Logseq: page properties', () => {
  check(
    'title:: My Title\nalias:: A, [[B C]]\ntags:: x, [[y]], #z\n\n- text #w',
    'title My Title\nalias A\nalias B C\nalias: B C\ntags: y\n#x\n#y\n#z\n#w',
    LOGSEQ,
  )
  check('- type:: note\n  up:: [[a]]\n- b\n  rel:: [[c]]', 'up: a\nrel: c', LOGSEQ)
  expect(parseNote('type:: note\nup:: [[a]]\n', LOGSEQ).properties).toEqual({ type: 'note', up: '[[a]]' })
  check('text\ntitle:: no', '', LOGSEQ)
  check('title:: no', '', flavor())
})

test('Logseq: a page name with a space in `tags` is not a tag', () => {
  check('tags:: [[How To]], x', 'tags: How To\n#x', LOGSEQ)
})

test('Logseq: a list item stays one however deep it is indented', () => {
  const text = '# H\n\t- [[a]]\n\t\t- [ ] [[b]]\n\n\t\t\t- `[[no]]` [[c]]\n\ntext\n\n    [[code]]\n'
  check(text, 'h1 H\nlink a\nlink b\nlink c', LOGSEQ)
  expect(parseNote(text, LOGSEQ).tasks).toEqual([{ line: 3, state: 'open' }])
  check(text, 'h1 H')
})

test('Logseq: keywords mark tasks outside code', () => {
  const text =
    '- TODO a\n- DONE b\n\t- ## DOING c\n- ```\n  - TODO code\n  ```\n- [x] d\n- CANCELED e\n- TODOS\nTODO f\n- a TODO\n- WAITING g'
  expect(parseNote(text, LOGSEQ).tasks).toEqual([
    { line: 1, state: 'open' },
    { line: 2, state: 'done' },
    { line: 3, state: 'open' },
    { line: 7, state: 'done' },
    { line: 8, state: 'other' },
    { line: 12, state: 'open' },
  ])
  expect(parseNote(text, flavor()).tasks).toEqual([{ line: 7, state: 'done' }])
})

test('Logseq: the profile obsidian implies its mode', () => {
  check('title:: no\n#[[x]]', 'link x', { ...OBSIDIAN, mode: 'logseq' })
  check('<a href="a.md">', '', { ...OBSIDIAN, mode: 'docs' })
})

test('docs: HTML links, in blocks too, but not in comments, code or scripts', () => {
  check(
    '<div>\n<a\n href="a.md">x</a> <img src=\'b.png\'>\n<!-- <a href="x.md"> -->\n</div>\n\n<script>\n<a href="x.md">\n</script>\n\n`<a href="x.md">` <a name="x">',
    'link a.md (html)\nembed b.png (html)',
    DOCS,
  )
  check('> <p>\n> <a href="a&amp;b.md#c">', 'link a&b.md#c (html)', DOCS)
})
