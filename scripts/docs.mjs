/**
 * Writes the generated parts of README.md, of pages in docs/ and of THIRD_PARTY.md. Sources are the answers of the
 * built server on the demo vault, the schema of the settings, and the packages in the bundle.
 *
 * Usage: npm run build && node scripts/docs.mjs [--check] [--model <name>=<address>]
 *
 * `--check` writes nothing and exits 1 when a file is stale. `--model` asks a real model again. Only the text between `<!-- generated: name -->` and
 * `<!-- end of name -->` is replaced.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { Client } from '../bench/client.mjs'
import { markdownTable } from './markdown-table.mjs'
import { methodRows } from './methods.mjs'
import { PAGE_BUNDLE } from './page-bundle.mjs'
import { withoutChance } from './show-exchange.mjs'
import { converse } from './transcript.mjs'
import { askModel, askRealModel } from './transcript-ask.mjs'
import { converseOverHttp } from './transcript-http.mjs'

/** The examples in docs/tools.md: for each tool, a call whose answer is the same on every machine. */
const EXAMPLES = {
  search: { query: 'why is my bread so dense?', limit: 1 },
  find_nodes: { query: '#fault ~up=Troubleshooting (gluten OR "under-fermented")', limit: 1 },
  get_node: { id: 'concepts/amylase', section: ['Amylase', 'Too little, too much'], max_chars: 200 },
  get_neighbors: { id: 'concepts/amylase', direction: 'in', limit: 2 },
  find_path: { source: 'people/antoine-augustin parmentier', target: 'concepts/amylase' },
  get_hubs: { limit: 3 },
  map: {},
  gaps: { limit: 2 },
  suggest_links: { id: 'faults/dense crumb', limit: 2 },
  context_pack: { query: 'why is my bread so dense?', max_tokens: 500 },
  impact: { id: 'concepts/amylase' },
  compare: { a: 'breads/baguette', b: 'breads/focaccia' },
  resolve_nodes: { names: ['levain', 'Malliard reaction'] },
  similar_nodes: { id: 'faults/dense crumb', limit: 2, exclude_linked: true },
  search_by_tags: { tags: ['chemistry', 'oven'], mode: 'all', limit: 1 },
  list_nodes: { path: 'breads/', limit: 3 },
  list_tags: { prefix: 'fermentation' },
  list_properties: { limit: 3 },
  get_tree: { path: 'journal' },
  random_node: { tags: ['milestone'] },
  verify_quote: { id: 'Dense crumb', quote: 'under-fermented dough stays dense' },
  nodes_exist: { ids: ['Home', 'breads/brioche'] },
  get_problems: { kind: 'broken_link' },
  suggest_tags: { id: 'faults/dense crumb', limit: 2 },
}

/** Example calls of tools that write. They are not executed, because their answers contain times and numbers that vary. */
const WRITING = {
  ask: { question: 'Why is my bread so dense?' },
  create_node: {
    id: 'journal/2025-04-01.md',
    content: 'The [[Baguette]] came out pale.',
    tags: ['journal'],
    relations: { up: ['Home'] },
  },
  update_node: { id: 'concepts/amylase', section: ['Amylase'], mode: 'append', content: 'See [[Malt]].' },
  delete_node: { id: 'inbox/oven light bulb' },
  move_node: { id: 'concepts/gluten', to: 'concepts/Gluten network.md', dry_run: true },
  restore_node: { id: 'inbox/oven light bulb' },
  rename_heading: { id: 'concepts/amylase', heading: ['Too little, too much'], to: 'How much' },
  rename_tag: { tag: 'bread', to: 'loaf', dry_run: true },
  manage_tags: { id: 'breads/rye', add: ['rye'], remove: ['draft'] },
  create_folder: { path: 'recipes/winter' },
  clone_node: { id: 'breads/baguette', folder: 'recipes' },
  add_attachment: { id: 'breads/baguette', filename: 'note.txt', content: 'cHJvb2Y=' },
  delete_attachment: { id: 'attachments/feeding-log.csv' },
  apply_changes: {
    operations: [
      { tool: 'create_node', arguments: { id: 'people/ada', content: 'Bakes.' } },
      { tool: 'manage_tags', arguments: { id: 'people/ada', add: ['person'] } },
    ],
    dry_run: true,
  },
  list_changes: { limit: 5 },
  // The answer contains the time, and a cursor of the index.
  changes_since: { since: 'yesterday' },
  undo: { change_id: '0mwqwf3j6-psx' },
  list_attachments: { id: 'concepts/sourdough starter' },
  read_attachment: { id: 'attachments/feeding-log.csv', max_bytes: 1024 },
}

