/**
 * Compares the note-to-note edges of `roux export` with the oracle's.
 *
 * Usage: node bench/check-edges.mjs <vault> [--export file.json] [--bin dist/cli/main.js]
 * [--oracle file.json] [--profile lenient|obsidian] [--mode …] [--nodes] [--threshold .9999]
 *
 * `--export` reads a file instead of running the command, `--oracle` a file written by oracle.mjs with `--lines`.
 * `--nodes` also compares titles, tags and aliases. Exits with 1 if notes differ or if precision or recall, by pairs or by counts, is below
 * the threshold, and with 2 if there is nothing to compare.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { foldId, readVault } from './oracle/oracle.mjs'

const SHOWN = 40

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    export: { type: 'string' },
    bin: { type: 'string', default: 'dist/cli/main.js' },
    oracle: { type: 'string' },
    profile: { type: 'string' },
    mode: { type: 'string' },
    nodes: { type: 'boolean' },
    threshold: { type: 'string', default: '.9999' },
  },
})
const [vault] = positionals
if (!vault) {
  console.error('Missing vault. Usage: node bench/check-edges.mjs <vault>')
  process.exit(2)
}

const holds = check()
process.exit(holds === undefined ? 2 : Number(!holds))

function check() {
  const exported = timed('export', () => (options.export ? readJson(options.export) : runExport()))
  if (!exported) return undefined
  const expected = timed('oracle', () => (options.oracle ? readJson(options.oracle) : readVault(vault, options)))
  const keyOf = createKeys(expected.nodes)
  const ours = graphOf(exported, keyOf)
  const theirs = graphOf(expected, keyOf)
  const sameNotes = compareNotes(ours, theirs)
  const scores = compareEdges('note → note', ours.noteEdges, theirs.noteEdges)
  listDifferences(ours, theirs)
  compareEdges('other edges (not judged)', ours.otherEdges, theirs.otherEdges)
  compareEdges('unresolved (not judged)', ours.unresolved, theirs.unresolved)
  if (options.nodes) compareFields(ours, theirs)
  return sameNotes && scores.every((score) => score >= Number(options.threshold))
}

function timed(name, run) {
  const started = performance.now()
  const result = run()
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return result
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** The output of a large vault does not fit into a pipe's buffer, so the command writes to a file. */
function runExport() {
  const folder = mkdtempSync(join(tmpdir(), 'check-edges-'))
  const path = join(folder, 'export.json')
  const output = openSync(path, 'w')
  const settings = ['profile', 'mode'].flatMap((name) => settingOf(name, options[name]))
  try {
    const args = [options.bin, 'export', vault, '--format', 'json', ...settings]
    const { status, error } = spawnSync(process.execPath, args, { stdio: ['ignore', output, 'inherit'] })
    if (status !== 0) {
      console.error(`The export failed: ${error?.message ?? `exit code ${status}`}`)
      return undefined
    }
    return readJson(path)
  } finally {
    closeSync(output)
    rmSync(folder, { recursive: true })
  }
}

function settingOf(name, value) {
  if (value === undefined) return []
  return ['--set', `${name === 'profile' ? 'links.profile' : 'vault.mode'}=${value}`]
}

/** Ids are compared case-folded. Files whose folded paths are equal are compared by exact path. */
function createKeys(nodes) {
  const seen = new Set()
  const shared = new Set()
  for (const { path } of nodes) {
    const folded = foldId(path)
    if (seen.has(folded)) shared.add(folded)
    seen.add(folded)
  }
  return (id) => (shared.has(foldId(id)) ? id : foldId(id))
}

function graphOf({ nodes, edges, unresolved }, keyOf) {
  const notes = new Map(nodes.filter((node) => node.kind === 'note').map((node) => [keyOf(node.id), node]))
  const graph = { notes, noteEdges: new Map(), otherEdges: new Map(), unresolved: new Map() }
  for (const edge of edges) {
    const [source, target] = [keyOf(edge.source), keyOf(edge.target)]
    const isBetweenNotes = notes.has(source) && notes.has(target)
    addEdge(isBetweenNotes ? graph.noteEdges : graph.otherEdges, { ...edge, source, target })
  }
  for (const each of unresolved) addEdge(graph.unresolved, { ...each, source: keyOf(each.source), target: foldId(each.target) })
  return graph
}

