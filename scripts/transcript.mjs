// Holds one conversation with the built server over stdio, with the official client, on a copy of the demo vault: it counts, groups, follows up
// and cites. `docs.mjs` writes the result into docs/transcript.md.
import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { abbreviate, blocks } from './show-exchange.mjs'

const AGE = new Date('2025-04-01T08:00:00Z')
/** How long the server may take to index these few notes, or to notice an edit. */
const PATIENCE_MS = 20_000

/**
 * Holds the conversation in an empty temporary folder. `layOut` breaks JSON into lines.
 * @returns the parts of the page by name, each with its text blocks
 */
export async function converse({ root, folder, layOut }) {
  const vault = join(folder, 'bread')
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'fixtures/demo'), vault, { recursive: true })
  for (const path of readdirSync(vault, { recursive: true })) utimesSync(join(vault, path), AGE, AGE)
  const client = new Client({ name: 'transcript', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'dist/cli/main.js'), 'serve', vault],
      env: { ...process.env, ROUX_SERVE_SHARED: 'off', XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
      cwd: folder,
      stderr: 'ignore',
    }),
  )
  try {
    return await talk({ client, vault, layOut })
  } finally {
    await client.close()
  }
}

async function talk({ client, vault, layOut }) {
  const call = async (name, args) => {
    const { structuredContent: facts, isError } = await client.callTool({ name, arguments: args })
    if (isError) throw new Error(`${name}: ${JSON.stringify(facts)}`)
    return { facts, shown: `→ ${name} ${JSON.stringify(args)}\n← ${layOut(abbreviate(facts), '  ')}` }
  }
  const until = async (isReady, name, args) => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
      const answer = await call(name, args)
      if (isReady(answer.facts)) return answer
    }
    throw new Error(`${name} ${JSON.stringify(args)} did not give the answer in time.`)
  }
  const links = { query: 'links:Hydration', count: true }
  await until(isSettled, 'search', { query: 'anything', limit: 1 })

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
  const shown = Object.entries(parts).map(([name, exchanges]) => [name, blocks(exchanges)])
  return { ...Object.fromEntries(shown), cited: citationsOf(parts.path[0].facts) }
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