/** The questions of the demo that are shown in the README. */
const SHOWN_OF_THE_DEMO = ['What are the hubs?', 'Which links should be there?']

/** The examples in docs/shell.md: commands with their output in a terminal of this width. */
const COMMANDS = [
  ['search', 'why is my bread so dense?', '--limit', '2'],
  ['find', '#fault -crust created:<2025', '--limit', '2'],
  ['get-hubs', '--limit', '5'],
  ['resolve-nodes', 'levain', 'malliard reaction'],
  ['get-tree', '--path', 'techniques', '--limit', '4'],
  ['get-problems', '--kind', 'broken_link'],
]
const TERMINAL_WIDTH = 100
const LINE_WIDTH = 110

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'roux-docs-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))
const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false }, model: { type: 'string' } } })

const vault = copyDemoVault()
const environment = { XDG_CACHE_HOME: join(scratch, 'cache'), XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
// Search results depend on vectors, which a server computes while it already answers.
run(['index'])
const source = await importSource()
const { tools, answers, resources, templates, prompts } = await askServer()
const parts = {
  'README.md': { demo: runDemo() },
  'docs/settings.md': { settings: source.settingsTable() },
  'docs/shell.md': { shell: shellExamples() },
  'docs/tools.md': {
    contents: contentsTable(),
    tools: tools.map(describeTool).join('\n'),
    resources: resourcesTable(),
    prompts: promptsTable(),
  },
  'docs/library.md': { methods: table(['method', 'does', 'takes', 'as the tool'], methodRows(tools)) },
  ...(await converse({ root, folder: join(scratch, 'talk'), layOut })),
  'docs/transcript-http.md': await converseOverHttp({ root, folder: join(scratch, 'http'), layOut }),
  'docs/transcript-ask.md': {
    ...(await askModel({ root, folder: join(scratch, 'ask') })),
    ...(options.model === undefined ? {} : { real: await realModel(options.model) }),
  },
  'THIRD_PARTY.md': await thirdParty(),
}
const stale = Object.entries(parts).filter(([file, texts]) => !isFresh(file, texts))
for (const [file] of stale) console.log(options.check ? `stale: ${file} (npm run docs writes it)` : `written: ${file}`)
process.exitCode = options.check ? Number(stale.length > 0) : 0

function realModel(named) {
  const [model, url] = named.split('=')
  return askRealModel({ root, folder: join(scratch, 'real'), url, model })
}

/** Copies the demo vault. All files of the copy have the same age, because answers tell when a note was changed. */
function copyDemoVault() {
  const copy = join(scratch, 'demo')
  cpSync(join(root, 'fixtures/demo'), copy, { recursive: true })
  const time = new Date('2025-04-01T08:00:00Z')
  for (const name of readdirSync(copy, { recursive: true })) utimesSync(join(copy, name), time, time)
  return copy
}

/**
 * Imports the two source modules that are needed here. Only the program's bundle contains them, so they are compiled for Node
 * first.
 */
async function importSource() {
  const outfile = join(scratch, 'source.mjs')
  const contents = `export { settingsTable } from './src/config/document.ts'\nexport { renderForPeople } from './src/cli/output/render.ts'`
  await build({
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  return import(outfile)
}

async function askServer() {
  const client = new Client(
    process.execPath,
    [join(root, 'dist/cli/main.js'), 'serve', vault, '--write', '--set', 'ai.enabled=true'],
    environment,
  )
  await client.initialize()
  const { message } = await client.request('tools/list', {})
  const answers = {}
  for (const name of Object.keys(EXAMPLES)) answers[name] = withoutChance((await client.call(name, EXAMPLES[name])).value)
  const list = async (method) => (await client.request(method, {})).message.result
  const { resources } = await list('resources/list')
  const { resourceTemplates: templates } = await list('resources/templates/list')
  const { prompts } = await list('prompts/list')
  await client.close()
  return { tools: message.result.tools, answers, resources, templates, prompts }
}

function resourcesTable() {
  return table(
    ['address', 'holds', 'type'],
    [...templates, ...resources].map(({ uri, uriTemplate, description, mimeType = "the file's own" }) => [
      `\`${uri ?? uriTemplate}\``,
      description,
      mimeType,
    ]),
  )
}

function promptsTable() {
  return table(
    ['prompt', 'asks for', 'takes'],
    prompts.map(({ name, description, arguments: args = [] }) => [
      `\`${name}\``,
      description,
      args.map((one) => (one.required ? `**${one.name}**` : one.name)).join(', '),
    ]),
  )
}

function contentsTable() {
  const rows = tools.map((tool) => [
    `[\`${tool.name}\`](#${tool.name})`,
    firstSentence(tool.description),
    parametersOf(tool),
    tokensOf(tool),
  ])
  const all = ['**all**', 'The whole list, as a client gets it.', '', `**${tokensOf(tools)}**`]
  return table(
    ['tool', 'answers', 'takes', 'tokens'],
    [...rows, all].map((row) => row.map(String)),
  )
}

/** Returns the names of a tool's parameters. The required ones are bold. */
function parametersOf({ inputSchema: { properties, required = [] } }) {
  return Object.keys(properties)
    .map((key) => (required.includes(key) ? `**${key}**` : key))
    .join(', ')
}

function describeTool(tool) {
  const { name, title, description, inputSchema, annotations } = tool
  const example = EXAMPLES[name] ?? WRITING[name]
  const answer = name in EXAMPLES ? `\nanswers\n\n\`\`\`json\n${layOut(answers[name])}\n\`\`\`\n` : ''
  return `## ${name}

**${title}.** ${description}

${parameterTable(inputSchema)}
${Object.entries(annotations)
  .map(([hint, value]) => `\`${hint}: ${value}\``)
  .join(' · ')} · ${tokensOf(tool)} tokens

\`\`\`json
${layOut({ name, arguments: example })}
\`\`\`
${answer}`
}

function parameterTable({ properties, required = [] }) {
  if (Object.keys(properties).length === 0) return 'It takes no parameters.\n'
  return table(
    ['parameter', 'type', 'default', 'meaning'],
    Object.entries(properties).map(([key, schema]) => [
      required.includes(key) ? `**${key}**` : key,
      typeOf(schema),
      required.includes(key) ? 'required' : schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
      schema.description ?? '',
    ]),
  )
}

function typeOf({ type, items, enum: values, minimum, maximum, minItems }) {
  if (type === 'array') return `${minItems ? `${minItems} or more` : 'list'} of ${typeOf(items)}`
  if (values) return values.map((value) => `\`${value}\``).join(', ')
  if (minimum !== undefined && maximum !== undefined) return `${type} ${minimum}–${maximum}`
  return minimum === undefined ? type : `${type} ≥ ${minimum}`
}

function shellExamples() {
  const blocks = COMMANDS.map((words) => `$ roux ${words.map(shellWord).join(' ')}\n${runCommand(words)}`)
  return `\`\`\`console\n${blocks.join('\n')}\`\`\`\n`
}

function runDemo() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/demo.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The demo failed: ${stderr}`)
  const shown = stdout.split('\n\n').filter((part) => SHOWN_OF_THE_DEMO.some((question) => part.includes(question)))
  return `\`\`\`text\n${shown.map((part) => part.trimEnd()).join('\n\n')}\n\`\`\`\n`
}

