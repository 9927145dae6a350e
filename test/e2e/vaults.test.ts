import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Server, shareDemoIndex, type Wire, type World } from './support.ts'

const openDemo = shareDemoIndex()

/** A server with two vaults, both indexed. */
async function twoVaults(options: readonly string[] = []): Promise<{ readonly world: World; readonly server: Server }> {
  const world = openDemo()
  const work = join(world.root, 'work')
  mkdirSync(work)
  writeFileSync(join(work, 'plan.md'), '# Plan\n\nSee [gluten](obsidian://open?vault=home&file=Concepts/Gluten) and [[Tasks]].\n')
  writeFileSync(join(work, 'Tasks.md'), '[[plan]]: proof the dough of the quarterly report\n')
  const server = world.serve([...settings(world), ...options])
  await server.initialize()
  await expect.poll(async () => (await server.call('search', { query: 'x' })).structuredContent._warnings ?? []).toEqual([])
  return { world, server }
}

function settings({ root, vault }: World): readonly string[] {
  return ['--set', `vaults.home=${vault}`, '--set', `vaults.work=${join(root, 'work')}`]
}

const idsOf = (results: readonly Wire[]): readonly string[] => results.map(({ id }) => id)

test('searches cover all vaults, and every id names its vault', async () => {
  const { server } = await twoVaults()
  const found = idsOf(await server.ask('search', { query: 'the quarterly report' }))
  expect(found[0]).toBe('work:tasks.md')
  const words = idsOf(await server.ask('find_nodes', { query: 'dough', limit: 100 }))
  expect(words).toContain('work:tasks.md')
  expect(words.some((id) => id.startsWith('home:'))).toBe(true)
  expect(await server.ask('resolve_nodes', { names: ['Gluten', 'plan'] })).toMatchObject([
    { match: 'home:concepts/gluten.md' },
    { match: 'work:plan.md' },
  ])
  expect(await server.ask('nodes_exist', { ids: ['work:Plan', 'home:concepts/gluten', 'plan'] })).toEqual({
    'work:plan.md': true,
    'home:concepts/gluten.md': true,
    'home:plan': false,
  })
})

test('an id or `vault` chooses the vault, otherwise the first one answers', async () => {
  const { server } = await twoVaults()
  const hubs = await server.ask('get_hubs')
  expect(hubs.every(({ id }: Wire) => id.startsWith('home:'))).toBe(true)
  expect(idsOf(await server.ask('get_hubs', { vault: 'work' }))).toEqual(['work:plan.md', 'work:tasks.md'])
  expect(idsOf(await server.ask('find_nodes', { query: 'dough', vault: 'work' }))).toEqual(['work:tasks.md'])
  expect((await server.ask('find_path', { source: 'work:plan', target: 'work:tasks' })).path).toEqual([
    'work:plan.md',
    'work:tasks.md',
  ])
  expect(await server.ask('find_path', { source: 'work:plan', target: 'home:concepts/gluten' })).toMatchObject({
    error: { code: 'INVALID_PARAMS', message: 'The arguments of find_path name several vaults: work, home.' },
  })
  expect(await server.ask('get_hubs', { vault: 'wrok' })).toMatchObject({
    error: { code: 'INVALID_PARAMS', candidates: ['work'] },
  })
})

test('an answer or error about the first vault says so if no vault was named', async () => {
  const { server } = await twoVaults(['--write'])
  const warningsOf = async (name: string, args: object): Promise<readonly string[]> =>
    ((await server.call(name, args)).structuredContent._warnings ?? []).map(({ message }: Wire) => message)
  const notice = 'Only the vault home was asked. To ask work, pass the name as vault, or an id such as work:….'
  expect(await warningsOf('list_tags', {})).toContain(notice)
  expect(await warningsOf('get_node', { id: 'Tasks' })).toContain(notice)
  expect(await warningsOf('get_node', { id: 'work:Tasks' })).toEqual([])
  expect(await warningsOf('list_tags', { vault: 'home' })).toEqual([])
  expect(await warningsOf('search', { query: 'gluten' })).toEqual([])
  const { error } = await server.ask('update_node', { id: 'Tasks', append: 'x' })
  expect(error).toMatchObject({ code: 'NODE_NOT_FOUND', hint: expect.stringContaining(notice) })
})

test('a link to a note in another vault can be followed by its id', async () => {
  const { server } = await twoVaults()
  const node = await server.ask('get_node', { id: 'work:plan' })
  expect(node.vault_links).toEqual([{ vault: 'home', file: 'Concepts/Gluten', line: 3, id: 'home:concepts/gluten.md' }])
  expect((await server.ask('get_node', { id: node.vault_links[0].id })).title).toBe('Gluten')
})

