import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCanvas } from '../../../src/markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { isTagName, renameTagInCanvas, renameTagInNote, type TagEdits } from '../../../src/markdown/retarget/rename-tag.ts'
import { flavor, LOGSEQ } from '../check.ts'

const RENAMING = { from: 'Old', to: 'new/x' }

function apply(text: string, { edits }: TagEdits): string {
  return edits.reduceRight((edited, { start, end, text: by }) => edited.slice(0, start) + by + edited.slice(end), text)
}

function check(before: string, after: string, given = flavor(), renaming = RENAMING): void {
  const found = renameTagInNote(before, renaming, given)
  expect(apply(before, found)).toBe(after)
  expect(found.unfit).toEqual([])
}

test.each([
  ['in the text', '#old, #OLD/a #older `#old` #x/old', '#new/x, #new/x/a #older `#old` #x/old'],
  ['twice on a line, in a quote, in a heading', '> a #old\n> #old#old\n\n# H #old', '> a #new/x\n> #new/x#new/x\n\n# H #new/x'],
  [
    'in a list',
    '---\ntags:\n  - old # why old\n  - "#old/a"\n  - \'old\'\n  - older\n---\n',
    '---\ntags:\n  - new/x # why old\n  - "#new/x/a"\n  - \'new/x\'\n  - older\n---\n',
  ],
  ['in a flow list', '---\ntags: [a, old , "b old"]\n---\n', '---\ntags: [a, new/x , "b new/x"]\n---\n'],
  ['in one string', '---\nTags: old, b #old/c\n---\n', '---\nTags: new/x, b #old/c\n---\n'],
  [
    'not in placeholders, links and other text of the property',
    '---\ntags: ["{{old}}", "[[old]]", "#a#old", old]\n---\n',
    '---\ntags: ["{{old}}", "[[old]]", "#a#old", new/x]\n---\n',
  ],
  [
    'not in a link next to tags',
    '---\ntags: "[[my old]] old"\ntag: old, "[[old]]"\n---\n',
    '---\ntags: "[[my old]] new/x"\ntag: new/x, "[[old]]"\n---\n',
  ],
  ['not in a link in a list', '---\ntags:\n  - "[[old]] old"\n---\n', '---\ntags:\n  - "[[old]] new/x"\n---\n'],
  ['nowhere else', '---\ntitle: old\naliases: [old]\n---\n[[old]] old', '---\ntitle: old\naliases: [old]\n---\n[[old]] old'],
  ['in malformed frontmatter', '---\ntags: [old]\na: b: c\n---\n#old', '---\ntags: [new/x]\na: b: c\n---\n#new/x'],
])('renames a tag %s', (_, before, after) => check(before, after))

test('keeps the key `tags`', () =>
  check('---\ntags: tags\na: b: c\n---\n', '---\ntags: x\na: b: c\n---\n', flavor(), { from: 'tags', to: 'x' }))

test('quotes a tag that YAML would read as a number or keyword', () => {
  for (const to of ['1e5', 'true', '-x'])
    check('---\ntags: [a, old]\n---\n', `---\ntags: [a, "${to}"]\n---\n`, flavor(), { from: 'old', to })
})

test('Logseq: page properties', () => {
  check('tags:: old, [[old]], #b\n\n#old', 'tags:: new/x, [[new/x]], #b\n\n#new/x', LOGSEQ)
  check('tags:: [[my old]], old, my old, #[[old/a]]', 'tags:: [[my old]], new/x, my old, #[[new/x/a]]', LOGSEQ)
  check('---\ntags: "[[old]] old"\n---\n', '---\ntags: "[[old]] new/x"\n---\n', LOGSEQ)
})

