// Measures how well tags and folders are suggested, and what `ask` costs and shows a model: `npm run bench:ai -- <hub> <folder of notes>
// <help>`.
//
// **Labels**, leave one out.
// In obsidian-hub, the first vault, the notes of plugins are copied with their categories as tags. A plugin may have several; any of them
// counts as right. In the second vault, each note's own folder is right. Notes are not scored if each of their labels has fewer than three
// notes. The benchmark removes a note's tags, or moves it into a folder of its own, and keeps all other notes in place, as for a person who
// files one note.
// `--tags <folder>`: also score this vault's notes by the tags in their properties; `--limit <n>`: a sample of n notes per vault;
// `--labels`: only this part; `--ask`: only the next part.
//
// **ask**: sends the questions of `questions/two-hop.jsonl`, which need two notes to answer, to obsidian-hub and obsidian-help/en. A fake
// model in this process answers at once and cites every passage, so the measured time excludes the model. Counts how much evidence from
// both notes, and how many answers, the model was shown. Exits with 1 if the 95th percentile on obsidian-hub exceeds 150 ms, or if a
// citation is not found in its lines.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from './client.mjs'
import { openServer } from './retrieval.mjs'

/** Questions that are asked twice. Only the second time is measured. */
const WARM = 5
/** Time limit for `ask` without the model. */
const MOST_MS = 150
/** Tags in a note's properties, inline or as a list. */
const TAGS = /^tags:.*\n(?:[ \t]*-(?!--).*\n)*/m
/** A folder for a note that has not been filed yet. */
const INBOX = 'Inbox of the measurement'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '100000' },
    ask: { type: 'boolean', default: false },
    labels: { type: 'boolean', default: false },
    tags: { type: 'string' },
  },
})
const [hub, notes, help] = positionals
const work = mkdtempSync(join(tmpdir(), 'roux-bench-ai-'))
const folders = {
  XDG_CACHE_HOME: join(work, 'cache'),
  XDG_STATE_HOME: join(work, 'state'),
  XDG_CONFIG_HOME: join(work, 'config'),
}
try {
  if (hub && !options.ask) await score('categories of plugins', 'tags', copyPlugins(hub, join(work, 'hub')))
  if (notes && !options.ask) await score('folders', 'folders', copyFolders(notes, join(work, 'notes')))
  if (options.tags) await score('tags', 'tags', copyTags(options.tags, join(work, 'tagged')))
  if (hub && !options.labels) await ask('obsidian-hub', hub, 'hub')
  if (help && !options.labels) await ask('obsidian-help/en', help, 'help')
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** A fake model that cites every passage. */
async function openModel() {
  const prompts = []
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const { messages } = JSON.parse(Buffer.concat(parts).toString())
    const prompt = messages.at(-1).content
    prompts.push(prompt)
    const content = [...prompt.matchAll(/^\[S(\d+)\] (.*)$/gm)].map(([, number, title]) => `${title} [S${number}].`).join(' ')
    const events = [
      { choices: [{ delta: { content }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: 50 } },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { prompts, port: server.address().port, close: () => server.close() }
}

async function ask(what, folder, name) {
  const questions = readFileSync(new URL('questions/two-hop.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ vault }) => vault === name)
  const vault = join(work, `ask-${name}`)
  cpSync(folder, vault, { recursive: true, filter: (path) => !path.endsWith('/.git') })
  const model = await openModel()
  const settings = ['ai.enabled=true', 'ai.provider=openai', `ai.base_url=http://127.0.0.1:${model.port}/v1`, 'ai.model=fake']
  const { client } = await openServer({ program, vault, scratch: join(work, `state-${name}`), settings })
  const times = []
  let [evidence, answered, passages, citations, wrong] = [0, 0, 0, 0, 0]
  const plain = (text) => text.replace(/\s+/g, ' ')
  for (const { question, from, to, answer } of [...questions.slice(0, WARM), ...questions]) {
    const before = model.prompts.length
    const { value, ms } = await client.call('ask', { question })
    times.push(ms)
    if (times.length <= WARM) continue
    const prompt = plain(model.prompts[before] ?? '')
    evidence += [from, to].filter(({ says }) => prompt.includes(plain(says))).length / 2
    answered += prompt.includes(plain(answer)) ? 1 : 0
    passages += value.passages_used
    citations += value.citations.length
    wrong += value.citations.filter((citation) => !stands(vault, citation)).length
  }
  await client.close()
  model.close()
  const count = questions.length
  const measured = times.slice(WARM).sort((a, b) => a - b)
  const at = (share) => measured[Math.min(measured.length - 1, Math.floor(measured.length * share))].toFixed(0)
  const share = (value) => (value / count).toFixed(2)
  console.log(
    `ask, ${what}: ${count} questions, evidence shown ${share(evidence)}, answer shown ${share(answered)}, ${share(passages)} passages; ` +
      `${citations} citations, ${wrong} wrong; p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`,
  )
  if (wrong > 0 || (name === 'hub' && Number(at(0.95)) > MOST_MS)) process.exitCode = 1
}

/** Whether a quote is found in its lines, byte for byte. */
function stands(vault, { id, start_line, end_line, quote }) {
  const path = readdirSync(vault, { recursive: true }).find((one) => one.normalize('NFC').toLowerCase() === id.toLowerCase())
  if (path === undefined) return false
  const lines = readFileSync(join(vault, path), 'utf8').split('\n')
  return lines
    .slice(start_line - 1, end_line)
    .join('\n')
    .includes(quote)
}

function markdownIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.md') && !/(^|\/)\./.test(path))
}

/** Builds a vault of plugin notes only, each with its categories as tags. */
function copyPlugins(root, vault) {
  const plugins = join(root, '02 - Community Expansions/02.05 All Community Expansions/Plugins')
  const categories = join(root, '02 - Community Expansions/02.01 Plugins by Category')
  const paths = new Map(markdownIn(plugins).map((path) => [basename(path, '.md'), path]))
  const byPlugin = new Map()
  for (const file of markdownIn(categories)) {
    const label = basename(file, '.md').replace(/\s+/g, '-').toLowerCase()
    for (const [, target] of readFileSync(join(categories, file), 'utf8').matchAll(/\[\[([^\]|#]+)/g)) {
      const name = basename(target.trim(), '.md')
      if (paths.has(name)) byPlugin.set(name, new Set([...(byPlugin.get(name) ?? []), label]))
    }
  }
  // Tags that nearly all plugins have, such as "Mobile-compatible plugins", do not distinguish them.
  const sizes = countOf(byPlugin)
  mkdirSync(vault)
  const right = new Map()
  for (const [name, all] of byPlugin) {
    const labels = new Set([...all].filter((label) => sizes.get(label) <= byPlugin.size / 4))
    if (labels.size === 0) continue
    const bare = readFileSync(join(plugins, paths.get(name)), 'utf8').replace(TAGS, '')
    if (!bare.startsWith('---\n')) throw new Error(`${name} has no properties`)
    writeFileSync(join(vault, `${name}.md`), bare.replace('---\n', `---\ntags: [${[...labels].join(', ')}]\n`))
    right.set(`${name}.md`, { labels })
  }
  return { vault, right, without: untagged(vault) }
}

/** Uses a vault unchanged, with the tags in its notes' properties. */
function copyTags(notes, vault) {
  cpSync(notes, vault, { recursive: true })
  const right = new Map()
  for (const path of markdownIn(vault)) {
    const text = readFileSync(join(vault, path), 'utf8')
    const [found] = (/^---\n[\s\S]*?\n---\n/.exec(text)?.[0] ?? '').match(TAGS) ?? []
    const labels = found?.replace(/^tags:/, '').match(/[^\s,[\]'"-][^\s,[\]'"]*/g)
    if (labels) right.set(path, { labels: new Set(labels.map((label) => label.toLowerCase())) })
  }
  return { vault, right, without: untagged(vault) }
}

/** Calls `use` while a note has no tags in its properties. */
function untagged(vault) {
  return async (path, client, use) => {
    const file = join(vault, path)
    const tagged = readFileSync(file, 'utf8')
    const isTagged = async () => 'tags' in (await client.call('get_node', { id: path })).value.properties
    writeFileSync(file, tagged.replace(TAGS, ''))
    await until(async () => !(await isTagged()))
    await use(path)
    writeFileSync(file, tagged)
    await until(isTagged)
  }
}

/** Uses a vault unchanged, with each note in the folder its author chose. */
function copyFolders(notes, vault) {
  cpSync(notes, vault, { recursive: true })
  mkdirSync(join(vault, INBOX))
  return {
    vault,
    right: new Map(
      markdownIn(vault).map((path) => [path, { labels: new Set([dirname(path).replace(/^\.$/, '').toLowerCase()]) }]),
    ),
    async without(path, client, use) {
      const moved = join(INBOX, basename(path))
      const isThere = async (id) => Object.values((await client.call('nodes_exist', { ids: [id] })).value)[0]
      renameSync(join(vault, path), join(vault, moved))
      await until(async () => (await isThere(moved)) && !(await isThere(path)))
      await use(moved)
      renameSync(join(vault, moved), join(vault, path))
      await until(async () => (await isThere(path)) && !(await isThere(moved)))
    },
  }
}

async function until(isSo) {
  for (const since = performance.now(); !(await isSo()); )
    if (performance.now() - since > 20_000) throw new Error('The server did not notice an edit.')
}

/** Number of notes per label. */
function countOf(byNote) {
  const counts = new Map()
  for (const labels of byNote.values()) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  return counts
}

async function score(what, kind, { vault, right, without }) {
  const counts = countOf(new Map([...right].map(([path, { labels }]) => [path, labels])))
  const labeled = [...right].filter(([, { labels }]) => [...labels].some((label) => label !== '' && counts.get(label) >= 3))
  const step = Math.max(1, Math.ceil(labeled.length / Number(options.limit)))
  const asked = labeled.filter((_, at) => at % step === 0)
  const index = new Client(process.execPath, [program, 'index', vault], folders)
  await index.exited
  const client = new Client(process.execPath, [program, 'serve', vault], folders)
  await client.initialize()
  const popular = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([label]) => label)
  const ranks = []
  const byPopularity = []
  try {
    for (const [path, { labels }] of asked) {
      const rankIn = (found) => found.findIndex((label) => labels.has(label.toLowerCase())) + 1 || Number.POSITIVE_INFINITY
      await without(path, client, async (id) => {
        const { value } = await client.call('suggest_tags', { id, limit: 10, relevance: 'loose' })
        ranks.push(rankIn(kind === 'tags' ? value.tags.map(({ tag }) => tag) : value.folders.map((one) => one.path)))
      })
      byPopularity.push(rankIn(popular))
    }
  } finally {
    await client.close()
  }
  const mean = (values) => (values.reduce((sum, value) => sum + value, 0) / asked.length).toFixed(3)
  const hits = (of) => `${mean(of.map((rank) => Number(rank <= 1)))}, hit@5 ${mean(of.map((rank) => Number(rank <= 5)))}`
  console.log(
    `${what}: ${asked.length} notes, hit@1 ${hits(ranks)}, mean reciprocal rank ${mean(ranks.map((rank) => 1 / rank))}; by popularity hit@1 ${hits(byPopularity)}`,
  )
}
