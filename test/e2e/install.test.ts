import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { openWorld } from './support.ts'

test('the installed entry starts a server for a client without a shell or PATH', async () => {
  const world = openWorld({ fixture: 'demo' })
  mkdirSync(join(world.root, 'home/.cursor'))
  const { code, err } = await world.roux(['install', 'cursor', '--vault', 'vault', '--write'])
  expect([code, err]).toEqual([0, ''])
  const { command, args } = JSON.parse(readFileSync(join(world.root, 'home/.cursor/mcp.json'), 'utf8')).mcpServers.roux
  const { PATH: _, ...env } = world.env
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport({ command, args, env: { ...env, PATH: '' }, cwd: '/', stderr: 'pipe' }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search', 'create_node']))
  const { structuredContent } = await client.callTool({ name: 'nodes_exist', arguments: { ids: ['home'] } })
  expect(structuredContent).toMatchObject({ results: { 'home.md': true } })
  const { out } = await world.roux(['doctor', 'vault', '--json'])
  expect(JSON.parse(out).checks).toContainEqual({
    check: 'clients',
    state: 'ok',
    message: `Cursor has "roux": ${world.vault}`,
  })
})
