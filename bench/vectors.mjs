// Measures the vector indexes on clustered random vectors: `node bench/vectors.mjs [--counts 10000,100000] [--dimensions 256] [--hnsw]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { median } from './client.mjs'

const { values: options } = parseArgs({
  options: {
    counts: { type: 'string', default: '10000,50000,100000' },
    dimensions: { type: 'string', default: '256' },
    queries: { type: 'string', default: '200' },
    hnsw: { type: 'boolean', default: false },
  },
})
const dimensions = Number(options.dimensions)
const queryCount = Number(options.queries)
const CLUSTERS = 200
const LIMIT = 10

const { ExactScan, coarsen, packVector, unpackVector } = await bundle(['exact-scan', 'coarse-vector', 'packed-vector'])
const { HnswIndex, loadHnswAddon } = await bundle(['hnsw-index', 'hnsw-addon'])

for (const count of options.counts.split(',').map(Number)) {
  const random = generator(count)
  const centres = Array.from({ length: CLUSTERS }, () => unitVector(random))
  const draw = () => unitVector(random, centres[Math.floor(random() * CLUSTERS)])
  const packed = Array.from({ length: count }, () => packVector(draw()))
  const coarse = packed.map((bytes) => coarsen(bytes, dimensions))
  const queries = Array.from({ length: queryCount }, draw)
  const shared = { dimensions, exact: (label) => unpackVector(packed[label], dimensions) }

  const scan = new ExactScan(shared)
  const loading = milliseconds(() => loadAll(scan, coarse))
  const rows = { 'exact scan': measure(scan, queries, loading) }
  const plain = new ExactScan({ ...shared, simd: false })
  loadAll(plain, coarse)
  rows['without SIMD'] = measure(plain, queries.slice(0, 20))
  if (options.hnsw) rows.hnsw = await measureGraph({ shared, coarse, queries, scan })
  console.log(`${count} vectors of ${dimensions} dimensions, ms (medians of ${queryCount} queries, ${LIMIT} hits)`)
  console.table(rows)
}

function measure(index, queries, loading) {
  const times = { all: [], '1 in 50': [] }
  for (const query of queries) {
    times.all.push(milliseconds(() => index.search(query, LIMIT)))
    times['1 in 50'].push(milliseconds(() => index.search(query, LIMIT, (label) => label % 50 === 0)))
  }
  return { load: loading?.toFixed(0), all: median(times.all).toFixed(2), '1 in 50': median(times['1 in 50']).toFixed(2) }
}

async function measureGraph({ shared, coarse, queries, scan }) {
  const { addon, reason } = await loadHnswAddon()
  if (addon === undefined) return { load: reason }
  const before = process.memoryUsage.rss()
  const index = new HnswIndex({ ...shared, addon, graphFrom: 0 })
  loadAll(index, coarse)
  const building = milliseconds(() => [...index.build()])
  const memory = process.memoryUsage.rss() - before
  const figures = measure(index, queries)
  let found = 0
  for (const query of queries) {
    const truth = new Set(scan.search(query, LIMIT).map(({ label }) => label))
    found += index.search(query, LIMIT).filter(({ label }) => truth.has(label)).length
  }
  const folder = mkdtempSync(join(tmpdir(), 'roux-graph-'))
  const path = join(folder, 'graph.json')
  const stamp = { embedder: 'bench', fingerprint: 'bench' }
  const saving = await millisecondsOf(() => index.save(path, stamp))
  const restoring = await millisecondsOf(() => index.restore(path, stamp))
  index.close()
  rmSync(folder, { recursive: true })
  return {
    ...figures,
    build: building.toFixed(0),
    'MB more': (memory / 1e6).toFixed(0),
    recall: (found / (LIMIT * queries.length)).toFixed(4),
    save: saving.toFixed(0),
    restore: restoring.toFixed(0),
  }
}

function loadAll(index, vectors) {
  for (const [label, vector] of vectors.entries()) index.load(label, vector)
}

function milliseconds(work) {
  const started = performance.now()
  work()
  return performance.now() - started
}

async function millisecondsOf(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Near `centre` if there is one, about as far from it as from a neighbour in a vault's vectors: cosine .8 or so. */
function unitVector(random, centre) {
  const vector = Float32Array.from({ length: dimensions }, (_, i) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return (centre === undefined ? 0 : 1.4 * centre[i]) + normal / Math.sqrt(dimensions)
  })
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Numbers of [0, 1), the same ones for a seed (mulberry32). */
function generator(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Bundles modules of the program beside this file, where its packages are found, and imports them. */
async function bundle(modules) {
  const folder = fileURLToPath(new URL('../src/store/embedded/vectors/', import.meta.url))
  const out = mkdtempSync(fileURLToPath(new URL('.vectors-', import.meta.url)))
  try {
    const outfile = join(out, 'index.mjs')
    const contents = modules.map((name) => `export * from './${name}.ts'`).join('\n')
    await build({ stdin: { contents, resolveDir: folder }, bundle: true, format: 'esm', platform: 'node', outfile })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(out, { recursive: true })
  }
}
