// How well tags and folders are suggested, leave one out: `npm run bench:ai -- <hub> <folder of notes>`.
//
// Of the first vault, obsidian-hub, the notes of plugins are copied into a folder named by a category each (a plugin may be of several, and any
// counts as right); of the second every note's own folder is right. Labels that fewer than three notes have are left out of the score. Each note is
// asked about with all others in place, which is what a person has who files it. `--limit <n>`: so many notes of each, from all over it.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from './client.mjs'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string', default: '100000' } },
})
const [hub, notes] = positionals
const work = mkdtempSync(join(tmpdir(), 'roux-bench-ai-'))
const folders = {
  XDG_CACHE_HOME: join(work, 'cache'),
  XDG_STATE_HOME: join(work, 'state'),
  XDG_CONFIG_HOME: join(work, 'config'),
}
try {
  if (hub) await score('categories of plugins', ...copyPlugins(hub, join(work, 'hub')))
  if (notes) {
    const vault = join(work, 'notes')
    cpSync(notes, vault, { recursive: true })
    const right = new Map(markdownIn(vault).map((path) => [path, new Set([dirname(path).replace(/^\.$/, '')])]))
    await score('folders', vault, right)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

function markdownIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.md') && !/(^|\/)\./.test(path))
}

/** A vault of the plugins alone, each in the folder of its first category. */
function copyPlugins(root, vault) {
  const categories = join(root, '02 - Community Expansions/02.01 Plugins by Category')
  const plugins = new Map(
    markdownIn(join(root, '02 - Community Expansions/02.05 All Community Expansions/Plugins')).map((path) => [
      basename(path, '.md'),
      path,
    ]),
  )
  const byPlugin = new Map()
  for (const file of markdownIn(categories)) {
    for (const [, target] of readFileSync(join(categories, file), 'utf8').matchAll(/\[\[([^\]|#]+)/g)) {
      const name = basename(target.trim(), '.md')
      if (plugins.has(name)) byPlugin.set(name, new Set([...(byPlugin.get(name) ?? []), basename(file, '.md')]))
    }
  }
  // What nearly all are, such as "Mobile-compatible plugins", tells none from another.
  const sizes = new Map()
  for (const labels of byPlugin.values()) for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1)
  for (const labels of byPlugin.values())
    for (const label of labels) if (sizes.get(label) > byPlugin.size / 4) labels.delete(label)
  const right = new Map()
  for (const [name, labels] of byPlugin) {
    const [first] = labels
    if (first === undefined) continue
    const text = readFileSync(
      join(root, '02 - Community Expansions/02.05 All Community Expansions/Plugins', plugins.get(name)),
      'utf8',
    )
    mkdirSync(join(vault, first), { recursive: true })
    writeFileSync(join(vault, first, `${name}.md`), text)
    right.set(`${first}/${name}.md`, labels)
  }
  return [vault, right]
}

async function score(what, vault, right) {
  const counts = new Map()
  for (const labels of right.values()) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  const labelled = [...right].filter(([, labels]) => [...labels].some((label) => label !== '' && counts.get(label) >= 3))
  const step = Math.max(1, Math.ceil(labelled.length / Number(options.limit)))
  const asked = labelled.filter((_, at) => at % step === 0)
  const index = new Client(process.execPath, [program, 'index', vault], folders)
  await index.exited
  const client = new Client(process.execPath, [program, 'serve', vault], folders)
  await client.initialize()
  const popular = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([label]) => label)
  let [first, fifth, byPopularity, byPopularity5, empty] = [0, 0, 0, 0, 0]
  for (const [path, labels] of asked) {
    const { value } = await client.call('suggest_tags', { id: path, limit: 5, relevance: 'loose' })
    const found = value.folders.map((one) => one.path)
    if (found.length === 0) empty++
    if (labels.has(found[0])) first++
    if (found.some((label) => labels.has(label))) fifth++
    if (labels.has(popular[0])) byPopularity++
    if (popular.some((label) => labels.has(label))) byPopularity5++
  }
  await client.close()
  const share = (count) => (count / asked.length).toFixed(3)
  console.log(
    `${what}: ${asked.length} notes, hit@1 ${share(first)}, hit@5 ${share(fifth)}; by popularity ${share(byPopularity)}, ${share(byPopularity5)}; none ${empty}`,
  )
}
