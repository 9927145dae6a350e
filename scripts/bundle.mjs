/**
 * Packs the built program into an `.mcpb` bundle for Claude Desktop and other clients: the program, the parts of `node_modules` it needs on
 * every platform, and a manifest built from package.json and the server's tool list.
 *
 * Usage: npm run bundle [-- --out <folder>]
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { packExtension, validateManifest } from '@anthropic-ai/mcpb'
import { Client } from '../bench/client.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options } = parseArgs({ options: { out: { type: 'string', default: '.' } } })
const { name, version, description, keywords, license, engines, dependencies } = readJson('package.json')

/** Keep only what runs: the SQLite package includes its whole source and build scripts. */
const RUNS = /^(?:dist|prebuilds)(?:\/|$)|^(?:index|node-gyp-build)\.js$|^package\.json$|^licen[cs]e[^/]*$/i
const FILES = ['dist', 'assets', 'LICENSE', 'THIRD_PARTY.md', 'package.json']

const scratch = mkdtempSync(join(tmpdir(), 'roux-bundle-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const stage = join(scratch, 'bundle')
mkdirSync(join(scratch, 'vault'))
for (const file of FILES)
  cpSync(join(root, file), join(stage, file), { recursive: true, filter: (path) => path !== join(root, 'dist', 'lib') })
for (const dependency of withDependencies(Object.keys(dependencies))) copyPackage(dependency)
writeFileSync(join(stage, 'manifest.json'), `${JSON.stringify(manifestOf(await listTools()), undefined, 2)}\n`)
const bundle = join(resolve(options.out), `${name}-${version}.mcpb`)
if (!validateManifest(stage)) throw new Error('The manifest is invalid.')
if (!(await packExtension({ extensionPath: stage, outputPath: bundle, silent: true })))
  throw new Error(`Could not create ${bundle}.`)
console.log(`${bundle}: ${(statSync(bundle).size / 1e6).toFixed(1)} MB`)

/** Follows https://github.com/modelcontextprotocol/mcpb, version 0.3. */
function manifestOf(tools) {
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Roux',
    version,
    description,
    author: { name: 'Roux contributors' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'dist/cli/main.js',
      mcp_config: {
        command: 'node',
        args: ['$' + '{__dirname}/dist/cli/main.js', 'serve', '$' + '{user_config.vault}'],
        env: { ROUX_TOOLS_WRITE: '$' + '{user_config.write}', ROUX_TOOLS_ATTACH: '$' + '{user_config.write}' },
      },
    },
    user_config: {
      vault: {
        type: 'directory',
        title: 'Vault',
        description: 'The folder with your Markdown notes.',
        required: true,
      },
      write: {
        type: 'boolean',
        title: 'Let the assistant write',
        description: 'Create, change, move and delete notes and attachments; every change is recorded and can be undone.',
        default: false,
        required: false,
      },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: tool.title })),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
  }
}

/** Lists all tools, including the ones that write. */
async function listTools() {
  const folders = { XDG_CACHE_HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
  const program = [join(stage, 'dist/cli/main.js'), 'serve', join(scratch, 'vault'), '--write']
  const client = new Client(process.execPath, program, folders)
  await client.initialize()
  const { message } = await client.request('tools/list', {})
  await client.close()
  return message.result.tools
}

function copyPackage(dependency) {
  const from = join(root, 'node_modules', dependency)
  const isWanted = (path) =>
    path === from || (RUNS.test(path.slice(from.length + 1).replaceAll('\\', '/')) && !/\.(?:map|d\.\w?ts)$/.test(path))
  const to = join(stage, 'node_modules', dependency)
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, filter: isWanted })
}

/** Collects the given packages and all their dependencies. */
function withDependencies(names, found = new Set()) {
  for (const each of names.filter((one) => !found.has(one))) {
    found.add(each)
    withDependencies(Object.keys(readJson(`node_modules/${each}/package.json`).dependencies ?? {}), found)
  }
  return [...found]
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}
