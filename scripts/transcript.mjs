// Holds conversations with the built server over stdio, with the official client, each on a copy of the demo vault. `docs.mjs` writes them into
// the pages they are named after.
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { abbreviate, blocks, withoutChance } from './show-exchange.mjs'

const AGE = new Date('2025-04-01T08:00:00Z')
/** How long the server may take to index these few notes, or to notice an edit, on a busy machine. */
const PATIENCE_MS = 120_000
/** Arguments of this many characters are broken into lines. */
const LONG = 120
/** Lines of a difference that a page shows. */
const DIFF_LINES = 14

const CONVERSATIONS = {
  'docs/transcript.md': { options: [], talk: read },
  'docs/transcript-writing.md': { options: ['--write'], talk: write },
  'docs/transcript-insight.md': { options: ['--write'], talk: oversee },
}

/**
 * Holds the conversations in an empty temporary folder. `layOut` breaks JSON into lines.
 * @returns the parts of each page by name, each with its text blocks
 */
export async function converse({ root, folder, layOut }) {
  const pages = {}
  for (const [page, { options, talk }] of Object.entries(CONVERSATIONS)) {
    const own = join(folder, page)
    const vault = join(own, 'bread')
    mkdirSync(own, { recursive: true })
    cpSync(join(root, 'fixtures/demo'), vault, { recursive: true })
    for (const path of readdirSync(vault, { recursive: true })) utimesSync(join(vault, path), AGE, AGE)
    const client = new Client({ name: 'transcript', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(root, 'dist/cli/main.js'), 'serve', vault, ...options],
        env: { ...process.env, ROUX_SERVE_SHARED: 'off', XDG_CACHE_HOME: own, XDG_STATE_HOME: own, XDG_CONFIG_HOME: own },
        cwd: own,
        stderr: 'ignore',
      }),
    )
    const calls = callsOf(client, layOut)
    try {
      await calls.until(isSettled, 'search', { query: 'anything', limit: 1 })
      const parts = Object.entries(await talk({ ...calls, vault }))
      pages[page] = Object.fromEntries(parts.map(([name, part]) => [name, typeof part === 'string' ? part : blocks(part)]))
    } finally {
      await client.close()
    }
  }
  return pages
}

function callsOf(client, layOut) {
  const call = async (name, args) => {
    const { structuredContent: facts, isError } = await client.callTool({ name, arguments: args })
    if (isError) throw new Error(`${name}: ${JSON.stringify(facts)}`)
    const flat = JSON.stringify(withoutChance(args))
    const asked = flat.length < LONG ? flat : layOut(withoutChance(args), '  ')
    return { facts, shown: `→ ${name} ${asked}\n← ${layOut(abbreviate(withoutChance(facts)), '  ')}` }
  }
  const until = async (isReady, name, args) => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
      const answer = await call(name, args)
      if (isReady(answer.facts)) return answer
    }
    throw new Error(`${name} ${JSON.stringify(args)} did not give the answer in time.`)
  }
  return { call, until }
}

/** Counts, groups, follows up and cites. */
async function read({ call, until, vault }) {
  const links = { query: 'links:Hydration', count: true }
  const pack = await call('context_pack', { query: 'why is my bread so dense?', max_tokens: 800 })
  // The follow-up names the note by the path that the answer gave.
  const [{ path: found }] = pack.facts.excerpts
  const verify = (quote) => call('verify_quote', { id: found, quote })
  const parts = {
    group: [await call('find_nodes', { query: '', group_by: 'type', limit: 4 })],
    count: [
      await call('find_nodes', { query: '#type=technique created:<2024', count: true }),
      await call('find_nodes', { query: '#type=technique created:<2024 links:Gluten', links: 0, limit: 3 }),
    ],
    set: [await call('find_nodes', { query: '-linkedfrom:(folder:"Recipes")', folder: 'Techniques', links: 0, limit: 3 })],
    mentions: [await call('get_neighbors', { id: 'Hydration', direction: 'in', evidence: true, links: 0, limit: 3 })],
    path: [await call('find_path', { source: 'Louis Pasteur', target: 'Tangzhong' })],
    pack: [pack],
    follow: [await call('get_node', { id: found, max_chars: 300 })],
    quote: [await verify('Tight everywhere, with a few small tunnels'), await verify('Tight everywhere, with a few big caves')],
    before: [await call('find_nodes', links)],
  }
  writeFileSync(join(vault, 'My first day.md'), 'Tried a wetter dough today: [[Hydration]].\n')
  const { total } = parts.before[0].facts
  parts.after = [await until((facts) => facts.total > total && isSettled(facts), 'find_nodes', links)]
  return { ...parts, cited: citationsOf(parts.path[0].facts) }
}