/**
 * Returns a command's output for people. Without a terminal, the command prints JSON, which is formatted here by the program's
 * own code.
 */
function runCommand(words) {
  return source.renderForPeople(JSON.parse(run(words)), { width: TERMINAL_WIDTH })
}

/** Returns what a command writes to a pipe. */
function run(words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...words, '--vault', vault], {
    cwd: scratch,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  })
  if (status !== 0) throw new Error(`roux ${words.join(' ')}: ${stderr}`)
  return stdout
}

function shellWord(word) {
  return /^[\w./-]+$/.test(word) ? word : `'${word}'`
}

/** Returns the packages that are part of the bundle, with their licenses. */
async function thirdParty() {
  const page = await build({ ...PAGE_BUNDLE, minify: true, write: false, metafile: true, outdir: join(scratch, 'page') })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      'src/cli/main.ts',
      'src/workers/indexer.ts',
      'src/workers/compute.ts',
      'src/workers/reader.ts',
      'src/embed/transformers-worker.ts',
      'src/index.ts',
    ],
    outdir: join(scratch, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    write: false,
    metafile: true,
    external: ['@photostructure/sqlite', '@huggingface/transformers', 'hnswlib-node', 'neo4j-driver', 'graphology'],
    alias: {
      '@modelcontextprotocol/server/_shims': join(root, 'scripts/no-validator.mjs'),
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    },
  })
  const { dependencies, optionalDependencies, devDependencies } = readManifest('.')
  const bundled = [...new Set([...packagesIn(metafile), ...packagesIn(page.metafile)])].sort().map(readPackage)
  const installed = withDependencies(Object.keys({ ...dependencies, ...optionalDependencies })).map((name) =>
    readPackage(`node_modules/${name}`),
  )
  const shipped = new Set([...bundled, ...installed].map(({ name }) => name))
  const tools = Object.keys(devDependencies).filter((name) => !shipped.has(name))
  const texts = new Map()
  for (const { name, text } of [...bundled, ...installed]) texts.set(text, [...(texts.get(text) ?? []), name])
  return {
    bundled: packageTable(bundled),
    installed: packageTable(installed),
    tools: `${tools.map((name) => `\`${name}\` ${readManifest(`node_modules/${name}`).version} (${readManifest(`node_modules/${name}`).license})`).join(' · ')}\n`,
    licenses: [...texts].map(([text, names]) => `### ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\`\n`).join('\n'),
  }
}

