import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DirectedGraph } from 'graphology'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type * as Library from '../../src/index.ts'
import type { Wire } from './support.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LIBRARY = join(ROOT, 'dist/lib/index.mjs')
type Tools = Readonly<Record<'getHubs' | 'listNodes', (args: object) => Promise<{ value: Wire }>>>
const { openVault } = (await import(LIBRARY)) as {
  openVault(...args: Parameters<typeof Library.openVault>): Promise<Library.OpenVault & Tools>
}
type Scores = (graph: DirectedGraph, options: Readonly<Record<string, unknown>>) => Record<string, number>
const pagerank = createRequire(import.meta.url)('graphology-metrics/centrality/pagerank') as Scores

let scratch = ''
let vault = ''
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'roux-graphology-'))
  vault = join(scratch, 'vault')
  cpSync(join(ROOT, 'fixtures/demo'), vault, { recursive: true })
  writeFileSync(
    join(vault, 'Journal/Café & <notes>.md'),
    '---\ntags: [a/b]\naliases: [One]\nup: "[[Baguette]]"\n---\n[[Baguette#Method]] and [[Baguette]]\n[[#Top]] ![[crumb.png]] [[Nowhere]]\n%% [[Gluten]] %%\n',
  )
  writeFileSync(join(vault, 'Journal/crumb.png'), 'x')
  for (const name of ['CACHE', 'STATE', 'CONFIG']) vi.stubEnv(`XDG_${name}_HOME`, scratch)
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
})

test('a vault becomes a graph with its nodes, and an edge for each link with its place', async () => {
  const open = await openVault(vault, { watch: false })
  await open.ready()
  const { value: graph, warnings } = await open.toGraphology()
  expect(warnings).toEqual([])
  const id = 'journal/café & <notes>.md'
  expect(graph.getNodeAttributes(id)).toEqual({
    title: 'Café & <notes>',
    kind: 'note',
    path: 'Journal/Café & <notes>.md',
    folder: 'Journal',
    tags: ['a/b'],
    aliases: ['One'],
    community: expect.stringMatching(/./),
    ...(graph.hasNodeAttribute(id, 'community_2') ? { community_2: expect.any(String) } : {}),
  })
  // Edges are numbered in the order in which the links are written.
  const edges = graph.outEdges(id).toSorted((a, b) => Number(a) - Number(b))
  expect(edges.map((edge) => ({ target: graph.target(edge), ...graph.getEdgeAttributes(edge) }))).toEqual(
    [
      { target: 'breads/baguette.md', kind: 'property', form: 'wikilink', type: 'up', line: 4 },
      { target: 'breads/baguette.md', kind: 'link', form: 'wikilink', subpath: 'Method', line: 6 },
      { target: 'breads/baguette.md', kind: 'link', form: 'wikilink', line: 6 },
      { target: 'journal/crumb.png', kind: 'embed', form: 'wikilink', line: 7 },
      { target: 'nowhere', kind: 'link', form: 'wikilink', line: 7 },
      { target: 'concepts/gluten.md', kind: 'link', form: 'wikilink', line: 8, comment: true },
    ].map((link) => ({ ...link, file: 'Journal/Café & <notes>.md' })),
  )
  expect([graph.getNodeAttribute('nowhere', 'kind'), graph.getNodeAttribute('journal/crumb.png', 'kind')]).toEqual([
    'missing',
    'attachment',
  ])
  const kinds = ['note', 'canvas', 'attachment', 'missing']
  const listed = await all(async (page) => (await open.listNodes({ ...page, kinds })).value.nodes)
  expect(graph.nodes().toSorted()).toEqual(listed.map((node) => node.id).toSorted())
  const again = await open.toGraphology({ communities: false })
  expect(again.value.edges()).toEqual(graph.edges())
  expect(again.value.someNode((_, { community }) => community !== undefined)).toBe(false)
  await open.close()
})

test('PageRank by graphology-metrics is that of get_hubs', async () => {
  const open = await openVault(vault, { watch: false })
  await open.ready()
  const { value: graph } = await open.toGraphology({ communities: false })
  const notes = new DirectedGraph()
  graph.forEachNode((id, { kind }) => void (kind === 'note' && notes.addNode(id)))
  graph.forEachEdge((_, __, source, target) => {
    if (notes.hasNode(source) && notes.hasNode(target)) notes.mergeDirectedEdge(source, target)
  })
  const expected = pagerank(notes, { getEdgeWeight: null, tolerance: 1e-8 / notes.order, maxIterations: 1_000 })
  const hubs = await all(async (page) => (await open.getHubs({ ...page, metric: 'pagerank' })).value)
  expect(hubs).toHaveLength(notes.order)
  // get_hubs rounds to six digits, at most 5e-8 of a score below 0.1. Both iterations end within 1e-8, so at most 6e-8 from the limit.
  for (const { id, score } of hubs) expect(Math.abs(score - (expected[id] as number)), id).toBeLessThan(2e-7)
  await open.close()
})

test('the example ranks the notes and draws them', () => {
  const drawing = join(scratch, 'vault.svg')
  const run = () => spawnSync(process.execPath, [join(ROOT, 'examples/graph-tools.mjs'), vault, drawing], { encoding: 'utf8' })
  const { stdout, stderr } = run()
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^\d+ notes, \d+ pairs linked by \d+ links\n0\.\d+ {2}\S.* \(.*\.md\)\n/)
  const svg = readFileSync(drawing, 'utf8')
  const circles = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/g)]
  expect(circles).toHaveLength(Number(stdout.split(' ', 1)[0]))
  expect(new Set(circles.map(([, x, y]) => `${x} ${y}`)).size).toBeGreaterThan(circles.length / 2)
  expect(circles.every(([, x, y]) => Number(x) >= 0 && Number(x) <= 1000 && Number(y) >= 0 && Number(y) <= 1000)).toBe(true)
  expect(svg).toContain('<title>Café &#38; &#60;notes&#62;</title>')
  run()
  expect(readFileSync(drawing, 'utf8')).toBe(svg)
})

test('without graphology the error says what to install, and nothing else needs it', () => {
  const modules = join(scratch, 'app/node_modules')
  mkdirSync(join(modules, 'roux'), { recursive: true })
  for (const part of ['dist', 'assets', 'package.json', 'roux.config.yaml'])
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(modules, 'roux', part), { recursive: true })
  mkdirSync(join(modules, '@photostructure'))
  symlinkSync(join(ROOT, 'node_modules/@photostructure/sqlite'), join(modules, '@photostructure/sqlite'))
  const program = join(scratch, 'app/program.mjs')
  writeFileSync(
    program,
    `import { openVault } from ${JSON.stringify(pathToFileURL(join(modules, 'roux/dist/lib/index.mjs')).href)}
const vault = await openVault(${JSON.stringify(vault)}, { watch: false })
const { value } = await vault.getHubs({ limit: 1 })
console.log(value.length)
await vault.toGraphology().catch(({ code, message, hint }) => console.log(code, message, hint))
await vault.close()
`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toBe(
    '1\nPROVIDER_ERROR toGraphology needs the package graphology, which is not installed. Install it with `npm install graphology@0.26 graphology-types`.\n',
  )
})

/** The items of all pages of a list. */
async function all(read: (page: object) => Promise<readonly Wire[]>): Promise<readonly Wire[]> {
  const items: Wire[] = []
  for (;;) {
    const value = await read({ offset: items.length, limit: 50 })
    items.push(...value)
    if (value.length < 50) return items
  }
}
