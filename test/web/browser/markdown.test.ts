import { describe, expect, test } from 'vitest'
import type { PageText } from '../../../src/app/read/page-note.ts'
import { findFormulas } from '../../../src/markdown/inline-spans.ts'
import { readFormula } from '../../../src/web/client/formula.ts'
import { type MarkdownNode, renderMarkdown } from '../../../src/web/client/markdown.ts'
import { parseMarkdown } from '../../../src/web/client/markdown-tree.ts'

const SLOTS = { link: () => 'link', embed: () => 'embed' }

function textOf(text: string): PageText {
  return { title: 'a', text, left_out: 0, lines_before: 0, links: [], comments: [], formulas: [], breaks: false }
}

const filled = (part: string): string => part.repeat(200_000 / part.length)

test.each([
  ['quotes', `${'>'.repeat(50_000)} x`],
  ['quotes with blanks', `Text\n${'> '.repeat(50_000)}x`],
  ['lists on one line', `${'- '.repeat(50_000)}x`],
  ['lists', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
  ['emphases', `${'*a_'.repeat(250)}b${'_a*'.repeat(250)}`],
])('endlessly nested %s are shown as source', (_, text) => {
  const note = textOf(text)
  const tree = parseMarkdown(note)
  expect(tree).toBeUndefined()
  expect(renderMarkdown(note, tree, SLOTS)).toMatchObject([{ type: 'p' }, { type: 'pre', props: { children: text } }])
})

test.each([
  ['brackets', filled('[')],
  ['emphases that end nowhere', filled('*_*_ ')],
  ['emphases within one another', `${'*a '.repeat(30_000)}b${' a*'.repeat(30_000)}`],
  ['crossed out and emphasized', `${'~a*'.repeat(30_000)}b${'*a~'.repeat(30_000)}`],
  ['backticks', filled('`a')],
  ['links within one another', `${'['.repeat(50_000)}a${'](b)'.repeat(30_000)}`],
  ['pictures within one another', `${'!['.repeat(25_000)}a${'](b)'.repeat(25_000)}`],
  ['a table', `| a | b |\n| - | - |\n${filled('| a | b |\n')}`],
  ['a table of short rows', `${'| a '.repeat(12_000)}|\n${'| - '.repeat(12_000)}|\n${filled('|\n')}`],
  ['a list', filled('- a\n')],
  ['empty items', filled('-\n')],
  ['headings', filled('a\n=\n')],
  ['a quote that goes on', `${'>'.repeat(49)}${filled('a\n')}`],
  ['footnotes within one another', filled('[^a]:\n    ')],
  ['references to characters', `www.a.b${filled('&a;')}`],
])('200,000 characters of %s without a possible end are not parsed', (_, text) => {
  expect(parseMarkdown(textOf(text), { maxMarks: 5_000 })).toBeUndefined()
})

test('a long note of ordinary text is parsed even without a possible end', () => {
  const note = textOf(
    filled('Many words in a row, still more of them than before, and [one link](https://a.example) in them. ').slice(0, 60_000),
  )
  expect(parseMarkdown(note, { maxMarks: 5_000 })).toHaveLength(1)
  expect(parseMarkdown(textOf('# A\n\n- *a*\n'.repeat(400)), { maxMarks: 5_000 })).toBeDefined()
})

test('ordinary quotes and lists become elements', () => {
  const note = textOf('> > quote\n\n- a\n  - b\n    - c\n')
  expect(renderMarkdown(note, parseMarkdown(note), SLOTS)).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'blockquote' }), expect.objectContaining({ type: 'ul' })]),
  )
})

test('in Obsidian mode block ids are hidden; elsewhere they are text', () => {
  const text = 'A claim. ^claim\n\n- GitHub: x ^github\n- 2 ^ 3\n\nAt ^the end not'
  const shown = (breaks: boolean) => JSON.stringify(parseMarkdown({ ...textOf(text), breaks }))
  expect(shown(true)).not.toMatch(/\^claim|\^github/)
  for (const kept of ['A claim.', 'GitHub: x', '2 ^ 3', 'At ^the end not']) expect(shown(true)).toContain(kept)
  expect(shown(false)).toContain('A claim. ^claim')
})

