import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startHttp } from './http-support.ts'
import { openWorld, type Wire } from './support.ts'

/** A server with two vaults, and two clients of either era: one whose token is for `home` only, and one that sees both. */
async function open(era: 'legacy' | 'modern') {
  const world = openWorld({ fixture: 'demo' })
  const work = join(world.root, 'work')
  mkdirSync(work)
  writeFileSync(
    join(work, 'secret plan.md'),
    '# Secret plan\n\nThe merger is called Sycamore. [x](obsidian://open?vault=vault&file=Concepts/Gluten)\n',
  )
  world.write('Plan.md', '[x](obsidian://open?vault=work&file=secret%20plan) and more\n')
  const http = await startHttp(world, ['--set', `vaults.home=${world.vault}`, '--set', `vaults.work=${work}`])
  const { out: limited } = await world.roux(['token', 'add', 'guest', '--vaults', 'home'])
  const connect = async (token: string): Promise<Wire> => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
    )
    const headers = { Authorization: `Bearer ${token.trim()}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }))
    onTestFinished(() => client.close())
    return client
  }
  return { world, work, guest: await connect(limited), owner: await connect(http.token) }
}

/** All answers a client can get, from every kind of request. */
async function everythingTold(client: Wire): Promise<string> {
  const call = async (name: string, args: object) =>
    client.callTool({ name, arguments: args }).catch((error: unknown) => String(error))
  const read = async (uri: string) => client.readResource({ uri }).catch((error: Error) => error.message)
  const told = await Promise.all([
    client.listTools(),
    client.listResources(),
    client.listResourceTemplates(),
    client.listPrompts(),
    client.getInstructions(),
    ...['search', 'find_nodes'].flatMap((name) => [
      call(name, { query: 'Sycamore' }),
      call(name, { query: 'Sycamore', vault: 'work' }),
    ]),
    call('resolve_nodes', { names: ['Secret plan', 'secret plam'] }),
    call('nodes_exist', { ids: ['work:plan', 'plan'] }),
    call('get_node', { id: 'work:secret plan' }),
    call('get_node', { id: 'plan' }),
    call('get_hubs', { vault: 'work' }),
    call('list_nodes', { limit: 1000 }),
    call('get_problems', { limit: 100 }),
    call('find_path', { source: 'home:plan', target: 'work:secret plan' }),
    call('get_tree', {}),
    ...['recent', 'hubs', 'tree', 'system-info', 'node/work%3Asecret%20plan', 'node/home%3Aplan'].map((name) =>
      read(`roux://${name}`),
    ),
    client.complete({ ref: { type: 'ref/resource', uri: 'roux://node/{+id}' }, argument: { name: 'id', value: 'sec' } }),
  ])
  // Errors may repeat the caller's own words, but must not contain anything that the caller could not know.
  return JSON.stringify(told)
}

test.each(['legacy', 'modern'] as const)('a token for one vault reveals nothing about the other (%s era)', async (era) => {
  const { guest, owner } = await open(era)
  await eventually(async () => expect((await everythingTold(owner)).includes('merger is called Sycamore')).toBe(true))
  expect((await everythingTold(owner)).includes('work:secret plan.md')).toBe(true)
  const told = await everythingTold(guest)
  expect(told.includes('home:plan.md')).toBe(true)
  expect(/.{0,80}(?:merger|work:secret plan\.md|\["home","work"\]).{0,80}/.exec(told)?.[0]).toBeUndefined()
  const { tools } = await guest.listTools()
  expect(tools.every((tool: Wire) => JSON.stringify(tool.inputSchema.properties.vault.enum) === '["home"]')).toBe(true)
  const node = await guest.callTool({ name: 'get_node', arguments: { id: 'home:plan' } })
  expect(node.structuredContent.node.vault_links).toEqual([{ vault: 'work', file: 'secret plan', line: 1, id: null }])
})

