// Bundles the program: one script per entry point, nothing left to resolve at start-up but the SQLite binding, and V8's code cache
// beside each, so that a start compiles next to nothing. CommonJS, because V8 caches the code of scripts only, not of modules.
import { spawn, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { buildInlinePages } from './inline-pages.mjs'
import { METHODS, methodsModule } from './methods.mjs'
import { PAGE_BUNDLE, PAGE_FILES } from './page-bundle.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

const ENTRIES = ['cli/main', 'workers/indexer', 'workers/compute', 'workers/reader', 'workers/model']
/** Large entry points that run at every start. */
const CACHED = ['cli/main', 'workers/indexer']

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: process.env.NOMIN !== '1',
  metafile: true,
  legalComments: 'none',
  external: ['@photostructure/sqlite', '@huggingface/transformers', 'hnswlib-node', 'neo4j-driver', 'graphology'],
  alias: {
    // The SDK brings a JSON Schema validator for input that servers request from clients. This server requests none.
    '@modelcontextprotocol/server/_shims': here('no-validator.mjs'),
    // The package's main file loads its parts in a way that no bundler understands.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  },
}

/** Bundled CommonJS packages load Node's own modules with `require`. */
const REQUIRE = { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" }

/** Matches the modules of this project that a declaration imports. */
const IMPORTED = /(?<=\bfrom '|\bimport\(["'])(\.[^'"]+)\.ts(?=['"])/g

/** Where a declaration imports the types of an optional peer. */
const OPTIONAL_TYPES = /^(?=import type .* from 'graphology';?$)/m

await rm('dist', { recursive: true, force: true })
await Promise.all([
  buildProgram(),
  buildLibrary(),
  declareLibrary(),
  buildPage(),
  buildInlinePages('dist/app', { minify: shared.minify }),
])
await writeLaunchers()
await recordCodeCache()

/** Bundles the program. Every `import()` becomes a part of the script that is evaluated only when it is reached. */
async function buildProgram() {
  await build({
    ...shared,
    entryPoints: {
      'cli/main.app': 'src/cli/main.ts',
      'workers/indexer.app': 'src/workers/indexer.ts',
      'workers/compute.app': 'src/workers/compute.ts',
      'workers/reader.app': 'src/workers/reader.ts',
      'workers/model.app': 'src/embed/transformers-worker.ts',
    },
    outdir: 'dist',
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '$url' },
    banner: { js: "const $url=require('node:url').pathToFileURL(__filename).href;" },
  })
  // This script runs before everything else, so it is bundled separately.
  await build({
    ...shared,
    entryPoints: { 'cli/relay': 'src/relay/main.ts' },
    outdir: 'dist',
    format: 'cjs',
    supported: { 'dynamic-import': false },
  })
  for (const entry of ENTRIES) await escapeNonAscii(`dist/${entry}.app.js`)
}

/** esbuild escapes characters in strings but not in regular expressions, where escapes have the same meaning. */
async function escapeNonAscii(path) {
  const text = await readFile(path, 'utf8')
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  await writeFile(path, text.replace(/[^\0-\x7f]/g, escaped), 'latin1')
}

async function buildLibrary() {
  await build({
    ...shared,
    entryPoints: { index: 'src/index.ts' },
    outdir: 'dist/lib',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    banner: REQUIRE,
  })
}

/** Bundles the page that "roux open" shows. It contains nothing of the program. */
async function buildPage() {
  await build({ ...PAGE_BUNDLE, minify: process.env.NOMIN !== '1', outdir: 'dist/web' })
  for (const file of PAGE_FILES) await copyFile(file, join('dist/web', basename(file)))
}

/** Returns the definitions of all tools. */
async function readTools() {
  const folder = await mkdtemp(join(tmpdir(), 'roux-tools-'))
  const outfile = join(folder, 'tools.mjs')
  await build({ ...shared, entryPoints: ['src/mcp/tools/index.ts'], outfile, format: 'esm', banner: REQUIRE })
  const { TOOLS } = await import(pathToFileURL(outfile).href)
  await rm(folder, { recursive: true, force: true })
  return TOOLS.map((tool) => tool.definition())
}

/** Writes declarations of everything that the library exports, and of the types that they need. `npm run check` checks them. */
async function declareLibrary() {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.')
  const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true }
  const host = ts.createCompilerHost({ ...options, ...emitting })
  const methods = methodsModule('.', await readTools())
  const readSource = host.getSourceFile
  host.getSourceFile = (name, language, ...rest) =>
    name.endsWith(METHODS) ? ts.createSourceFile(name, methods, language) : readSource.call(host, name, language, ...rest)
  const program = ts.createProgram(['src/index.ts'], { ...options, ...emitting }, host)
  const files = new Set(['src/index.ts'])
  const texts = new Map()
  for (const file of files) {
    const collect = (_, text) =>
      texts.set(
        file,
        text.replace(IMPORTED, (_all, path) => {
          files.add(join(dirname(file), `${path}.ts`))
          return `${path}.mjs`
        }),
      )
    program.emit(program.getSourceFile(file), collect, undefined, true)
  }
  for (const [file, text] of texts) {
    const target = file.replace(/^src/, 'dist/lib').replace(/\.ts$/, '.d.mts')
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, text.replace(OPTIONAL_TYPES, '// @ts-ignore: without the package, its types are any.\n'))
  }
}

