import { expect, test } from 'vitest'
import { parseCanvas } from '../../src/markdown/json-canvas/parse-canvas.ts'
import { checkCanvas, flavor } from './check.ts'

const canvas = (...nodes: object[]) =>
  JSON.stringify({ nodes, edges: [{ id: 'e', fromNode: '1', toNode: '2' }] }, undefined, '\t')

test('J2: text cards are Markdown', () => {
  checkCanvas(
    canvas({ type: 'text', text: '# H\nsee [[b|x]] #t `[[z]]`' }, { type: 'text', text: '---\n[[c]]' }),
    'link b|x\nlink c\n#t',
  )
})

test('J3: file cards name an exact path and a subpath', () => {
  checkCanvas(
    canvas({ type: 'file', file: 'f/a.md', subpath: '#H#S' }, { type: 'file', file: 'p.png' }),
    'embed f/a.md#H#S (canvas)\nembed p.png (canvas)',
  )
})

test('J4, J5: link cards, labels of groups and edges are not links', () => {
  checkCanvas(
    canvas(
      { type: 'link', url: 'https://e.com', text: '[[x]]', background: 'p.png' },
      { type: 'group', label: '[[x]]', file: 'x', subpath: '#x' },
    ),
    '',
  )
})

test("a group's background is an exact path, as that of a file card", () => {
  const groups = [
    { background: 'f/p.png', type: 'group', backgroundStyle: 'cover', label: 'G' },
    { type: 'group', background: '' },
  ]
  checkCanvas(
    canvas(...groups, { type: 'file', file: 'a.md', background: 'q.png' }),
    'embed f/p.png (canvas)\nembed a.md (canvas)',
  )
  checkCanvas(canvas({ type: 'group', background: 'https://e.com/p.png' }), '')
})

test('J7: broken JSON is a problem, an empty file is fine', () => {
  checkCanvas('{"nodes":\n[', 'bad 2')
  checkCanvas('{"nodes":\n\n[{"text": x}]}\n\n\n', 'bad 3')
  checkCanvas('[1e2, "a b",\ntru]\n\n', 'bad 2')
  checkCanvas('{" in JSON at position 0": 1}\n\nx\n\n', 'bad 3')
  checkCanvas(`{"text":"${'a b'.repeat(99)}"}\n}\n\n`, 'bad 2')
  checkCanvas('', '')
  checkCanvas('\ufeff \n', '')
  for (const text of [
    '[]',
    '1',
    '"nodes"',
    '{"nodes":{}}',
    '{"nodes":[1,null,[{"type":"text","text":"[[a]]"}]]}',
    '{"x":{"nodes":[{"type":"text","text":"[[a]]"}]}}',
  ]) {
    checkCanvas(text, '')
  }
})

test('positions point into the JSON strings', () => {
  const text = '\ufeff{"nodes":[\n {"text":"a\\n\\u00e9 \\"[[b]]\\" [x](c.md)","type":"text"},\n {"type":"file","file":"d.md"}]}'
  const links = parseCanvas(text, flavor()).links
  expect(links.map(({ line, column, start, end }) => [line, column, text.slice(start, end)])).toEqual([
    [2, 23, '[[b]]'],
    [2, 31, '[x](c.md)'],
    [3, 24, '"d.md"'],
  ])
})

test('nested JSON of any depth', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"nodes":[{"type":"text","text":"[[a]]"}]}`
  checkCanvas(deep, 'link a')
})
