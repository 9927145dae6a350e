/**
 * Installs the package as a user would, with only its tarball and the registry, with and without install scripts and without a compiler on
 * the path. Then runs commands and an MCP client over stdio, and prints sizes and times.
 *
 * Usage: npm run test:package
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as Stopwatch } from '../bench/client.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'roux-package-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const vault = join(scratch, 'vault')
cpSync(join(root, 'fixtures/demo'), vault, { recursive: true })
const path = bareTools()
if (!isRegistryThere()) {
  console.log('skipped: installing the package (cannot reach a registry)')
  process.exit()
}
const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(
  runNpm(['pack', root, '--json', '--ignore-scripts', '--pack-destination', scratch]).stdout,
)
console.log(`package: ${megabytes(size)}, unpacked ${megabytes(unpackedSize)}, ${entryCount} files`)

for (const flags of [['--ignore-scripts'], []]) {
  rmSync(join(scratch, 'npm'), { recursive: true, force: true })
  const prefix = join(scratch, `prefix${flags.join('')}`)
  const began = performance.now()
  runNpm(['install', '--global', join(scratch, filename), '--prefix', prefix, '--no-audit', '--no-fund', ...flags])
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`npm install --global ${flags.join(' ')}: ${seconds} s, ${megabytes(sizeOf(prefix))} on disk`)
  const roux = join(prefix, 'bin', 'roux')
  console.log(`  roux --version: ${run(roux, ['--version']).trim()}`)
  const [first] = JSON.parse(run(roux, ['search', 'why is my bread so dense?', '--vault', vault, '--json']))
  must(first?.id === 'faults/dense crumb.md', `roux search found ${JSON.stringify(first)}`)
  console.log(`  roux search: ${first.id}`)
  console.log(`  a client over stdio: ${await askServer(roux)}`)
  console.log(`  start to initialize: ${await startTime(roux)}`)
}

async function askServer(roux) {
  const client = new Client({ name: 'try-package', version: '1' })
  await client.connect(new StdioClientTransport({ command: roux, args: ['serve', vault], env: environment(), stderr: 'inherit' }))
  const { tools } = await client.listTools()
  const { structuredContent } = await client.callTool({ name: 'get_hubs', arguments: { limit: 1 } })
  await client.close()
  const [hub] = structuredContent.results
  must(hub?.id === 'concepts/sourdough starter.md', `the first hub is ${JSON.stringify(hub)}`)
  return `${tools.length} tools, the first hub is ${hub.id}`
}

async function startTime(roux) {
  const [times, bare] = [[], []]
  for (let round = 0; round < 9; round++) {
    const client = new Stopwatch(roux, ['serve', vault], environment())
    times.push(await client.initialize())
    await client.close()
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    bare.push(performance.now() - began)
  }
  return `${median(times).toFixed(0)} ms, a bare "node -e 0" ${median(bare).toFixed(0)} ms (medians of 9)`
}

/** Builds a path that has Node, npm and a shell, but no compiler. */
function bareTools() {
  const folder = join(scratch, 'tools')
  mkdirSync(folder)
  symlinkSync(process.execPath, join(folder, 'node'))
  for (const tool of ['npm', 'sh', 'env', 'uname']) symlinkSync(find(tool), join(folder, tool))
  return folder
}

function find(tool) {
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)]
  const found = folders.map((folder) => join(folder, tool)).find((file) => existsSync(file))
  if (found === undefined) throw new Error(`${tool} is missing here.`)
  return found
}

function environment() {
  const folders = Object.fromEntries(['CACHE', 'STATE', 'CONFIG'].map((kind) => [`XDG_${kind}_HOME`, join(scratch, kind)]))
  return { PATH: path, HOME: scratch, NO_COLOR: '1', ROUX_SERVE_SHARED: 'off', ...folders }
}

function isRegistryThere() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(dependencies).every(([name, version]) => npm(['view', `${name}@${version}`, 'version']).status === 0)
}

/** Starts with an empty cache, to measure a machine that has never downloaded the packages. */
function npm(words) {
  const env = { ...process.env, PATH: path, npm_config_cache: join(scratch, 'npm') }
  return spawnSync('npm', words, { encoding: 'utf8', cwd: scratch, env })
}

function runNpm(words) {
  const result = npm(words)
  must(result.status === 0, `npm ${words[0]}: ${result.stderr}`)
  return result
}

function run(program, words) {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', cwd: scratch, env: environment() })
  must(status === 0, `${words.join(' ')}: ${stderr}`)
  return stdout
}

function must(holds, otherwise) {
  if (!holds) throw new Error(otherwise)
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}
