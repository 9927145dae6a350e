// Checks whether the notes most similar to a note include notes it links to: `node bench/similar.mjs <vault>… [--library <file>]`.
//
// Takes up to 200 notes with three links or more, removes their lines with links from a copy of the vault, indexes it, and asks the built
// library for the five notes most similar to each. Prints for how many of them the five include a note they linked to, and one linked in
// either direction. `--library`: another build to compare (dist/lib/index.mjs); `--set <key=value>`: a setting.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    library: { type: 'string', default: fileURLToPath(new URL('../dist/lib/index.mjs', import.meta.url)) },
    set: { type: 'string', multiple: true, default: [] },
  },
})
if (positionals.length === 0 || !existsSync(options.library)) {
  console.error('Missing vaults. Usage: npm run build && node bench/similar.mjs <vault>… [--library <file>]')
  process.exit(2)
}
const SAMPLE = 200
/** A wikilink, or a Markdown link inside the vault. */
const INTERNAL = /\[\[|\]\((?![a-z]+:)/i
const LEAST_LINKS = 3
const SHOWN = 5
const scratch = mkdtempSync(join(tmpdir(), 'roux-similar-'))
for (const kind of ['CACHE', 'STATE', 'CONFIG']) process.env[`XDG_${kind}_HOME`] = join(scratch, kind)
const { openVault } = await import(pathToFileURL(options.library).href)
try {
  for (const vault of positionals) console.log(`${basename(resolve(vault))}: ${await measure(resolve(vault))}`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function measure(vault) {
  const copy = mkdtempSync(join(scratch, 'vault-'))
  cpSync(vault, copy, { recursive: true })
  const { links, paths } = linksOf(copy)
  const sample = sampled([...links].filter(([, targets]) => targets.size >= LEAST_LINKS).map(([id]) => id))
  for (const id of sample) removeLinks(join(copy, paths.get(id)))
  const notes = await openVault(copy, { watch: false, set: options.set })
  try {
    await notes.ready()
    const found = []
    const times = []
    for (const id of [sample[0], ...sample]) {
      const begin = performance.now()
      const { value } = await notes.similarNodes({ id, limit: SHOWN, relevance: 'loose' })
      times.push(performance.now() - begin)
      found.push(value.map((node) => node.id))
    }
    // The first call also computes what all later ones need.
    const [first] = times.splice(0, 1)
    found.shift()
    const share = (isHit) =>
      (sample.filter((id, at) => found[at].some((other) => isHit(id, other))).length / sample.length).toFixed(3)
    const isLinked = (id, other) => links.get(id)?.has(other) === true
    const linked = share(isLinked)
    const either = share((id, other) => isLinked(id, other) || isLinked(other, id))
    const p99 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]
    return `linked ${linked}, linked either way ${either}, of ${sample.length} notes; first call ${first.toFixed(0)} ms, p99 ${p99.toFixed(1)} ms`
  } finally {
    await notes.close()
    rmSync(copy, { recursive: true, force: true })
  }
}

/** The ids each note links to, and the note's path. */
function linksOf(folder) {
  const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
  const told = execFileSync(process.execPath, [program, 'export', '--vault', folder, '--format', 'json'], { maxBuffer: 2 ** 30 })
  const { nodes, edges } = JSON.parse(told)
  const paths = new Map(nodes.filter((node) => node.kind === 'note' && !node.excluded).map(({ id, path }) => [id, path]))
  const links = new Map()
  for (const { source, target } of edges) {
    if (source === target || !paths.has(source) || !paths.has(target)) continue
    links.set(source, (links.get(source) ?? new Set()).add(target))
  }
  return { links, paths }
}

function removeLinks(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.filter((line) => !INTERNAL.test(line)).join('\n'))
}

/** Mean of the same figure for the same ids. */
function sampled(ids) {
  const hashOf = (id) => createHash('sha256').update(id).digest('hex')
  return ids.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1)).slice(0, SAMPLE)
}
