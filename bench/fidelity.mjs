// Runs eight operations on every note of a vault and counts the bytes that changed outside the requested range:
// `node bench/fidelity.mjs <vault> [--sample 500] [--variants crlf,bom,bare,spaces,invalid] [--parallel 4]`.
//
// The server works on a copy, over stdio. The expected result is computed from the original bytes, by code that is independent of the
// program (`fidelity/anatomy.mjs`). After each operation the suite restores the note itself, and after each round it compares the whole
// vault. Prints a table, and each loss with its note; exits with 1 if there is one.
//
// `--only <text>` runs only operations with this text in their name. `--variants` also tries every note with other bytes: `crlf` line
// endings, a byte order mark (`bom`), no final line ending (`bare`), trailing spaces (`spaces`), bytes that are not UTF-8 (`invalid`).
// To test another server: `--map <file>` names its tools and their arguments, like `fidelity/roux.json`; operations missing from the map
// are skipped.
// `--server "<command>"` starts it instead of the map's command; `$vault` in it stands for the copy.
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fromBytes, toBytes } from './fidelity/anatomy.mjs'
import { OPERATIONS } from './fidelity/operations.mjs'
import { startServer } from './fidelity/server.mjs'
import { VARIANTS } from './fidelity/variants.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    map: { type: 'string', default: here('fidelity/roux.json') },
    sample: { type: 'string' },
    variants: { type: 'string', default: '' },
    parallel: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing vault. Usage: node bench/fidelity.mjs <vault>')
  process.exit(2)
}
/** The number of losses to list per operation. */
const MOST_LISTED = 5
const OTHER = { lost: 'changed without being asked to', outside: 1 }
const variants = ['as they are', ...options.variants.split(',').filter(Boolean)]
const unknown = variants.find((variant) => !(variant in VARIANTS))
if (unknown !== undefined) {
  console.error(`Unknown variant ${unknown}. Choose from ${Object.keys(VARIANTS).slice(1).join(', ')}.`)
  process.exit(2)
}
const source = resolve(positionals[0])
const map = JSON.parse(readFileSync(options.map, 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'roux-fidelity-'))
let all = 0
try {
  for (const variant of variants) all += await examine(variant)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(all === 0 ? '\nNothing was lost.' : `\n${all} losses.`)
process.exit(all === 0 ? 0 : 1)

async function examine(variant) {
  const folder = join(scratch, variant.replace(/\W/g, '-'))
  const vault = join(folder, 'vault')
  cpSync(source, vault, { recursive: true, filter: (path) => path.slice(source.length) !== '/.git' })
  makeWritable(vault)
  const notes = chooseNotes(vault, variant)
  const server = await startServer(map, {
    command: options.server?.split(' '),
    fill: { vault, program: here('../dist/cli/main.js') },
    env: { ROUX_SERVE_SHARED: 'off', XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  console.log(`\n${map.name} · ${notes.length} notes of ${source.split('/').at(-1)}, ${variant}\n`)
  console.log('| operation | notes | ok | refused | bytes changed outside | lost | s |\n|---|---|---|---|---|---|---|')
  let before = fingerprints(vault)
  const told = []
  let losses = 0
  for (const operation of OPERATIONS.filter(({ name }) => name.includes(options.only))) {
    if (!operation.steps.every((step) => server.offers(step))) {
      console.log(`| ${operation.name} | not offered | | | | | |`)
      continue
    }
    const started = performance.now()
    const outcomes = await inLanes(notes, async (note) => {
      const outcome = await operation.run(server, note)
      note.putBack()
      return { note, ...outcome }
    })
    const after = fingerprints(vault)
    const others = differences(before, after).map((path) => ({ note: { path }, ...OTHER }))
    before = after
    const lost = [...outcomes.filter((outcome) => outcome.lost !== undefined), ...others]
    losses += lost.length
    told.push(...lost.slice(0, MOST_LISTED).map((loss) => ({ ...loss, operation: operation.name })))
    console.log(rowOf(operation.name, { outcomes, lost }, (performance.now() - started) / 1000))
  }
  await server.close()
  for (const { operation, note, lost, more = '' } of told) console.log(`- ${operation}: ${note.path}: ${lost} ${more}`)
  rmSync(folder, { recursive: true, force: true })
  return losses
}

/** A copy of a read-only file is read-only too. */
function makeWritable(vault) {
  chmodSync(vault, 0o755)
  for (const entry of readdirSync(vault, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}

/** The notes, evenly sampled if requested, with the variant's bytes. */
function chooseNotes(vault, variant) {
  const all = listFiles(vault).filter((path) => /\.md$/i.test(path) && !path.split('/').some((name) => name.startsWith('.')))
  const wanted = Math.min(all.length, Number(options.sample ?? all.length))
  const change = VARIANTS[variant]
  return Array.from({ length: wanted }, (_, n) => {
    const path = all[Math.floor((n * all.length) / wanted)]
    const raw = change(fromBytes(readFileSync(join(vault, path))))
    writeFileSync(join(vault, path), toBytes(raw))
    return makeNote(vault, path, raw)
  })
}

function makeNote(vault, path, raw, original = raw) {
  const file = join(vault, path)
  const read = (at) => (existsSync(at) ? fromBytes(readFileSync(at)) : undefined)
  return {
    path,
    raw,
    disk: () => read(file),
    trashed: () => (map.trash === undefined ? undefined : read(join(vault, map.trash, path))),
    /** The same note after someone else has written it. */
    replace(changed) {
      writeFileSync(file, toBytes(changed))
      return makeNote(vault, path, changed, original)
    },
    putBack() {
      if (read(file) === original) return
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, toBytes(original))
    },
  }
}

/** Several notes at once, as clients may send calls without waiting. */
async function inLanes(notes, run) {
  const outcomes = []
  let next = 0
  const lane = async () => {
    while (next < notes.length) outcomes.push(await run(notes[next++]))
  }
  await Promise.all(Array.from({ length: Number(options.parallel) }, lane))
  return outcomes
}

function rowOf(name, { outcomes, lost }, seconds) {
  const refused = outcomes.filter(({ refused }) => refused !== undefined)
  const reasons = new Map()
  for (const { refused: reason } of refused) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  const told = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ')
  const tried = outcomes.filter(({ skipped }) => skipped !== true)
  const ok = tried.filter((outcome) => outcome.lost === undefined && (outcome.refused === undefined || outcome.isRight))
  const outside = lost.reduce((sum, loss) => sum + loss.outside, 0)
  return `| ${name} | ${tried.length} | ${ok.length} | ${told} | ${outside} | ${lost.length} | ${seconds.toFixed(0)} |`
}

/** The hash of every file outside the trash and the server's own folders. */
function fingerprints(vault) {
  const paths = listFiles(vault).filter((path) => map.trash === undefined || !path.startsWith(`${map.trash}/`))
  return new Map(
    paths.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(vault, path)))
        .digest('hex'),
    ]),
  )
}

function differences(before, after) {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path))
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