function addEdge(edges, edge) {
  const key = `${edge.source}\n${edge.target}`
  const earlier = edges.get(key)
  edges.set(key, earlier ? { ...earlier, count: earlier.count + edge.count } : edge)
}

function compareNotes(ours, theirs) {
  const missing = [...theirs.notes.keys()].filter((key) => !ours.notes.has(key))
  const extra = [...ours.notes.keys()].filter((key) => !theirs.notes.has(key))
  console.log(`notes: ${ours.notes.size}, oracle ${theirs.notes.size}, missing ${missing.length}, extra ${extra.length}`)
  for (const key of missing.slice(0, SHOWN)) console.log(`  missing ${key}`)
  for (const key of extra.slice(0, SHOWN)) console.log(`  extra   ${key}`)
  return missing.length === 0 && extra.length === 0
}

/** Prints and returns precision and recall, by pairs and by counts. */
function compareEdges(name, ours, theirs) {
  let pairs = 0
  let links = 0
  for (const [key, edge] of ours) {
    const other = theirs.get(key)
    if (!other) continue
    pairs += 1
    links += Math.min(edge.count, other.count)
  }
  const [ourLinks, theirLinks] = [totalOf(ours), totalOf(theirs)]
  const scores = [ratio(pairs, ours.size), ratio(pairs, theirs.size), ratio(links, ourLinks), ratio(links, theirLinks)]
  const [precision, recall, weightedPrecision, weightedRecall] = scores.map((score) => score.toFixed(5))
  console.log(`${name}: ${ours.size} edges with ${ourLinks} links, oracle ${theirs.size} with ${theirLinks}`)
  console.log(`  pairs   precision ${precision}  recall ${recall}`)
  console.log(`  counts  precision ${weightedPrecision}  recall ${weightedRecall}`)
  return scores
}

function totalOf(edges) {
  let total = 0
  for (const { count } of edges.values()) total += count
  return total
}

function ratio(part, whole) {
  return whole === 0 ? 1 : part / whole
}

function listDifferences(ours, theirs) {
  const missing = []
  const extra = []
  for (const [key, edge] of theirs.noteEdges) {
    if ((ours.noteEdges.get(key)?.count ?? 0) < edge.count) missing.push(describe(edge, ours, theirs, key))
  }
  for (const [key, edge] of ours.noteEdges) {
    if ((theirs.noteEdges.get(key)?.count ?? 0) < edge.count) extra.push(describe(edge, ours, theirs, key))
  }
  printList('Only or more in the oracle', missing)
  printList('Only or more in the export', extra)
}

function describe(edge, ours, theirs, key) {
  const own = ours.noteEdges.get(key)?.count ?? 0
  const expected = theirs.noteEdges.get(key)
  const path = theirs.notes.get(edge.source)?.path ?? edge.source
  const lines = expected?.lines ? `:${expected.lines.join(',')}` : ''
  return `  ${path}${lines} → ${edge.target}  export ${own}, oracle ${expected?.count ?? 0}`
}

function printList(title, items) {
  console.log(`${title}: ${items.length}`)
  for (const item of items.slice(0, SHOWN)) console.log(item)
}

function compareFields(ours, theirs) {
  for (const field of ['title', 'tags', 'aliases']) {
    const unequal = [...theirs.notes].filter(([key, node]) => {
      const own = ours.notes.get(key)
      return own && !isDeepStrictEqual(comparable(own[field]), comparable(node[field]))
    })
    const shown = unequal.map(
      ([key, node]) =>
        `  ${node.path}  export ${JSON.stringify(ours.notes.get(key)[field])}, oracle ${JSON.stringify(node[field])}`,
    )
    printList(`Other ${field}`, shown)
  }
}

function comparable(value) {
  return Array.isArray(value) ? value.map((item) => item.replace(/^#/, '').toLowerCase()).sort() : value
}