test('a token for one vault gets no notifications about the other', async () => {
  const { world, guest, owner, work } = await open('legacy')
  const heard: Record<string, string[]> = { guest: [], owner: [] }
  for (const [name, client] of [
    ['guest', guest],
    ['owner', owner],
  ] as const) {
    client.setNotificationHandler('notifications/resources/updated', ({ params }: Wire) => void heard[name]?.push(params.uri))
    await client.callTool({ name: 'list_tags', arguments: {} })
  }
  // Clients without a subscription also hear of a vault's first indexing, which is over here.
  await guest.subscribeResource({ uri: 'roux://node/plan' })
  await eventually(async () => {
    world.write('Plan.md', `Plan ${performance.now()}\n`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(heard.guest).toContain('roux://node/plan')
  })
  await guest.unsubscribeResource({ uri: 'roux://node/plan' })
  for (const client of [guest, owner]) await client.subscribeResource({ uri: 'roux://node/work:secret plan' })
  await eventually(async () => {
    writeFileSync(join(work, 'secret plan.md'), `# Secret plan ${performance.now()}\n`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(heard.owner).toContain('roux://node/work:secret plan')
  })
  // Notifications about the guest's own vault may arrive late.
  expect(new Set(heard.guest)).toEqual(new Set(['roux://node/plan']))
})

test('a token without read access cannot get any note content', async () => {
  const world = openWorld({ fixture: 'demo' })
  const http = await startHttp(world, [world.vault, '--write'])
  const clientOf = async (scope: string) => {
    const { out } = await world.roux(['token', 'add', scope, '--scope', scope])
    return async (method: string, params: object = {}): Promise<string> =>
      (await http.post({ jsonrpc: '2.0', id: 1, method, params }, { Authorization: `Bearer ${out.trim()}` })).text()
  }
  const [ask, attach] = [await clientOf('write'), await clientOf('attach')]
  const told = await Promise.all([
    ask('tools/call', { name: 'get_node', arguments: { id: 'concepts/gluten' } }),
    ask('resources/list'),
    ask('resources/templates/list'),
    ask('prompts/list'),
    ...['node/concepts/gluten', 'hubs', 'recent', 'tree', 'system-info'].map((name) =>
      ask('resources/read', { uri: `roux://${name}` }),
    ),
    ...['explore_hubs', 'weekly_review'].map((name) => ask('prompts/get', { name })),
    ask('prompts/get', { name: 'summarize_note', arguments: { note: 'Gluten' } }),
    ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'roux://node/{+id}' },
      argument: { name: 'id', value: 'glu' },
    }),
    ...[
      ['manage_tags', { id: 'concepts/gluten', remove: ['nope'] }],
      ['update_node', { id: 'concepts/gluten', append: 'x', section: ['Nope'] }],
      ['rename_heading', { id: 'concepts/gluten', heading: ['Nope'], to: 'x' }],
      ['move_node', { id: 'concepts/gluten', to: 'concepts/glue.md', dry_run: true }],
      ['delete_node', { id: 'concepts/glute' }],
      [
        'apply_changes',
        { operations: [{ tool: 'update_node', arguments: { id: 'concepts/gluten', append: 'x' } }], dry_run: true },
      ],
      ['list_changes', {}],
    ].map(([name, args]) => ask('tools/call', { name, arguments: args })),
    ...['read_attachment', 'list_attachments', 'delete_attachment'].map((name) =>
      attach('tools/call', { name, arguments: { id: 'gluten' } }),
    ),
    ...['attachment/gluten.png', 'node/concepts/gluten'].map((name) => attach('resources/read', { uri: `roux://${name}` })),
  ])
  // Results contain the id of a changed note, because the caller named it.
  const named = /"(?:id|old_id|ids)":\[?"concepts\/gluten\.md"/g
  const learned = told.map((text) => text.replaceAll('\\"', '"').replaceAll(named, ''))
  expect(learned.filter((text) => /sourdough|protein|gluten\.md|counts/i.test(text))).toEqual([])
  expect(await ask('tools/call', { name: 'create_node', arguments: { id: 'inbox/new', content: 'x' } })).toContain('inbox/new.md')
})
