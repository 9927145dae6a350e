import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MarkedText, readableText, wrapMarked } from '../../../src/cli/output/marked-text.ts'
import { textWidth } from '../../../src/cli/output/text.ts'

/** Parses `a <b> c` into text with `b` marked. */
function marked(text: string): MarkedText {
  const marks: [number, number][] = []
  let plain = ''
  for (const part of text.split(/(<[^>]*>)/)) {
    if (!part.startsWith('<')) plain += part
    else {
      marks.push([plain.length, plain.length + part.length - 2])
      plain += part.slice(1, -1)
    }
  }
  return { text: plain, marks }
}

const mark = (text: string) => `<${text}>`
const wrap = (text: string, width = 12, lines = 9) => wrapMarked(marked(text), { width, lines, mark })

describe('wrapping', () => {
  test.each<[string, readonly string[]]>([
    ['', []],
    ['one two three', ['one two', 'three']],
    ['one  \n\t two', ['one two']],
    ['a\nb', ['a b']],
    ['a\n\nb', ['a', 'b']],
    ['| a | b |\n| - | - |\n| <c> | d |\ne', ['| a | b |', '| - | - |', '| <c> | d |', 'e']],
    ['say\n- one\n- two', ['say', '- one', '- two']],
    ['do\n```js\n  if (<x>)\n\ty\n```\nthen\nso', ['do', '```js', '  if (<x>)', '  y', '```', 'then so']],
    ['one <two> three', ['one <two>', 'three']],
    ['pre<fix>ed <a>b', ['pre<fix>ed', '<a>b']],
    ['<two words> more', ['<two> <words>', 'more']],
    ['日本語の文章は長い', ['日本語の文', '章は長い']],
    ['abcdefghijklmnop', ['abcdefghij', 'klmnop']],
    ['ab<cdefghijkl>mn', ['ab<cdefghij>', '<kl>mn']],
    ['steer\u001b[2Jing', ['steer[2Jin', 'g']],
  ])('%j', (text, expected) => {
    expect(wrap(text)).toEqual(expected)
  })

  test('keeps the lines with the most marks, and shows where lines were left out', () => {
    const text = 'nothing nothing <one> nothing <one> <two> xx nothing'
    expect(wrap(text, 12, 1)).toEqual(['…<one> <two> xx…'])
    expect(wrap('a nothing here nothing', 12, 1)).toEqual(['a nothing…'])
    expect(wrap('nothing nothing <here>', 12, 1)).toEqual(['…<here>'])
  })

  test('wraps a long paragraph without quadratic time', () => {
    const text = '日本語 word '.repeat(8_000)
    const began = performance.now()
    wrapMarked({ text, marks: [[0, 3]] }, { width: 80, lines: 4, mark })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('no line is too wide, and no word is lost', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 80 })
    fc.assert(
      fc.property(texts, fc.nat(80), fc.nat(20), fc.integer({ min: 4, max: 20 }), (text, from, length, width) => {
        const start = Math.min(from, text.length)
        const given = { text, marks: [[start, Math.min(text.length, start + length)]] as const }
        const lines = wrapMarked(given, { width, lines: 1_000, mark: (part) => part })
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
        const whole = wrapMarked({ text, marks: [] }, { width, lines: 1_000, mark: (part) => part })
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.join('').replaceAll(' ', ''))
      }),
    )
  })
})

describe('readable Markdown', () => {
  test.each([
    ['See [[Bulk fermentation]] and [[Grains/Rye|the rye]].', 'See Bulk fermentation and the rye.'],
    ['[a page](https://example.org/x?y=z) here', 'a page here'],
    ['[![all releases](https://img.example/x)](https://github.com/x)', 'all releases'],
    ['![[pic.png]] <button id=HH>Open</button>', 'pic.png Open'],
    ['| a | b | |---|:-:| | 1 | 2 |', '| a | b |  | 1 | 2 |'],
    ['**Tight** and *where*', 'Tight and *where*'],
    ['cut off [a page](https://exam…', 'cut off [a page](https://exam…'],
    ['[x] a task, a[1] = b < c', '[x] a task, a[1] = b < c'],
    ['![[x.pdf]] is written `![[x.pdf]]` or ``[[`a`]]``', 'x.pdf is written `![[x.pdf]]` or ``[[`a`]]``'],
    ['a\n```md\n![[x.pdf]] **b**\n```\n[[c]]', 'a\n```md\n![[x.pdf]] **b**\n```\nc'],
    ['a `b [[c]]', 'a `b c'],
    ['~~~\n[[cut off', '~~~\n[[cut off'],
  ])('%s', (text, expected) => {
    expect(readableText({ text, marks: [] }).text).toBe(expected)
  })

  test('marks follow their words', () => {
    const { text, marks } = readableText({
      text: 'On [[Grains/Rye|rye bread]] and [rye](http://rye)',
      marks: [
        [12, 15],
        [16, 19],
        [33, 36],
        [45, 48],
      ],
    })
    expect(text).toBe('On rye bread and rye')
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['rye', 'rye'])
  })

  test('marks stay inside the text and in order', () => {
    const pieces = fc.constantFrom('[', ']', '(', ')', '|', '!', '**', '<b>', '-', ' ', 'word', '[[', ']]', '](x)')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const written = parts.join('')
        const each = Array.from({ length: written.length }, (_, at): [number, number] => [at, at + 1])
        const { text, marks } = readableText({ text: written, marks: each })
        expect(marks.map(([start, end]) => text.slice(start, end)).join('')).toBe(text)
      }),
    )
  })
})
