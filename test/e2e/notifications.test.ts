import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openWorld, PROGRAM, type Wire, type World } from './support.ts'

function parametersOf({ env, root, vault }: World) {
  return { command: process.execPath, args: [PROGRAM, 'serve', vault], env: { ...env }, cwd: root, stderr: 'pipe' as const }
}

function writeOwnSettings({ root }: World, text: string): void {
  mkdirSync(join(root, 'config', 'roux'), { recursive: true })
  writeFileSync(join(root, 'config', 'roux', 'roux.config.yaml'), text)
}

test('an edit on disk notifies subscribers in the legacy era', async () => {
  const world = openWorld({ fixture: 'demo' })
  const client = new OldClient({ name: 'old', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(new OldTransport(parametersOf(world)))
  const updated: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri))
  const uri = 'roux://node/Concepts/Gluten'
  await client.readResource({ uri })
  await client.subscribeResource({ uri })
  await client.subscribeResource({ uri: 'roux://recent' })
  world.write('Concepts/Gluten.md', '# Gluten\n\nChanged.\n')
  await eventually(async () => expect(new Set(updated)).toEqual(new Set([uri, 'roux://recent'])))
  const { contents } = await client.readResource({ uri })
  expect(contents).toMatchObject([{ uri, text: '# Gluten\n\nChanged.\n' }])
  const recent: Wire = (await client.readResource({ uri: 'roux://recent' })).contents[0]
  expect(JSON.parse(recent.text).notes[0].id).toBe('concepts/gluten.md')
})

test('an edit on disk notifies streams of the modern era', async () => {
  const world = openWorld({ fixture: 'demo' })
  const client: Wire = new Client({ name: 'new', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport(parametersOf(world)))
  const updated: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }: Wire) => void updated.push(params.uri))
  const uri = 'roux://node/Concepts/Gluten'
  await client.readResource({ uri })
  await client.listen({ resourceSubscriptions: [uri] })
  world.write('Concepts/Gluten.md', '# Gluten\n\nChanged.\n')
  await eventually(async () => expect(updated).toContain(uri))
})

test('writing can be switched on and off without a restart', async () => {
  const world = openWorld({ fixture: 'demo' })
  const client = new OldClient({ name: 'old', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(new OldTransport(parametersOf(world)))
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const create = (id: string): Promise<Wire> => client.callTool({ name: 'create_node', arguments: { id, content: 'x' } })
  expect(await names()).not.toContain('create_node')
  expect((await create('one.md')).structuredContent.error.code).toBe('TOOL_DISABLED')

  writeOwnSettings(world, 'tools:\n  write: true\n')
  await eventually(async () => expect(changes).toBe(1))
  expect(await names()).toContain('create_node')
  expect((await create('two.md')).isError ?? false).toBe(false)

  rmSync(join(world.root, 'config'), { recursive: true })
  await eventually(async () => expect(changes).toBe(2))
  expect(await names()).not.toContain('create_node')
  expect((await create('three.md')).structuredContent.error.code).toBe('TOOL_DISABLED')
  expect(['one', 'two', 'three'].map((name) => existsSync(join(world.vault, `${name}.md`)))).toEqual([false, true, false])
})

test('notes of a folder become prompts as soon as it is configured, and follow its changes', async () => {
  const world = openWorld({ fixture: 'demo' })
  world.write('Prompts/Ask me.md', '---\narguments: [topic]\n---\nAsk me about {{topic}}.\n')
  const server = world.serve()
  await server.initialize()
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const names = async () => (await server.request('prompts/list')).result.prompts.map(({ name }: Wire) => name)
  const told = () => server.lines.filter((line) => line.includes('notifications/prompts/list_changed')).length
  expect(await names()).not.toContain('ask-me')
  writeOwnSettings(world, 'mcp:\n  prompts_folder: Prompts\n')
  await eventually(async () => expect(told()).toBeGreaterThan(0))
  expect(await names()).toContain('ask-me')
  const { result } = await server.request('prompts/get', { name: 'ask-me', arguments: { topic: 'rye' } })
  expect(result.messages[0].content.text).toBe('Ask me about rye.')
  const before = told()
  world.write('Prompts/Another.md', 'Again.\n')
  await eventually(async () => expect(await names()).toContain('another'))
  await eventually(async () => expect(told()).toBeGreaterThan(before))
  expect((await server.end()).code).toBe(0)
})