describe('formulas', () => {
  const withFormulas = (text: string): PageText => ({ ...textOf(text), formulas: findFormulas(text, 0) })
  const shown = (text: string, options = { readFormula }): string => {
    const tree = parseMarkdown(withFormulas(text), options)
    const written = (node: MarkdownNode): string =>
      typeof node === 'string' ? node : `<${node.name}>${node.children.map(written).join('')}</${node.name}>`
    return tree?.map(written).join('').replaceAll('\n', '') ?? ''
  }

  test('become MathML, inline and as blocks, whatever their marks mean elsewhere', () => {
    expect(shown('So $a_1*b_2*c$ is.')).toBe(
      '<p>So <math><mrow><msub><mi>a</mi><mn>1</mn></msub><mo>∗</mo><msub><mi>b</mi><mn>2</mn></msub><mo>∗</mo><mi>c</mi></mrow></math> is.</p>',
    )
    const [block] = parseMarkdown(withFormulas('$$\nx\n$$\n'), { readFormula }) ?? []
    expect(JSON.stringify(block)).toContain('"display":"block"')
  })

  test('in quotes and lists stay there, and later lines keep their numbers', () => {
    expect(shown('> $$\n> x\n> $$\n> after')).toMatch(/^<blockquote><p><math>.*<\/math>.*after<\/p><\/blockquote>$/)
    const tree = parseMarkdown(withFormulas('- one\n  $$\n  x\n  $$\n- two\n\nlast'))
    expect(tree?.find((node) => typeof node === 'object' && node.name === 'p')).toMatchObject({ line: 7 })
  })

  test('stay as source if they are not TeX, in alternative texts, and without a TeX parser', () => {
    expect(shown('A $\\nonsense{x}$ here')).toBe('<p>A $\\nonsense{x}$ here</p>')
    expect(shown('A $x$ here', {} as never)).toBe('<p>A $x$ here</p>')
    const [paragraph] = parseMarkdown(withFormulas('![of $x$](https://a.example/b.png)'), { readFormula }) ?? []
    expect(JSON.stringify(paragraph)).toContain('"alt":"of $x$"')
  })

  test('may define macros for later ones', () => {
    expect(shown('$\\gdef\\half{\\frac12}$ and $\\half$')).toContain('<mfrac><mn>1</mn><mn>2</mn></mfrac>')
  })

  test('cannot link, load or run forever', () => {
    const hostile = [
      '\\href{javascript:alert(1)}{x}',
      '\\url{https://a.example}',
      '\\includegraphics{https://a.example/b.png}',
      '\\class{note}{x}',
      '\\style{background:url(https://a.example)}{x}',
      '\\color{url(https://a.example)} x',
      '\\text{<img src=x onerror=alert(1)>}',
      '\\def\\a{\\a\\a}\\a',
      '{'.repeat(10_000),
      '\\frac'.repeat(5_000),
    ]
    for (const tex of hostile) {
      const tree = parseMarkdown(withFormulas(`$${tex}$`), { readFormula })
      const text = JSON.stringify(tree ?? '')
      expect(text).not.toMatch(/"(?:href|src|id|onerror)"|"style":\{[^}]*url/)
    }
  })

  test('are no longer laid out once there are too many for a browser', () => {
    let laidOut = 0
    const countFormulas = () => {
      laidOut++
      return { name: 'math', properties: {}, line: undefined, children: [] }
    }
    expect(parseMarkdown(withFormulas('$x$ '.repeat(30_000)), { readFormula: countFormulas })).toBeUndefined()
    expect(laidOut).toBeLessThan(20_002)
  })

  test('that are too large to lay out leave the note as source', () => {
    expect(parseMarkdown(withFormulas(`$${'x+'.repeat(15_000)}x$`), { readFormula })).toBeUndefined()
  })
})

test.each([
  ['==a==', ['<mark>a</mark>']],
  ['see ==**a** b== and ==c==.', ['see ', '<mark><strong>a</strong> b</mark>', ' and ', '<mark>c</mark>', '.']],
  ['a == b == c, d==', ['a == b == c, d==']],
  ['a === b === c', ['a === b === c']],
  ['`==a==`', ['<code>==a==</code>']],
])('%s is highlighted between two marks without a space', (text, shown) => {
  const written = (node: MarkdownNode): string =>
    typeof node === 'string' ? node : `<${node.name}>${node.children.map(written).join('')}</${node.name}>`
  const [paragraph] = parseMarkdown(textOf(text)) ?? []
  expect(typeof paragraph === 'object' && paragraph.children.map(written)).toEqual(shown)
})
