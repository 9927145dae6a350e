import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CLOSED, markProse, OPEN, SILENT } from '../../../src/markdown/inline-spans.ts'
import { soup } from '../soups.ts'

/** The text, with a sign for each code unit that is not open for links. */
function shown(text: string, from = 0): string {
  const marks = markProse(text, from)
  return [...text].map((unit, at) => (unit === '\n' || marks[at] === OPEN ? unit : marks[at] === CLOSED ? '#' : '-')).join('')
}

describe('places for links', () => {
  test.each([
    ['plain text', 'a b\nc', 'a b\nc'],
    ['a heading', '# a\nb', '###\nb'],
    ['a quote, after its first line too', '> a\n> b\n\nc', '###\n###\n\nc'],
    ['code in a line', 'a `b` c', 'a ### c'],
    ['a block of code', 'a\n\n```js\nb\n```\n\nc', 'a\n\n#####\n#\n###\n\nc'],
    ['math', 'a $b$ c', 'a ### c'],
    ['a wikilink', 'a [[b|c]] d', 'a ####### d'],
    ['a link, whose address no one reads', 'a [b](c.md) d', 'a ##------- d'],
    ['a picture', 'a ![b](c.png) d', 'a !##-------- d'],
    ['an address', 'a https://b.c/d e', 'a ------------- e'],
    ['an address in brackets', 'a <https://b.c> e', 'a ------------- e'],
    ['HTML in a line', 'a <b>c</b> d', 'a ---c---- d'],
    ['a block of HTML', '<div id="a">\nb\n</div>\n\nc', '------------\n#\n------\n\nc'],
    ['a comment', 'a %%b%% c', 'a ##### c'],
    ['a tag', 'a #b c', 'a ## c'],
    ['a row of a table', '| a | b |\n|---|---|\n| c | d |', '| a | b |\n#########\n| c | d |'],
    ['an item of a list', '- a\n  - b', '##a\n####b'],
  ])('%s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  test('are not in the frontmatter', () => {
    expect(shown('---\na: b\n---\nc', 13)).toBe('---\n----\n---\nc')
  })

  test('are known for every text, and never in a quote line', () => {
    fc.assert(
      fc.property(soup, fc.nat(20), (text, from) => {
        // The body must begin with the start of a line.
        const marks = markProse(text, from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1)
        expect(marks).toHaveLength(text.length)
        for (const { index, 0: line } of text.matchAll(/^>[^\n]*/gm)) {
          expect([...marks.subarray(index, index + line.length)].includes(OPEN)).toBe(false)
        }
      }),
    )
  })

  test('take linear time for deeply nested links', () => {
    const depth = 40_000
    const marks = markProse(`${'!['.repeat(depth)}a${'](b)'.repeat(depth)}`, 0)
    expect(marks.at(-1)).toBe(SILENT)
  })
})
