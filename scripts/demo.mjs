/**
 * Asks the built server about the demo vault through the official MCP client and prints the conversation. The script maps each question to
 * a tool call by hand, where an assistant would choose the call. It works on a copy and leaves nothing behind.
 *
 * Usage: npm run demo
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const WIDTH = 100
const INDENT = '      '
/** The time limit for the server to notice an edit, in milliseconds. */
const PATIENCE_MS = 10_000

const root = fileURLToPath(new URL('..', import.meta.url))
const program = join(root, 'dist/cli/main.js')
if (!existsSync(program)) {
  console.error('The program is not built. Run: npm run build')
  process.exit(1)
}
const scratch = mkdtempSync(join(tmpdir(), 'roux-demo-'))
const vault = join(scratch, 'demo')
cpSync(join(root, 'fixtures/demo'), vault, { recursive: true })
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))
// Exit quietly when a pipe closes, as in `npm run demo | head`.
process.stdout.on('error', () => process.exit())

const client = await connect()
await converse(client)
await client.close()

async function connect() {
  const client = new Client({ name: 'roux-demo', version: '1' })
  const env = {
    ...process.env,
    ROUX_SERVE_SHARED: 'off',
    XDG_CACHE_HOME: scratch,
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'serve', vault], env, cwd: scratch }),
  )
  return client
}

async function converse(client) {
  const { tools } = await client.listTools()
  console.log(`Roux ${client.getServerVersion().version} serves a copy of fixtures/demo and offers ${tools.length} tools.`)

  ask('What is this vault about?')
  const { communities, between } = await call(client, 'map', {})
  for (const { label, notes, about } of communities) say(`${label}: ${notes} notes; ${about}`)
  const labels = new Map(communities.map(({ id, label }) => [id, label]))
  for (const { of, links, through } of between.slice(0, 1))
    say(`${of.map((id) => labels.get(id)).join(' — ')}: ${links} links, through ${through.title}`)

  ask('What are the hubs?')
  for (const { title, score } of await call(client, 'get_hubs', { limit: 5 })) say(`${title}: ${score} notes link to it`)

  ask('What links to Amylase?')
  const [amylase, parmentier] = await idsOf(client, ['Amylase', 'Parmentier'])
  for (const { title, id } of await call(client, 'get_neighbors', { id: amylase, direction: 'in' })) say(`${title}  (${id})`)

  ask('How are Parmentier and Amylase connected, and through which sentences?')
  const { path, length, hops } = await call(client, 'find_path', { source: parmentier, target: amylase })
  say(`by ${length} links, from ${path[0]}`)
  for (const { from, to, direction, line, text } of hops) {
    say(`→ ${to}`)
    say(`“${text}”`, `${INDENT}    `)
    say(`${direction === 'out' ? from : to}, line ${line}`, `${INDENT}    `)
  }

  ask('What did I write about keeping shaped loaves in the fridge overnight?')
  for (const { title, passages } of await findable(client, 'keeping shaped loaves in the fridge overnight')) {
    const [{ heading, start_line: line, text }] = passages
    say(`${[title, ...heading.filter((name) => name !== title)].join(' › ')}, line ${line}`)
    say(`“${text.length > 220 ? `${text.slice(0, 220).replace(/\s+\S*$/, '')} …` : text}”`, `${INDENT}    `)
  }

  ask('Which links should be there?')
  const { suggestions } = await call(client, 'suggest_links', { kind: 'named', limit: 2 })
  for (const { title, from, line, text, edit } of suggestions) {
    const { find, replace } = edit.arguments.replace_text
    say(`to ${title}, in ${from}, line ${line}`)
    say(`“${text.replace(find, () => replace)}”`, `${INDENT}    `)
  }

  ask('What is broken?')
  for (const problem of (await call(client, 'get_problems', {})).problems) say(describe(problem))

  const file = 'Faults/Pale crust.md'
  correct(join(vault, file), 'Maillard reacton', 'Maillard reaction')
  ask(`I corrected the typo in ${file}. What is broken now?`)
  for (const problem of await problemsWithout(client, file)) say(describe(problem))
}

/** Resolves notes by title or alias to their ids. */
async function idsOf(client, names) {
  return (await call(client, 'resolve_nodes', { names })).map(({ match }) => match)
}

/** Searches once all notes have embeddings, which takes some tenths of a second after the start. */
async function findable(client, query) {
  const args = { query, limit: 2 }
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    const { structuredContent } = await client.callTool({ name: 'search', arguments: args })
    if (structuredContent._warnings === undefined || Date.now() > until) break
  }
  return call(client, 'search', args)
}

/** Returns the broken links once the edited file has none. The server notices the edit within some hundredths of a second. */
async function problemsWithout(client, file) {
  const args = { kind: 'broken_link' }
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(10)) {
    const { problems } = await request(client, 'get_problems', args)
    if (problems.every(({ id }) => id !== file.toLowerCase())) {
      tell('get_problems', args)
      return problems
    }
    if (Date.now() > until) throw new Error(`The server did not notice the edit of ${file}.`)
  }
}

async function call(client, name, args) {
  tell(name, args)
  return request(client, name, args)
}

async function request(client, name, args) {
  const { isError, content } = await client.callTool({ name, arguments: args })
  if (isError) throw new Error(`${name}: ${content[0].text}`)
  return JSON.parse(content[0].text)
}

function correct(path, wrong, right) {
  writeFileSync(path, readFileSync(path, 'utf8').replace(wrong, right))
}

function describe({ kind, id, line, text, candidates = [] }) {
  const place = line > 0 ? `${id}, line ${line}` : id
  const meant = kind === 'broken_link' && candidates.length > 0 ? ` Did you mean ${candidates.join(' or ')}?` : ''
  return `${kind.replace('_', ' ')} in ${place}: ${text}${meant}`
}

function ask(question) {
  console.log(`\nYou   ${question}`)
}

function tell(name, args) {
  console.log(`      [${name} ${JSON.stringify(args)}]`)
}

/** Prints text in wrapped lines, with a hanging indent of two columns. */
function say(text, indent = INDENT) {
  let line = indent
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length >= WIDTH) {
      console.log(line.trimEnd())
      line = `${indent}  `
    }
    line += `${word} `
  }
  console.log(line.trimEnd())
}