/** Moves a note, takes it back, and adds a line to it. */
async function write({ call, until, vault }) {
  const hashes = [hashOf(vault)]
  const plan = await call('move_node', {
    id: 'techniques/cold retard',
    to: 'Techniques/Proofing/Overnight retard',
    dry_run: true,
  })
  hashes.push(hashOf(vault))
  const applied = await call('apply_changes', { plan_id: plan.facts.plan_id })
  hashes.push(hashOf(vault))
  const moved = { id: 'techniques/proofing/overnight retard', direction: 'in', kinds: ['note'] }
  const after = [await until(isSettled, 'get_neighbors', moved), await call('list_changes', { limit: 1 })]
  const undone = await call('undo', { change_id: applied.facts.change_id })
  hashes.push(hashOf(vault))
  await until(isSettled, 'get_node', { id: 'techniques/cold retard' })
  const append = { id: 'techniques/cold retard', append: 'See [[Fridge temperatures]].' }
  return {
    plan: [plan],
    diff: diffOf(plan.facts.diff),
    apply: [applied],
    after: after.slice(0, 1),
    undo: [after[1], undone],
    proof: `\`\`\`text\n${['before', 'after the dry run', 'after the move', 'after the undo']
      .map((when, at) => `${hashes[at].slice(0, 12)}  ${when}`)
      .join('\n')}\n\`\`\`\n`,
    append: [await call('update_node', append)],
  }
}

/** Asks about the vault as a whole, and makes a suggested link. */
async function oversee({ call, until }) {
  const suggested = await until(isSettled, 'suggest_links', { limit: 3 })
  const { cursor } = (await call('changes_since', { since: '1h' })).facts
  const { edit } = suggested.facts.suggestions.find((suggestion) => suggestion.edit !== undefined)
  const parts = {
    map: [await until(isSettled, 'map', { max_tokens: 900 })],
    gaps: [await until(isSettled, 'gaps', { limit: 2 })],
    suggest: [suggested],
    dry: [await call('apply_changes', { operations: [edit], dry_run: true })],
  }
  parts.make = [await call('apply_changes', { plan_id: parts.dry[0].facts.plan_id })]
  parts.diff = diffOf(parts.make[0].facts.diff)
  parts.pack = [await until(isSettled, 'context_pack', { query: 'why is the crust pale, and what helps?', max_tokens: 800 })]
  parts.changes = [await until(isSettled, 'changes_since', { cursor })]
  return parts
}

/** Whether an answer has no warning that the index is incomplete or older than the files. */
function isSettled({ _warnings }) {
  return _warnings === undefined
}

/** The sentence of each link of a path, with the file and line it is from. */
function citationsOf({ path, paths, hops }) {
  const cited = hops.map(({ from, line, text }) => `> ${text}  \n> — \`${paths[path.indexOf(from)]}\`, line ${line}\n`)
  return cited.join('\n')
}

/** One hash over the names and bytes of all files. */
function hashOf(vault) {
  const files = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const hash = createHash('sha256')
  for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) {
    hash.update(`${path.slice(vault.length)}\0`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** The beginning of a difference. */
function diffOf(diff) {
  const lines = diff.trimEnd().split('\n')
  const rest = lines.length - DIFF_LINES
  return `\`\`\`diff\n${[...lines.slice(0, DIFF_LINES), ...(rest > 0 ? [`… ${rest} more lines`] : [])].join('\n')}\n\`\`\`\n`
}