test("a prompt keeps the note as written, so its tool asks the note's vault", async () => {
  const { server } = await twoVaults()
  const { result } = await server.request('prompts/get', { name: 'summarize_note', arguments: { note: 'work:plan' } })
  expect(result.messages[0].content.text).toContain('get_node {"id":"work:plan","depth":1}')
  expect((await server.ask('get_node', { id: 'work:plan', depth: 1 })).id).toBe('work:plan.md')
})

test("roux ask about a note asks the note's vault", async () => {
  const { world, server } = await twoVaults()
  await server.end()
  for (const note of ['work:tasks', 'Tasks']) {
    const asked = ['ask', 'what is the report about?', '--note-id', note, '--show-prompt', ...settings(world)]
    const { code, out, err } = await world.roux(asked)
    expect(code, err).toBe(0)
    expect(JSON.parse(out).messages[0].content).toContain('quarterly report')
  }
})

test('the tools list the vaults only if there are several', async () => {
  const { world, server } = await twoVaults()
  const { tools } = (await server.request('tools/list')).result
  for (const { inputSchema } of tools) expect(inputSchema.properties.vault.enum).toEqual(['home', 'work'])
  const alone = world.serve()
  await alone.initialize()
  for (const { inputSchema } of (await alone.request('tools/list')).result.tools)
    expect(inputSchema.properties).not.toHaveProperty('vault')
})

test('writes go to the named vault, and undo works there', async () => {
  const { server } = await twoVaults(['--write'])
  const made = await server.ask('create_node', {
    id: 'work:ideas/new',
    content: 'from [[plan]]',
    relations: { up: ['work:Tasks'] },
  })
  expect(made.id).toBe('work:ideas/new.md')
  expect(idsOf(made.links)).toEqual(expect.arrayContaining(['work:plan.md', 'work:tasks.md']))
  const moved = await server.ask('move_node', { id: 'work:plan', to: 'work:ideas/Plan.md', dry_run: true })
  expect(moved.plan_id).toMatch(/^work:/)
  const applied = await server.ask('apply_changes', { plan_id: moved.plan_id })
  expect(applied.change_id).toMatch(/^work:/)
  expect((await server.ask('list_changes', { vault: 'work' })).map((change: Wire) => change.change_id)).toContain(
    applied.change_id,
  )
  expect(await server.ask('list_changes', {})).toEqual([])
  await server.ask('undo', { change_id: applied.change_id })
  expect(await server.ask('nodes_exist', { ids: ['work:plan', 'work:ideas/plan'] })).toEqual({
    'work:plan.md': true,
    'work:ideas/plan': false,
  })
})

test('a missing vault is reported while the others answer, and returns when it appears', async () => {
  const { world, server } = await twoVaults()
  const work = join(world.root, 'work')
  cpSync(work, `${work}-away`, { recursive: true })
  rmSync(work, { recursive: true })
  await expect
    .poll(async () => (await server.call('search', { query: 'gluten' })).structuredContent._warnings?.[0]?.message ?? '')
    .toMatch(/^This answer does not include work: The vault .* is missing/)
  expect(await server.ask('get_hubs', { vault: 'work' })).toMatchObject({
    error: { code: 'VAULT_NOT_FOUND', hint: expect.stringContaining('To use another folder, set vaults.work.') },
  })
  const ref = { type: 'ref/resource', uri: 'roux://node/{+id}' }
  const { result } = await server.request('completion/complete', { ref, argument: { name: 'id', value: 'Gluten' } })
  expect(result.completion.values).toContain('home:concepts/gluten.md')
  cpSync(`${work}-away`, work, { recursive: true })
  await expect.poll(async () => idsOf(await server.ask('get_hubs', { vault: 'work' }).catch(() => []))).toContain('work:plan.md')
})

test('edits in either vault are noticed', async () => {
  const { world, server } = await twoVaults()
  writeFileSync(join(world.root, 'work', 'fresh.md'), '[[Tasks]]')
  world.write('fresh.md', '[[Gluten]]')
  await expect
    .poll(() => server.ask('nodes_exist', { ids: ['work:fresh', 'home:fresh'] }))
    .toEqual({ 'work:fresh.md': true, 'home:fresh.md': true })
  expect((await server.end()).code).toBe(0)
})

test('the command line also asks all vaults, or one by name', async () => {
  const { world } = await twoVaults()
  const roux = async (...args: readonly string[]) => JSON.parse((await world.roux([...args, ...settings(world)])).out)
  expect((await roux('get-node', 'Tasks')).id).toBe('work:tasks.md')
  expect((await roux('get-node', 'Gluten')).id).toBe('home:concepts/gluten.md')
  expect(idsOf(await roux('get-hubs', '--vault', 'work'))).toEqual(['work:plan.md', 'work:tasks.md'])
  expect((await roux('status')).map(({ name }: Wire) => name)).toEqual(['home', 'work'])
  const exported = await world.roux(['export', ...settings(world)])
  expect([exported.code, exported.err]).toEqual([2, expect.stringContaining('There are several vaults: home, work.')])
})
