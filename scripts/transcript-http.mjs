// Holds one conversation with the built server over HTTP: three vaults, and a token that gives access to two of them. `docs.mjs` writes the
// result into docs/transcript-http.md, without what differs from run to run: secrets, the session id, the port.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { blocks, show } from './show-exchange.mjs'

const NOTES = {
  'work/Market stall.md': `---
tags: [sales]
created: 2025-03-29
---
# Market stall

Saturdays from eight. The rye goes first; what comes back on Mondays is pale bread. Before I bake for the stall again: [why crusts stay pale](obsidian://open?vault=bread&file=Faults%2FPale%20crust).

Who ordered what is in [[Orders]].
`,
  'work/Orders.md':
    '# Orders\n\nThe café takes twelve baguettes, well browned, and has sent pale ones back twice. See [[Market stall]].\n',
  'diary/Monday.md': '# Monday\n\nNobody shall read this: the pale loaves were mine.\n',
}
const NAMES = ['bread', 'work', 'diary']
const AGE = new Date('2025-04-01T08:00:00Z')
/** How long the server may take to read these few notes. */
const PATIENCE_MS = 20_000

/**
 * Holds the conversation in an empty temporary folder. `layOut` breaks JSON into lines.
 * @returns the parts of the page by name, each with its text blocks
 */
export async function converseOverHttp({ root, folder, layOut }) {
  for (const name of NAMES) mkdirSync(join(folder, name), { recursive: true })
  cpSync(join(root, 'fixtures/demo'), join(folder, 'bread'), { recursive: true })
  for (const [path, text] of Object.entries(NOTES)) writeFileSync(join(folder, path), text)
  for (const path of readdirSync(folder, { recursive: true })) utimesSync(join(folder, path), AGE, AGE)
  const program = join(root, 'dist/cli/main.js')
  const env = { ...process.env, XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const vaults = NAMES.flatMap((name) => ['--set', `vaults.${name}=${join(folder, name)}`])
  const roux = (args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`roux ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  // Wait for embeddings, so that the first search covers every note.
  roux(['index', ...vaults])
  const token = roux(['token', 'add', 'laptop', '--vaults', 'bread,work'])
  const server = spawn(process.execPath, [program, 'serve', '--http', '0', '--write', ...vaults], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const client = openClient({ url: await addressOf(server), token, layOut })
    return await talk(client, () => roux(['token', 'rotate', 'laptop']))
  } finally {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
}

async function talk(client, rotate) {
  const clientInfo = { name: 'laptop', version: '1' }
  const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const refused = await client.post({ ...message('initialize', greeting), token: false })
  const begun = await client.post(message('initialize', greeting))
  const session = { 'Mcp-Session-Id': begun.headers.get('mcp-session-id'), 'MCP-Protocol-Version': '2025-11-25' }
  const noted = await client.post({ body: { jsonrpc: '2.0', method: 'notifications/initialized' }, head: session })
  const call = (name, args) => client.post({ ...message('tools/call', { name, arguments: args }), head: session })
  const question = { query: 'which orders came back because of a pale crust?', limit: 2 }
  await untilComplete(() => call('search', question))
  const parts = {
    token: blocks([refused]),
    session: blocks([begun, noted]),
    finding: blocks([await call('search', question)]),
    following: blocks([
      await call('get_node', { id: 'work:market stall' }),
      await call('get_neighbors', { id: 'bread:faults/pale crust', direction: 'out', limit: 2 }),
    ]),
    hidden: blocks([await call('get_node', { id: 'diary:monday' }), await call('list_nodes', { vault: 'diary' })]),
    scope: blocks([await call('create_node', { id: 'work:monday', content: 'Bake darker.' })]),
    modern: blocks([await client.post(modern('get_hubs', { vault: 'work', limit: 2 }, clientInfo))]),
  }
  rotate()
  return { ...parts, rotated: blocks([await call('get_hubs', { limit: 1 })]) }
}

/** Two consecutive requests may use the same `id`. */
function message(method, params) {
  return { body: { jsonrpc: '2.0', id: 1, method, params } }
}

function modern(name, args, clientInfo) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const head = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name }
  return { ...message('tools/call', { name, arguments: args, _meta: meta }), head }
}

function openClient({ url, token, layOut }) {
  return {
    async post({ body, head = {}, token: isSent = true }) {
      const headers = {
        ...(isSent ? { Authorization: `Bearer ${token}` } : {}),
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...head,
      }
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await response.text()
      const answer = text === '' ? undefined : messageIn(text)
      return { headers: response.headers, answer, shown: show({ body, headers, response, answer, layOut }) }
    },
  }
}

/** Returns the last message of an answer: JSON, or a stream of events. */
function messageIn(text) {
  const data = text.split('\n').filter((line) => line.startsWith('data: {'))
  return JSON.parse(data.at(-1)?.slice('data: '.length) ?? text)
}

async function untilComplete(ask) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const { answer } = await ask()
    if (answer.result?.structuredContent?._warnings === undefined) return
  }
  throw new Error('The server did not read the vaults in time.')
}

async function addressOf(server) {
  let output = ''
  for await (const chunk of server.stderr) {
    output += chunk
    const [url] = /http:\S+\/mcp/.exec(output) ?? []
    if (url !== undefined) {
      server.stderr.on('data', () => {})
      return url
    }
  }
  throw new Error(`The server exited: ${output}`)
}
