import { createRequire } from 'node:module'
import type { AbstractGraph } from 'graphology-types'
import { expect, test } from 'vitest'
import type { SimilarPair } from '../../../src/app/find/similar-nodes.ts'
import { EXPORT_FORMATS, type ExportFormat, formatExport } from '../../../src/cli/vaults/export-formats.ts'
import { toNodeId, toVaultPath } from '../../../src/core/ids.ts'
import type { ExportRow, NodeKind } from '../../../src/core/store.ts'

const require = createRequire(import.meta.url)
const Graph: unknown = require('graphology')
type Parser = { parse(graph: unknown, text: string, options?: object): AbstractGraph }

const node = (path: string, nodeKind: NodeKind = 'note', title = path): ExportRow => ({
  kind: 'node',
  id: toNodeId(path.toLowerCase()),
  path: toVaultPath(path),
  title,
  nodeKind,
  tags: ['x', 'y/z'],
  aliases: [`alias of ${title}`],
  excluded: nodeKind === 'canvas',
})
const edge = (source: string, target: string): ExportRow => ({
  kind: 'edge',
  source: toNodeId(source),
  target: toNodeId(target),
  count: 2,
  kinds: ['link', 'property'],
})

// Names that files can have on some platform.
const NAMES = [
  'a.md',
  'with "quotes", commas & <tags>.md',
  'line\nbreak\ttab.md',
  "it's 日本語 👩‍👩‍👧 é.md",
  'back\\slash\\',
  ' space ',
  'bell\u0007',
]
const ROWS: readonly ExportRow[] = [
  ...NAMES.map((name) => node(name)),
  node('board.canvas', 'canvas'),
  node('gone', 'missing'),
  ...NAMES.map((name) => edge(name, 'a.md')),
  { kind: 'unresolved', source: toNodeId('a.md'), target: 'Gone "away"', count: 3 },
  edge('board.canvas', 'a.md'),
]

async function* stream<T>(items: readonly T[]) {
  yield* items
}

async function textOf(
  format: ExportFormat,
  rows: readonly ExportRow[] = ROWS,
  similar?: readonly SimilarPair[],
): Promise<string> {
  let text = ''
  for await (const piece of formatExport(stream(rows), format, similar && stream(similar))) text += piece
  return text
}

test('json has exactly the documented shape', async () => {
  const graph = JSON.parse(await textOf('json'))
  expect(Object.keys(graph)).toEqual(['nodes', 'edges', 'unresolved'])
  expect(graph.nodes).toHaveLength(NAMES.length + 1)
  expect(graph.nodes[1]).toEqual({
    id: NAMES[1],
    path: NAMES[1],
    title: NAMES[1],
    kind: 'note',
    tags: ['x', 'y/z'],
    aliases: [`alias of ${NAMES[1]}`],
    excluded: false,
  })
  expect(Object.keys(graph.nodes[0])).toEqual(['id', 'path', 'title', 'kind', 'tags', 'aliases', 'excluded'])
  expect(graph.edges.map(({ source }: { source: string }) => source)).toEqual([...NAMES, 'board.canvas'])
  expect(graph.edges[0]).toEqual({ source: 'a.md', target: 'a.md', count: 2, kinds: ['link', 'property'] })
  expect(graph.unresolved).toEqual([{ source: 'a.md', target: 'Gone "away"', count: 3 }])
})

test.each<[string, readonly ExportRow[], number[]]>([
  ['nothing', [], [0, 0, 0]],
  ['nodes only', [node('a.md')], [1, 0, 0]],
  ['no edge', [node('a.md'), { kind: 'unresolved', source: toNodeId('a.md'), target: 'x', count: 1 }], [1, 0, 1]],
])('json of a graph with %s', async (_, rows, counts) => {
  const { nodes, edges, unresolved } = JSON.parse(await textOf('json', rows))
  expect([nodes.length, edges.length, unresolved.length]).toEqual(counts)
})

