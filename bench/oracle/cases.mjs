/**
 * Runs the oracle over the vault cases.
 *
 * Usage: node bench/oracle/cases.mjs <cases.json> [--all]
 *
 * Each case must hold in its own profile. `--all` also runs the other profile and lists differences, without failing.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { readVault } from './oracle.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } })
const cases = JSON.parse(readFileSync(positionals[0], 'utf8'))

const failures = cases.flatMap((each) => differences(each, each.profile))
console.log(`${cases.length} cases, ${failures.length} failures`)
for (const failure of failures) console.log(failure)
if (values.all) reportOtherProfile()
process.exit(failures.length > 0 ? 1 : 0)

function reportOtherProfile() {
  const others = cases.flatMap((each) => differences(each, each.profile === 'lenient' ? 'obsidian' : 'lenient'))
  console.log(`\n${others.length} differ in the other profile:`)
  for (const other of others) console.log(other)
}

function differences(each, profile) {
  const actual = run(each, profile)
  const unequal = Object.entries(each.expect).filter(([key, value]) => !isDeepStrictEqual(actual[key], sortedValue(key, value)))
  return unequal.map(([key, value]) => {
    const found = `expected ${JSON.stringify(value)}, got ${JSON.stringify(actual[key])}`
    return `${each.id} [${profile}] ${each.name}\n  ${key}: ${found}`
  })
}

function run(each, profile) {
  const root = mkdtempSync(join(tmpdir(), 'oracle-case-'))
  try {
    writeVault(root, each)
    const vault = readVault(root, { profile, ...each.opts })
    return observe(vault, each.source)
  } finally {
    rmSync(root, { recursive: true })
  }
}

function writeVault(root, { files, symlinks = {} }) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const [path, target] of Object.entries(symlinks)) symlinkSync(target, join(root, path))
}

/** The vault in the form of a case's `expect`. */
function observe({ nodes, edges, unresolved, files }, source) {
  const node = nodes.find(({ path }) => path === source)
  const file = files.get(source)
  const pathOf = new Map(nodes.map(({ id, path }) => [id, path]))
  const counts = (items, name) =>
    Object.fromEntries(items.filter((item) => item.source === node.id).map((item) => [name(item), item.count]))
  return {
    edges: counts(edges, (edge) => pathOf.get(edge.target)),
    unresolved: counts(unresolved, (each) => each.target),
    tags: node.tags,
    aliases: node.aliases,
    title: node.title,
    h1: file.h1,
    fm: file.malformed ? 'malformed' : undefined,
    excluded: nodes.filter(({ excluded }) => excluded).map(({ path }) => path),
    nodes: nodes.filter(({ kind }) => kind === 'note').map(({ path }) => path),
  }
}

function sortedValue(key, value) {
  return key === 'nodes' || key === 'excluded' ? [...value].sort() : value
}