test('reports a tag that is written with escapes or is a word of a link', () => {
  const unfitIn = (text: string) => renameTagInNote(text, RENAMING, flavor())
  expect(unfitIn('---\na: 1\ntags: ["\\u006fld"]\n---\n')).toEqual({ edits: [], unfit: [{ line: 3, reason: 'escaped' }] })
  expect(unfitIn('---\ntags: "[[my old note]]"\n---\n')).toEqual({ edits: [], unfit: [{ line: 2, reason: 'in a link' }] })
})

test("Logseq: renames a page's tag, but not the pages below it", () => {
  const page = (to: string) => ({ from: 'Old', to, isPage: true })
  check('tags:: old, old/a, #b\n\n#old #old/a', 'tags:: c/d, old/a, #b\n\n#c/d #old/a', LOGSEQ, page('c/d'))
  check('tags:: old, #old\n\n#old, #Old', 'tags:: [[c d]], #[[c d]]\n\n#[[c d]], #[[c d]]', LOGSEQ, page('[[c d]]'))
  check('---\ntags: [a, old]\n---\n#old', '---\ntags: [a, c/d]\n---\n#c/d', LOGSEQ, page('c/d'))
})

test('Logseq: a tag in frontmatter is reported if the new name is not a tag', () => {
  const found = renameTagInNote('---\ntags: [a, old]\n---\n', { from: 'old', to: '[[c d]]', isPage: true }, LOGSEQ)
  expect(found).toEqual({ edits: [], unfit: [{ line: 2, reason: 'not a tag' }] })
})

test('in the cards of a canvas', () => {
  const canvas = '{"nodes":[{"type":"text","text":"\\"q\\"\\n#old"},{"type":"file","file":"old.md"}]}'
  expect(apply(canvas, renameTagInCanvas(canvas, RENAMING, flavor()))).toBe(canvas.replace('#old', '#new/x'))
  expect(renameTagInCanvas('{', RENAMING, flavor())).toEqual({ edits: [], unfit: [] })
})

test('valid tag names', () => {
  expect(['a/b', 'ä-1', '1', 'a b', '', 'a/', '#a', 'a.b'].map(isTagName)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ])
})

test("changes only the name of a note's tags", () => {
  const tag = fc.constantFrom('old', 'OLD/a', 'older', 'x/old', 'b', 'Old/old')
  const piece = fc.oneof(
    tag.map((name) => `#${name}`),
    tag.map((name) => `**#${name}**`),
    tag.map((name) => `\`#${name}\` %% #${name} %%`),
    tag.map((name) => `> - [a #${name}](b.md) #${name}.`),
  )
  const item = fc.tuple(tag, fc.constantFrom('', '"', "'")).map(([name, quote]) => `${quote}${name}${quote}`)
  const frontmatter = fc.oneof(
    fc.constant(''),
    fc.array(item, { minLength: 1 }).map((items) => `---\ntags: [${items.join(', ')}]\n---\n`),
    fc.array(item, { minLength: 1 }).map((items) => `---\nk: v\ntag:\n${items.map((each) => `- ${each}`).join('\n')}\n---\n`),
    fc.array(tag, { minLength: 1 }).map((names) => `---\ntags: ${names.join(' ')}\n---\n`),
  )
  fc.assert(
    fc.property(frontmatter, fc.array(piece), fc.constantFrom('\n\n', ' ', '\r\n'), (front, pieces, joint) => {
      const text = front + pieces.join(joint)
      const tagsOf = (note: string) => parseNote(note, flavor()).tags.map(({ name }) => name.toLowerCase())
      const renamed = tagsOf(text).map((name) => name.replace(/^old(?=\/|$)/, 'new/x'))
      expect(tagsOf(apply(text, renameTagInNote(text, RENAMING, flavor())))).toEqual(renamed)
      const canvas = JSON.stringify({ nodes: [{ type: 'text', text }] })
      const inCard = parseNote(`\n${text}`, flavor()).tags.length
      expect(parseCanvas(apply(canvas, renameTagInCanvas(canvas, RENAMING, flavor())), flavor()).tags.length).toBe(inCard)
    }),
  )
})