test('graphml is well-formed and preserves names', async () => {
  const text = await textOf('graphml')
  const { tags, attributes } = parseXml(text)
  expect(tags).toEqual([])
  const ids = attributes.filter(({ tag }) => tag === 'node').map(({ values }) => values.id)
  expect(ids).toEqual([...NAMES.slice(0, -1), 'bell\ufffd', 'board.canvas'])
  const edges = attributes.filter(({ tag }) => tag === 'edge').map(({ values }) => values.source)
  expect(edges).toEqual(ids)
  const keys = new Set(attributes.filter(({ tag }) => tag === 'key').map(({ values }) => values.id))
  expect(attributes.filter(({ tag }) => tag === 'data').every(({ values }) => keys.has(values.key ?? ''))).toBe(true)
})

test.each([
  ['graphml', require('graphology-graphml') as Parser],
  ['gexf', require('graphology-gexf') as Parser],
] as const)('graphology reads %s: every name, fact, link and pair of similar notes', async (format, { parse }) => {
  const graph = parse(Graph, await textOf(format, ROWS, PAIRS), { addMissingNodes: false })
  // No XML can hold a bell.
  const names = [...NAMES.slice(0, -1), 'bell\ufffd']
  expect(graph.nodes()).toEqual([...names, 'board.canvas'])
  for (const name of names)
    expect(graph.getNodeAttributes(name), name).toMatchObject({
      title: name,
      path: name,
      kind: 'note',
      tags: 'x, y/z',
      aliases: `alias of ${name}`,
      excluded: false,
    })
  expect(graph.getNodeAttributes('board.canvas')).toMatchObject({ kind: 'canvas', excluded: true })
  const links = graph.filterEdges((_, { kinds }) => kinds !== 'similar')
  const similar = graph.filterEdges((_, { kinds }) => kinds === 'similar')
  // graphology-graphml reads every edge as the graph's default says.
  if (format === 'gexf') expect([graph.directedEdges(), graph.undirectedEdges()]).toEqual([links, similar])
  expect(links.map((edge) => [graph.source(edge), graph.target(edge)])).toEqual(
    [...names, 'board.canvas'].map((name) => [name, 'a.md']),
  )
  for (const edge of links)
    expect(graph.getEdgeAttributes(edge)).toMatchObject({
      kinds: 'link, property',
      [format === 'gexf' ? 'weight' : 'count']: 2,
    })
  expect(similar.map((edge) => [...graph.extremities(edge), graph.getEdgeAttribute(edge, 'score')])).toEqual(
    PAIRS.map(({ source, target, score }) => [source, target, score]),
  )
})

test('gexf is well-formed where there is nothing, or nothing is linked', async () => {
  const { parse } = require('graphology-gexf') as Parser
  for (const rows of [[], [node('a.md')]]) expect(parse(Graph, await textOf('gexf', rows)).order).toBe(rows.length)
})

