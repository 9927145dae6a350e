import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { HTTP_CLIENTS, serveHttp } from './http-support.ts'
import { openWorld, PROGRAM, type Wire, type World } from './support.ts'

type Connect = (world: World) => readonly [client: Wire, transport: unknown]

const overStdio = ({ env, root, vault }: World) => ({
  command: process.execPath,
  args: [PROGRAM, 'serve', vault],
  env: { ...env },
  cwd: root,
  stderr: 'pipe' as const,
})

const STDIO_CLIENTS: readonly (readonly [name: string, Connect])[] = [
  ['the older SDK over stdio', (world) => [new OldClient({ name: 'old', version: '1' }), new OldStdio(overStdio(world))]],
  ['the newer SDK over stdio', (world) => [new ModernClient({ name: 'new', version: '1' }), new ModernStdio(overStdio(world))]],
  [
    'the newer SDK over stdio in the era of 2026-07-28',
    (world) => [
      new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
      new ModernStdio(overStdio(world)),
    ],
  ],
]

/** Every list, resource, prompt and completion that does not depend on time. */
async function everything(client: Wire): Promise<Wire> {
  const { resources } = await client.listResources()
  const { resourceTemplates } = await client.listResourceTemplates()
  const { prompts } = await client.listPrompts()
  const uris = [
    ...resources.map(({ uri }: Wire) => uri).filter((uri: string) => !/recent|system-info/.test(uri)),
    'roux://node/concepts/gluten',
  ]
  const read = await Promise.all(uris.map(async (uri) => (await client.readResource({ uri })).contents))
  const given: Readonly<Record<string, string>> = {
    note: 'Gluten',
    from: 'Gluten',
    to: 'Rye',
    folder: 'Concepts',
    topic: 'Gluten',
  }
  const got = await Promise.all(
    prompts
      .filter(({ name }: Wire) => name !== 'weekly_review')
      .map(async ({ name, arguments: args = [] }: Wire) => {
        const own = args.flatMap((one: Wire) => (one.name in given ? [[one.name, given[one.name]]] : []))
        return (await client.getPrompt({ name, arguments: Object.fromEntries(own) })).messages
      }),
  )
  const ref = { type: 'ref/resource', uri: 'roux://node/{+id}' }
  const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'glu' } })
  const missing = await client
    .readResource({ uri: 'roux://node/no such note' })
    .catch(({ message }: Error) => message.replace(/^MCP error -\d+: /, ''))
  return { resources, resourceTemplates, prompts, read, got, completion, missing }
}

async function told([client, transport]: readonly [Wire, unknown]): Promise<Wire> {
  onTestFinished(() => client.close())
  await client.connect(transport)
  // Answers could differ while indexing is not finished.
  await client.callTool({ name: 'search', arguments: { query: 'x' } })
  await expect
    .poll(async () => JSON.stringify((await client.callTool({ name: 'search', arguments: { query: 'x' } })).structuredContent))
    .not.toMatch(/INDEX_BUILDING|EMBEDDING/)
  return await everything(client)
}

test('every client gets the same resources, prompts and completions, over stdio and over HTTP', async () => {
  const world = openWorld({ fixture: 'demo' })
  const http = await serveHttp(world)
  const [[, first], ...others] = STDIO_CLIENTS as [(typeof STDIO_CLIENTS)[0], ...typeof STDIO_CLIENTS]
  const expected = await told(first(world))
  expect([expected.read.length, expected.got.length, expected.completion.values.length > 0]).toEqual([4, 5, true])
  expect(expected.missing).toMatch(/^Resource not found/)
  for (const [name, connect] of others) expect(await told(connect(world)), name).toEqual(expected)
  for (const [name, connect] of HTTP_CLIENTS) expect(await told(connect(http)), name).toEqual(expected)
})
