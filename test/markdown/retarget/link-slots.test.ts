import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCanvas } from '../../../src/markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { slotsOfCanvas, slotsOfNote } from '../../../src/markdown/retarget/link-slots.ts'
import { DOCS, flavor, LOGSEQ, OBSIDIAN } from '../check.ts'
import { soup } from '../soups.ts'

/** Writes a target and a subpath into the first link of a note. */
function write(text: string, target: string, subpath?: string, given = flavor()): string | undefined {
  const [link] = parseNote(text, given).links
  const slots = link && slotsOfNote(text, given)(link)
  const slot = subpath === undefined ? slots?.target : slots?.subpath
  const written = slot?.write(subpath ?? target)
  return slot && written !== undefined ? text.slice(0, slot.start) + written + text.slice(slot.end) : undefined
}

describe('what each notation can hold', () => {
  test.each([
    ['[[a]]', 'b#c', undefined],
    ['[[a]]', 'b|c', undefined],
    ['[[a]]', 'b]]c', undefined],
    ['[[a]]', '[b', undefined],
    ['[[a]]', 'b]', undefined],
    ['[[a|x]]', 'b]', '[[b]|x]]'],
    ['[[a|x]]', 'b\\', undefined],
    ['[[a]]', ' b', undefined],
    ['[[a]]', 'https://x', undefined],
    ['[[a]]', 'b\nc', undefined],
    ['[x](a)', 'b\nc', '[x](b%0Ac)'],
    ['[x](a)', 'http:b', '[x](http%3Ab)'],
    ['[x](a)', 'b&amp;c & d', '[x](b%26amp;c%20&%20d)'],
    ['[x](a)', '(b)(', '[x](%28b%29%28)'],
    ['[x](a)', '(b)', '[x]((b))'],
    ['[x](<a>)', '(b', '[x](<%28b>)'],
    ['[x](a\\#h)', 'b', '[x](b\\#h)'],
    ['[x](a&num;h)', 'b', '[x](b&num;h)'],
    ['[x](a)', '\ud800', '[x](\ud800)'],
  ])('%s: %j', (text, target, after) => expect(write(text, target)).toBe(after))

  test.each([
    ['[[a#h|x]]', 'i#j', '[[a#i#j|x]]'],
    ['[[a#h]]', 'i|j', undefined],
    ['[x](a#h "t")', 'i j', '[x](a#i%20j "t")'],
    ['[x](<a#h>)', 'i > j', '[x](<a#i %3E j>)'],
    ['[r]\n\n[r]: a#h', 'i', '[r]\n\n[r]: a#i'],
  ])('subpath of %s: %j', (text, subpath, after) => expect(write(text, '', subpath)).toBe(after))

  test('HTML', () => {
    expect(write(`<a href='a'>`, "it's", undefined, DOCS)).toBe(`<a href='it%27s'>`)
    expect(write(`<a href="a">`, `it's "b"`, undefined, DOCS)).toBe(`<a href="it's %22b%22">`)
    expect(write('<a href=a>', 'b=c d', undefined, DOCS)).toBe('<a href=b%3Dc%20d>')
  })
})

test('a link that does not occur in the text has no slot', () => {
  const slots = slotsOfNote('no links', flavor())
  const place = { target: 'a', kind: 'link', start: 2, end: 6 } as const
  for (const form of ['wikilink', 'markdown', 'reference', 'html', 'canvas', 'page'] as const) {
    expect(slots({ ...place, form })).toBeUndefined()
    expect(slotsOfCanvas('{"nodes":[]}', flavor())({ ...place, form })).toBeUndefined()
    expect(slotsOfCanvas('{', flavor())({ ...place, form })).toBeUndefined()
  }
})

test.each([flavor(), OBSIDIAN, DOCS, LOGSEQ])('every link of any text has a slot with its own text: $mode', (given) => {
  fc.assert(
    fc.property(soup, (text) => {
      const slots = slotsOfNote(text, given)
      for (const link of parseNote(text, given).links) {
        const found = slots(link)
        expect(found?.subpath === undefined, JSON.stringify(link)).toBe(link.subpath === undefined)
        expect(found?.target, JSON.stringify(link)).toBeDefined()
      }
      const canvas = JSON.stringify({
        nodes: [
          { type: 'text', text },
          { type: 'file', file: 'é/"a".md', subpath: '#h' },
        ],
      })
      const inCanvas = slotsOfCanvas(canvas, given)
      for (const link of parseCanvas(canvas, given).links) expect(inCanvas(link)?.target, JSON.stringify(link)).toBeDefined()
    }),
    { numRuns: 500 },
  )
})