test('dot is a list of statements, and its names come back', async () => {
  const text = await textOf('dot')
  const quoted = '"((?:[^"\\\\]|\\\\[^])*)"'
  const statement = new RegExp(`^  ${quoted} (?:-> ${quoted} )?\\[(?:label=${quoted}, kind="\\w+"|weight=\\d+)\\];\n`)
  let rest = text.replace(/^digraph vault \{\n/, '').replace(/\}\n$/, '')
  const found: string[][] = []
  for (let match = statement.exec(rest); match; match = statement.exec(rest)) {
    found.push(match.slice(1, 3).flatMap((name) => name?.replace(/\\([\\"])/g, '$1') ?? []))
    rest = rest.slice(match[0].length)
  }
  expect(rest).toBe('')
  expect(found.filter((names) => names.length === 1).map(([id]) => id)).toEqual([...NAMES, 'board.canvas'])
  expect(found.filter((names) => names.length === 2)).toEqual([...NAMES, 'board.canvas'].map((name) => [name, 'a.md']))
})

test('csv preserves every value', async () => {
  const [head, ...rows] = parseCsv(await textOf('csv'))
  expect(head).toEqual(['source', 'target', 'count', 'kinds'])
  expect(rows).toEqual([...NAMES, 'board.canvas'].map((name) => [name, 'a.md', '2', 'link|property']))
})

const PAIRS: readonly SimilarPair[] = [
  { source: toNodeId(NAMES[1] ?? ''), target: toNodeId('a.md'), score: 0.31 },
  { source: toNodeId('back\\slash\\'), target: toNodeId('a.md'), score: 1 },
]

test('json includes similar pairs on request, even if there are none', async () => {
  for (const rows of [ROWS, [node('a.md')]]) {
    const graph = JSON.parse(await textOf('json', rows, PAIRS))
    expect(Object.keys(graph)).toEqual(['nodes', 'edges', 'similar', 'unresolved'])
    expect(graph.similar).toEqual(PAIRS)
    expect(JSON.parse(await textOf('json', rows, [])).similar).toEqual([])
  }
})

test('graphml includes similar pairs as undirected edges with scores', async () => {
  const { attributes } = parseXml(await textOf('graphml', ROWS, PAIRS))
  const pairs = attributes.filter(({ tag, values }) => tag === 'edge' && values.directed === 'false')
  expect(pairs.map(({ values }) => [values.source, values.target])).toEqual(PAIRS.map(({ source, target }) => [source, target]))
  const keys = attributes.filter(({ tag }) => tag === 'key').map(({ values }) => values.id)
  expect(keys).toContain('score')
  expect(await textOf('graphml')).not.toContain('score')
})

test('dot and csv list similar pairs after the links', async () => {
  const dot = await textOf('dot', ROWS, PAIRS)
  expect(dot.slice(dot.indexOf('dir=none') - 30)).toContain(
    '"back\\\\slash\\\\" -> "a.md" [dir=none, style=dashed, score=1];\n}\n',
  )
  const [head, ...rows] = parseCsv(await textOf('csv', ROWS, PAIRS))
  expect(head).toEqual(['source', 'target', 'count', 'kinds', 'score'])
  expect(rows.every((row) => row.length === 5)).toBe(true)
  expect(rows.at(-2)).toEqual([NAMES[1], 'a.md', '', 'similar', '0.31'])
})

test.each(EXPORT_FORMATS)('%s is written in pieces', async (format) => {
  async function* many() {
    for (let i = 0; i < 5000; i++) yield node(`${i}.md`)
    for (let i = 0; i < 5000; i++) yield edge(`${i}.md`, 'a.md')
  }
  const sizes: number[] = []
  const similar = stream(Array.from({ length: 5000 }, (_, at) => ({ ...(PAIRS[0] as SimilarPair), score: at / 5000 })))
  for await (const piece of formatExport(many(), format, similar)) sizes.push(piece.length)
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(66_000)
})

/** A minimal XML parser that checks that tags are balanced; throws if the text is not XML. */
function parseXml(text: string): { tags: string[]; attributes: { tag: string; values: Record<string, string> }[] } {
  const decode = (value: string): string => {
    expect(value).toMatch(/^(?:[^<&]|&#\d+;)*$/)
    return value.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
  }
  const tags: string[] = []
  const attributes: { tag: string; values: Record<string, string> }[] = []
  const token = /<\?xml[^?]*\?>|<(\/?)([\w]+)((?:\s+[\w.:]+="[^"]*")*)\s*(\/?)>|([^<]+)/gy
  let end = 0
  for (const [all, close, tag = '', list = '', single, plain] of text.matchAll(token)) {
    end += all.length
    if (plain !== undefined) decode(plain)
    else if (close) expect(tags.pop()).toBe(tag)
    else if (tag) {
      if (!single) tags.push(tag)
      attributes.push({
        tag,
        values: Object.fromEntries(
          [...list.matchAll(/([\w.:]+)="([^"]*)"/g)].map(([, name, value]) => [name, decode(value ?? '')]),
        ),
      })
    }
  }
  expect(end).toBe(text.length)
  return { tags, attributes }
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const row: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\n') rows.push(row.splice(0))
  }
  return rows
}