function packageTable(packages) {
  return table(
    ['package', 'version', 'license', 'copyright'],
    packages.map(({ name, version, license, copyright }) => [`\`${name}\``, version, license, copyright]),
  )
}

/** Returns these packages and all packages that they install. */
function withDependencies(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue
    found.add(name)
    withDependencies(Object.keys(readManifest(`node_modules/${name}`).dependencies ?? {}), found)
  }
  return [...found]
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

function packagesIn(metafile) {
  const found = new Set()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]
      if (folder && bytesInOutput > 0) found.add(folder)
    }
  }
  return found
}

function readPackage(folder) {
  const { name, version, license } = readManifest(folder)
  const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} has no license file`)
  const lines = readFileSync(join(root, folder, file), 'utf8')
    .trim()
    .split(/\r?\n/)
  const copyright = lines.filter((line) => /^\s*copyright \(c\)|^\s*copyright \S+ \S+ </i.test(line)).map((line) => line.trim())
  return {
    name,
    version,
    license,
    copyright: copyright.join('; '),
    text: normalize(lines.filter((line) => !copyright.includes(line.trim()))),
  }
}

/** Returns the same text for licenses that differ only in their title, quotation marks and line breaks. */
function normalize(lines) {
  const text = lines.join('\n')
  // A long text is not such a license, and its line breaks have a meaning.
  if (text.length > 4_000) return text
  return text
    .replace(/[“”]/g, '"')
    .split(/\n\s*\n/)
    .map((paragraph) => wrap(paragraph.replace(/\s+/g, ' ').trim()))
    .filter((paragraph) => paragraph !== '' && !/^\(?(the )?(mit|isc) license( \(mit\))?\)?$|^https?:\S+$/i.test(paragraph))
    .join('\n\n')
}

function wrap(paragraph) {
  return paragraph.replace(/(.{1,108})(?: |$)/g, '$1\n').trimEnd()
}

/** Formats JSON as a person would. A value that fits into a line stays on one line. */
function layOut(value, indent = '', ahead = 0) {
  const flat = inOneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + ahead + flat.length <= LINE_WIDTH) return flat
  const below = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? value.map((item) => layOut(item, below))
    : Object.entries(value).map(([key, item]) => `"${key}": ${layOut(item, below, key.length + 4)}`)
  return `${open}\n${items.map((item) => below + item).join(',\n')}\n${indent}${close}`
}

function inOneLine(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inOneLine(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function table(head, rows) {
  return `${markdownTable(head, rows)}\n`
}

function firstSentence(text) {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function tokensOf(value) {
  return encode(JSON.stringify(value)).length
}

/**
 * Checks that the generated parts of a file contain these texts. Outdated parts are updated, unless only a check was requested.
 */
function isFresh(file, texts) {
  let text = readFileSync(join(root, file), 'utf8')
  for (const [name, body] of Object.entries(texts)) {
    const [begin, end] = [`<!-- generated: ${name} -->\n`, `<!-- end of ${name} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`${file} has no place for "${name}"`)
    text = `${text.slice(0, from + begin.length)}\n${body}\n${text.slice(to)}`
  }
  return isSame(file, text)
}

/** Does the same for a whole file. */
function isSame(file, text) {
  const path = join(root, file)
  const isThere = existsSync(path) && readFileSync(path, 'utf8') === text
  if (!isThere && !options.check) writeFileSync(path, text)
  return isThere
}
