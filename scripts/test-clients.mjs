// Signs real clients in to the built program, and prints what they print. Not part of CI: it installs 800 MB from the registry. Where a
// client's description cannot be fetched, the server gets a copy of it, as if it had fetched it before.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { consent, freePort } from './consent.mjs'

const INSTALLED = ['@anthropic-ai/claude-code@2.1.330', '@openai/codex@0.169.0']

/** The address of each client's description, and what it said when this was written. */
const DESCRIPTIONS = {
  'https://claude.ai/oauth/claude-code-client-metadata': 'Claude Code',
  'https://chatgpt.com/oauth/codex/client.json': 'Codex',
}

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const vault = fileURLToPath(new URL('../fixtures/demo', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'roux-clients-'))
const home = join(scratch, 'home')
const state = join(scratch, 'state')
const env = { ...process.env, HOME: home, XDG_STATE_HOME: state, XDG_CACHE_HOME: state, XDG_CONFIG_HOME: state }
for (const name of Object.keys(env)) if (/^(ANTHROPIC|CLAUDE|CODEX|OPENAI)/.test(name)) delete env[name]
let failures = 0
let server

try {
  for (const folder of [home, state]) mkdirSync(folder)
  install()
  const port = await freePort()
  const url = `http://localhost:${port}/mcp`
  server = await startServer(port)
  await provideDescriptions()
  await testClaudeCode(url)
  await testCodex(url)
} finally {
  server?.kill()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}
console.log(failures === 0 ? 'test:clients: everything as expected' : `test:clients: ${failures} unexpected`)
process.exitCode = failures === 0 ? 0 : 1

function install() {
  writeFileSync(join(scratch, 'package.json'), '{"private":true}')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', scratch, ...INSTALLED]
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  console.log(`$ npm install ${INSTALLED.join(' ')}\n${stdout.trim()}`)
  if (status !== 0) throw new Error(`npm could not install the clients:\n${stderr}`)
}

async function startServer(port) {
  const args = [program, 'serve', vault, '--http', String(port), '--public-url', `http://localhost:${port}`]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  while (child.exitCode === null && !(await isUp(port))) await new Promise((resolve) => setTimeout(resolve, 100))
  if (child.exitCode !== null) throw new Error(`The server exited with ${child.exitCode}.`)
  return child
}

function isUp(port) {
  return fetch(`http://localhost:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** If the descriptions cannot be fetched, copies them to where the server keeps fetched ones. */
async function provideDescriptions() {
  const copies = []
  for (const [id, name] of Object.entries(DESCRIPTIONS)) {
    const isReachable = await fetch(id, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
    console.log(`# ${id}: ${isReachable ? 'can be fetched' : 'cannot be fetched, so the server gets a copy'}`)
    const addresses = ['http://localhost/callback', 'http://127.0.0.1/callback']
    if (!isReachable) copies.push({ id, name, addresses, fetched: Date.now() })
  }
  if (copies.length > 0) writeFileSync(join(state, 'roux/clients.json'), JSON.stringify(copies), { mode: 0o600 })
}

