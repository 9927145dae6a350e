import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { LONG } from '../support/long.ts'
import { openWorld, type Wire, type World } from './support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MCPB = join(root, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function runNode(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

/** Starts a server as the manifest says, and returns the answers a client gets. */
async function toolsOf(world: World, start: { readonly command: string; readonly args: string[]; readonly env: Wire }) {
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({ ...start, env: { ...world.env, ...start.env }, cwd: world.root, stderr: 'pipe' }),
  )
  const { tools } = await client.listTools()
  const { structuredContent } = await client.callTool({ name: 'nodes_exist', arguments: { ids: ['home'] } })
  expect(structuredContent).toMatchObject({ results: { 'home.md': true } })
  return tools.map((tool) => tool.name)
}

test.runIf(LONG)("the bundle is valid, and its server runs from the unpacked folder with the user's configuration", async () => {
  const world = openWorld({ fixture: 'demo' })
  const unpacked = join(world.root, 'unpacked')
  runNode('scripts/bundle.mjs', '--out', world.root)
  mkdirSync(unpacked)
  runNode(MCPB, 'unpack', join(world.root, `${name}-${version}.mcpb`), unpacked)
  expect(runNode(MCPB, 'validate', join(unpacked, 'manifest.json'))).toContain('passes')
  const { server, tools, user_config, ...manifest } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ manifest_version: '0.3', name, version })
  const started = (write: boolean): Wire => {
    const values: Wire = { __dirname: unpacked, 'user_config.vault': world.vault, 'user_config.write': String(write) }
    return JSON.parse(JSON.stringify(server.mcp_config).replace(/\$\{([\w.]+)\}/g, (_, key) => values[key]))
  }
  const writing = await toolsOf(world, { ...started(true), command: process.execPath })
  expect(writing).toEqual(tools.map((tool: Wire) => tool.name))
  const reading = await toolsOf(world, { ...started(user_config.write.default), command: process.execPath })
  expect(reading).not.toContain('create_node')
  expect(reading.length).toBeGreaterThan(10)
})

test('the example project configuration serves the folder in its variable', async () => {
  const world = openWorld({ fixture: 'demo' })
  const { mcpServers } = JSON.parse(readFileSync(join(root, 'examples/.mcp.json'), 'utf8'))
  const { type, command, args, env, ...rest } = mcpServers.roux
  expect([type, command, rest]).toEqual(['stdio', 'roux', {}])
  const expanded = args.map((word: string) => word.replace(/\$\{ROUX_VAULT:-\.\}/, world.vault))
  expect(expanded).toEqual(['serve', world.vault])
  const program = join(root, 'dist/cli/main.js')
  expect(await toolsOf(world, { command: process.execPath, args: [program, ...expanded], env })).toContain('search')
})