async function writeLaunchers() {
  await writeFile('dist/package.json', '{ "type": "commonjs" }\n')
  await copyFile(here('launch.cjs'), 'dist/launch.js')
  for (const entry of ENTRIES) {
    const shebang = entry.startsWith('cli/') ? '#!/usr/bin/env node\n' : ''
    const launching = `require('../launch.js')(require, '${entry}')`
    await writeFile(`dist/${entry}.js`, `${shebang}${entry === 'cli/main' ? relayed(launching) : launching}\n`)
  }
  await chmod('dist/cli/main.js', 0o755)
}

/** The relay runs first. A user without a home folder gets the one that container runtimes give. */
function relayed(launching) {
  return `try {
  require('node:os').homedir()
} catch {
  process.env.HOME = '/'
}
require('./relay.js').start(require.resolve('./main.app.js'), () => ${launching})`
}

/** Runs one session of the built server, so that the cache holds what a session compiles. */
async function recordCodeCache() {
  const home = await mkdtemp(join(tmpdir(), 'roux-build-'))
  await mkdir(join(home, 'vault'))
  await writeFile(join(home, 'vault', 'a.md'), '---\ntags: [x]\n---\n# A\n\n[[b]], [c](c.md) and `code`.\n')
  await writeFile(join(home, 'vault', 'b.md'), '- [[a|the first]] #tag\n')
  const requests = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'get_hubs', arguments: { metric: 'pagerank' } } },
    { id: 4, method: 'tools/call', params: { name: 'get_node', arguments: { id: 'a', depth: 1 } } },
    { id: 5, method: 'tools/call', params: { name: 'find_path', arguments: { source: 'a', target: 'b' } } },
  ]
  const folders = { XDG_CACHE_HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, ROUX_SERVE_SHARED: 'off' }
  // The first run builds an index and the second one finds it, so the cache ends with what a warm start needs. On a busy machine,
  // the indexing worker may be stopped before it has written its cache, so there may be more runs.
  let faults = []
  for (let run = 0; run < 2 || (run < 6 && faults.length > 0); run++) {
    const server = spawn(
      process.execPath,
      ['--require', here('record-code-cache.cjs'), 'dist/cli/main.js', 'serve', join(home, 'vault')],
      {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, ...folders },
      },
    )
    server.stdin.end(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''))
    const status = await new Promise((resolve) => server.on('exit', resolve))
    if (status !== 0) throw new Error(`the built server ended with ${status}`)
    faults = run === 0 ? [] : CACHED.flatMap(codeCacheFaults)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  await rm(home, { recursive: true, force: true })
}

/** Returns why V8 does not use the code cache of a script, if so. The script works without it, only slower, so no one would notice. */
function codeCacheFaults(entry) {
  const args = [here('check-code-cache.cjs'), `dist/${entry}.app.js`]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return status === 0 ? [] : [`no code cache of ${entry}: ${stderr}`]
}