async function testClaudeCode(url) {
  const claude = (...args) => [process.execPath, join(scratch, 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs'), ...args]
  await ask(claude('--version'))
  await ask(claude('mcp', 'add', '--transport', 'http', 'roux', url), /Added HTTP MCP server roux/)
  await ask(claude('mcp', 'list'), /Needs authentication/)
  await signIn(claude('mcp', 'login', '--no-browser', 'roux'), /Authenticated with "roux"/)
  const usesTools = async () => void (await ask(claude('mcp', 'list'), /✔ Connected/))
  await usesTools()
  await refreshes('claude-code', usesTools, () =>
    changeJson('.claude/.credentials.json', ({ mcpOAuth }) => Object.values(mcpOAuth), 'expiresAt'),
  )
  await ask([process.execPath, program, 'token', 'remove', 'claude-code'], /has ended/)
  await ask(claude('mcp', 'list'), /Needs authentication/)
}

async function testCodex(url) {
  const codex = (...args) => [process.execPath, join(scratch, 'node_modules/@openai/codex/bin/codex.js'), ...args]
  await ask(codex('--version'))
  await signIn(codex('mcp', 'add', 'roux', '--url', url), /Successfully logged in/)
  await ask(codex('mcp', 'list'), /OAuth/)
  const usesTools = async () => expectAs(await listTools(codex('app-server')), /"search"/, 'codex app-server, the tools of roux')
  await usesTools()
  await refreshes('codex', usesTools, () => changeJson('.codex/.credentials.json', Object.values, 'expires_at'))
  await signIn(codex('mcp', 'login', 'roux', '--oauth-client-registration', 'dcr'), /Successfully logged in/)
  await usesTools()
  for (const { name } of connections()) await ask([process.execPath, program, 'token', 'remove', name], /has ended/)
  expectAs(await listTools(codex('app-server')), /Auth required/, 'codex app-server after the removal')
}

/** Makes a client believe that its access token has expired, and checks that it refreshes it. */
async function refreshes(name, use, expire) {
  const last = () => connections().find((one) => one.name === name)?.last_refresh
  const before = last()
  expire()
  await use()
  expectAs(
    `before: ${before}, after: ${last()}`,
    before === last() ? /^$/ : /after: 2/,
    `roux token list, last_refresh of ${name}`,
  )
}

function connections() {
  const { stdout } = spawnSync(process.execPath, [program, 'token', 'list', '--json'], { env, encoding: 'utf8' })
  console.log(`$ roux token list\n${stdout.trim()}`)
  return JSON.parse(stdout).filter(({ program }) => program !== undefined)
}

function changeJson(file, entries, key) {
  const path = join(home, file)
  const json = JSON.parse(readFileSync(path, 'utf8'))
  for (const entry of entries(json)) entry[key] = 1
  writeFileSync(path, JSON.stringify(json))
}

/** Runs a command to its end and prints its output, which must contain `expected`. */
async function ask(command, expected = /./) {
  const child = spawn(command[0], command.slice(1), { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] })
  expectAs(await outputOf(child), expected, shown(command))
}

/** Runs a client's sign-in in a terminal, and does on the page what a person does in the browser. */
async function signIn(command, expected) {
  const pty = 'import pty,sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'
  const child = spawn('python3', ['-c', pty, ...command], { env, cwd: home, stdio: ['pipe', 'pipe', 'pipe'] })
  let isAllowed = false
  const output = await outputOf(child, (said) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals end a link with such characters
    const address = /http\S+?\/authorize\?[^\s\x07\x1b]+(?=[\s\x07\x1b])/.exec(said)?.[0]
    if (address === undefined || isAllowed) return
    isAllowed = true
    const { stdout } = spawnSync(process.execPath, [program, 'connect', '--json'], { env, encoding: 'utf8' })
    consent(address, JSON.parse(stdout).code).then(
      ({ page, returnedTo }) => {
        const text = page.replace(/<style>.*<\/style>/s, '').replace(/<[^>]+>/g, ' ')
        console.log(`# the page: ${text.replace(/\s+/g, ' ').trim()}\n# the browser returns to ${returnedTo}`)
      },
      (error) => {
        console.log(error)
        child.kill()
      },
    )
  })
  expectAs(output, expected, `${shown(command)}   (in a terminal)`)
}

/** Asks a client's server for editors which tools its servers have. This needs no account. */
function listTools(command) {
  const child = spawn(command[0], command.slice(1), { env, cwd: home, stdio: ['pipe', 'pipe', 'ignore'] })
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
  send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'test', title: 'Test', version: '1' } } })
  let isAsked = false
  return outputOf(child, (said) => {
    if (!isAsked && said.includes('"id":1,')) {
      isAsked = true
      send({ method: 'initialized' })
      send({ id: 2, method: 'mcpServerStatus/list', params: {} })
    }
    if (/"id":2,.*\n/.test(said)) child.kill()
  })
}

function outputOf(child, onOutput = () => {}) {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
      onOutput(output)
    })
  const timer = setTimeout(() => child.kill(), 120_000)
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer)
      resolve(output)
    })
  })
}

function expectAs(output, expected, what) {
  console.log(`$ ${what}\n${output.trim().slice(0, 3_000)}`)
  if (expected.test(output)) return
  failures++
  console.log(`UNEXPECTED: ${expected} is not in it`)
}

function shown([, script, ...args]) {
  const name = script === program ? 'roux' : script.includes('codex') ? 'codex' : 'claude'
  return [name, ...args].join(' ')
}
