import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openWorld, PROGRAM, type Server, type Wire, type World } from './support.ts'

type Snapshot = Readonly<Record<string, string>>

/** Every file with its content, including the trash. */
function snapshot(vault: string): Snapshot {
  const files = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [path.slice(vault.length + 1), readFileSync(path, 'latin1')]))
}

function openVault(files: Snapshot): World {
  const world = openWorld()
  for (const [path, text] of Object.entries(files)) world.write(path, text)
  return world
}

async function open(world: World, options: readonly string[] = ['--write']): Promise<Server> {
  const server = world.serve([world.vault, ...options])
  await server.initialize()
  return server
}

/** The answers of a client that uses the official SDK. */
async function openSdk(world: World): Promise<(name: string, args?: object) => Promise<Wire>> {
  const client = new Client({ name: 'test', version: '0' })
  onTestFinished(() => client.close())
  const args = [PROGRAM, 'serve', world.vault, '--write']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { ...world.env }, stderr: 'ignore' }))
  return async (name, args = {}) => {
    const result: Wire = await client.callTool({ name, arguments: { ...args } })
    return JSON.parse(result.content[0].text)
  }
}

const idsOf = (nodes: readonly Wire[]) => nodes.map(({ id }) => id)
const sha256 = (text: string) => createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')

const WRITING = [
  ...['create_node', 'update_node', 'delete_node', 'move_node', 'restore_node', 'rename_heading', 'rename_tag', 'manage_tags'],
  ...['create_folder', 'clone_node', 'add_attachment', 'delete_attachment', 'apply_changes', 'undo'],
]

const NOTES: Snapshot = {
  'Bread.md': '---\n# the order matters\ntags: [food]\nrating:  5\n---\n# Bread\r\nSee [[Yeast]].  \n\n## Flour\nWheat.',
  'Yeast.md': 'It lives. Back to [[Bread|the loaf]] and [there](./Bread.md#Flour).\n',
  'folder/Salt.md': '# Salt\n![[Bread#Flour]]\n```\n[[Bread]]\n```\n',
}

describe('switches', () => {
  test('without --write, write tools are not listed, and calling one names the option', async () => {
    const world = openVault(NOTES)
    const server = await open(world, [])
    const { result } = await server.request('tools/list')
    expect(result.tools.filter(({ annotations }: Wire) => !annotations.readOnlyHint)).toEqual([])
    for (const name of WRITING) {
      const answer = await server.call(name, { id: 'Bread.md', content: 'gone', to: 'x', path: 'x', change_id: 'x' })
      const { error } = JSON.parse(answer.content[0].text)
      expect([answer.isError, error.code], name).toEqual([true, 'TOOL_DISABLED'])
      expect(error.hint).toMatch(/tools\.(write|attach)/)
    }
    expect(snapshot(world.vault)).toEqual(NOTES)
  })

  test('the core profile offers ten read tools, those added by name, and the write tools', async () => {
    const world = openVault(NOTES)
    const server = await open(world, ['--set', 'tools.profile=core', '--set', 'tools.get_tree=true', '--write'])
    const { result } = await server.request('tools/list')
    const reading = result.tools.filter(({ annotations, name }: Wire) => annotations.readOnlyHint && !WRITING.includes(name))
    const names = reading.map(({ name }: Wire) => name)
    expect(names).toEqual(expect.arrayContaining(['search', 'get_node', 'context_pack', 'map', 'get_tree']))
    expect(names).not.toContain('list_tags')
    const answer = await server.call('list_tags', {})
    expect(JSON.parse(answer.content[0].text).error).toMatchObject({
      code: 'TOOL_DISABLED',
      hint: 'Turn it on with the setting tools.list_tags.',
    })
    expect((await server.call('update_node', { id: 'yeast', append: 'More.' })).isError ?? false).toBe(false)
  })

  test('with --write they are listed, and read tools write nothing', async () => {
    const world = openVault(NOTES)
    const server = await open(world)
    const { result } = await server.request('tools/list')
    const writing = result.tools.filter(({ annotations }: Wire) => !annotations.readOnlyHint)
    expect(writing.map(({ name }: Wire) => name).sort()).toEqual([...WRITING].sort())
    const reading: readonly (readonly [string, object])[] = [
      ...['get_hubs', 'list_nodes', 'list_tags', 'get_tree', 'random_node', 'get_problems', 'list_changes'].map(
        (name) => [name, {}] as const,
      ),
      ['get_node', { id: 'bread', depth: 1 }],
      ['get_neighbors', { id: 'bread' }],
      ['find_path', { source: 'yeast', target: 'folder/salt' }],
      ['find_nodes', { query: 'wheat' }],
      ['search', { query: 'wheat' }],
      ['similar_nodes', { id: 'bread' }],
      ['resolve_nodes', { names: ['bred'] }],
      ['nodes_exist', { ids: ['bread'] }],
      ['search_by_tags', { tags: ['food'] }],
      ['list_attachments', { id: 'bread' }],
      ['move_node', { id: 'bread', to: 'Loaf', dry_run: true }],
      ['rename_tag', { tag: 'food', to: 'eaten', dry_run: true }],
    ]
    for (const [name, args] of reading) expect((await server.call(name, args)).isError ?? false, name).toBe(false)
    expect((await server.end()).code).toBe(0)
    expect(snapshot(world.vault)).toEqual(NOTES)
  })
})

describe('a client that writes', () => {
  test('creates and updates, and stale edits are refused', async () => {
    const world = openVault(NOTES)
    const ask = await openSdk(world)
    await ask('create_node', { id: 'New/Rye.md', content: 'Sour. [[Bread]]\n', tags: ['food'], properties: { rating: 4 } })
    expect(idsOf(await ask('get_neighbors', { id: 'bread', direction: 'in' })).sort()).toEqual([
      'folder/salt.md',
      'new/rye.md',
      'yeast.md',
    ])
    expect(idsOf(await ask('find_nodes', { query: 'sour' }))).toEqual(['new/rye.md'])
    const { hash } = await ask('get_node', { id: 'bread' })
    expect(hash).toBe(sha256(NOTES['Bread.md'] ?? ''))
    await ask('update_node', { id: 'bread', properties: { rating: 4 }, append: 'And rye.', expected_hash: hash })
    const edited = '---\n# the order matters\ntags: [food]\nrating:  4\n---\n# Bread\r\nSee [[Yeast]].  \n\n## Flour\nWheat.'
    const { 'Bread.md': text = '', ...rest } = snapshot(world.vault)
    // Only the value's own bytes and the line ending after the last one may change.
    expect(text.replace(/rating: +4/, 'rating:  4').startsWith(edited)).toBe(true)
    expect(text.slice(edited.length).trim()).toMatch(/And rye\.$/)
    const { error } = await ask('update_node', { id: 'bread', content: 'Lost.', expected_hash: hash })
    expect(error.code).toBe('CONFLICT')
    expect(JSON.stringify(error)).toContain(sha256(text))
    for (const [tool, args] of [
      ['move_node', { id: 'bread', to: 'Loaf.md', expected_hash: hash }],
      ['delete_node', { id: 'bread', expected_hash: hash }],
      ['create_node', { id: 'bread', content: 'Lost.' }],
    ] as const)
      expect((await ask(tool, args)).error.code).toBe(tool === 'create_node' ? 'NODE_EXISTS' : 'CONFLICT')
    expect(snapshot(world.vault)).toEqual({ 'Bread.md': text, ...rest })
  })

  test('moves a note: links follow, the next call sees it, and undo restores every byte', async () => {
    const world = openVault(NOTES)
    const ask = await openSdk(world)
    const { change_id } = await ask('move_node', { id: 'bread', to: 'baked/Loaf.md' })
    expect(idsOf(await ask('get_neighbors', { id: 'baked/loaf', direction: 'in' })).sort()).toEqual([
      'folder/salt.md',
      'yeast.md',
    ])
    expect(await ask('get_node', { id: 'bread' })).toBeNull()
    expect(snapshot(world.vault)).toEqual({
      'Yeast.md': 'It lives. Back to [[Loaf|the loaf]] and [there](./baked/Loaf.md#Flour).\n',
      'baked/Loaf.md': NOTES['Bread.md'],
      'folder/Salt.md': '# Salt\n![[Loaf#Flour]]\n```\n[[Bread]]\n```\n',
    })
    await ask('undo', { change_id })
    expect(snapshot(world.vault)).toEqual(NOTES)
    expect(idsOf(await ask('get_neighbors', { id: 'bread', direction: 'in' })).sort()).toEqual(['folder/salt.md', 'yeast.md'])
  })

  test('deletes into the trash and restores, byte for byte', async () => {
    const world = openVault(NOTES)
    const ask = await openSdk(world)
    const answer = await ask('delete_node', { id: 'bread' })
    expect(answer.deleted).toBe(true)
    expect(answer.dangling_links.map(({ path }: Wire) => path)).toContain('Yeast.md')
    expect(existsSync(join(world.vault, 'Bread.md'))).toBe(false)
    expect(snapshot(world.vault)['.trash/Bread.md']).toBe(NOTES['Bread.md'])
    expect(await ask('nodes_exist', { ids: ['bread.md'] })).toEqual({ 'bread.md': false })
    await ask('restore_node', { id: 'bread' })
    expect(snapshot(world.vault)).toEqual(NOTES)
    expect(await ask('nodes_exist', { ids: ['bread.md'] })).toEqual({ 'bread.md': true })
  })

  test.skipIf(process.platform !== 'linux')('notes that differ only in case keep separate ids in every answer', async () => {
    const files = { 'Note.md': 'one', 'note.md': 'two [[x]]', 'x.md': '[[./Note]] [[Other]]', 'Other.md': '' }
    const world = openVault(files)
    const ask = await openSdk(world)
    const tag = { tool: 'manage_tags', arguments: { id: 'Note.md', add: ['a'] } }
    expect(await ask('apply_changes', { operations: [tag], dry_run: true })).toMatchObject({ ids: ['Note.md'] })
    const made = await ask('apply_changes', { operations: [tag] })
    expect(made).toMatchObject({ ids: ['Note.md'] })
    const hash = sha256(snapshot(world.vault)['Note.md'] ?? '')
    const update = { id: 'Note.md', append: 'more', expected_hash: hash }
    expect(await ask('update_node', { ...update, dry_run: true })).toMatchObject({ id: 'Note.md' })
    expect(await ask('update_node', update)).toMatchObject({ id: 'Note.md', path: 'Note.md' })
    const titles = async (id: string) => (await ask('list_changes', { id })).map(({ title }: Wire) => title)
    expect(await titles('Note.md')).toHaveLength(2)
    expect(await titles('note.md')).toEqual([])
    const remove = {
      tool: 'delete_node',
      arguments: { id: 'Note.md', expected_hash: sha256(snapshot(world.vault)['Note.md'] ?? '') },
    }
    expect(await ask('impact', { operations: [remove] })).toMatchObject({ total: { orphaned: 0 } })
    const moved = await ask('move_node', { id: 'Note.md', to: 'f/Other', expected_hash: remove.arguments.expected_hash })
    expect(moved).toMatchObject({ old_id: 'Note.md', new_id: 'f/other.md' })
    const { notes } = await ask('changes_since', { since: '1h' })
    expect(notes.moved).toEqual([expect.objectContaining({ id: 'f/other.md', from: 'Note.md' })])
    expect(snapshot(world.vault)['note.md']).toBe('two [[x]]')
  })

  test('a note can be given by title, and its heading as plain text', async () => {
    const world = openVault({ 'a/b.md': '---\ntitle: The Loaf\n---\n# A\n## C\nx\n', 'c.md': '[[a/b#C]]' })
    const ask = await openSdk(world)
    await ask('rename_heading', { id: 'The Loaf', heading: 'C', to: 'Dee' })
    expect(snapshot(world.vault)).toEqual({
      'a/b.md': '---\ntitle: The Loaf\n---\n# A\n## Dee\nx\n',
      'c.md': '[[a/b#Dee]]',
    })
    await ask('update_node', { id: 'the loaf', section: '## Dee', content: 'y' })
    expect(snapshot(world.vault)['a/b.md']).toContain('## Dee\ny')
    const { error } = await ask('delete_node', { id: 'The Loaff' })
    expect(error).toMatchObject({ code: 'NODE_NOT_FOUND', candidates: ['a/b.md'] })
    expect(await ask('delete_node', { id: 'The Loaf' })).toMatchObject({ deleted: true })
  })

  test.each<[string, object, string, string | undefined]>([
    ['create_node', { id: 'New/Rye.md', content: 'Sour.' }, 'New/Rye.md', 'Sour.'],
    ['update_node', { id: 'yeast', append: 'More.' }, 'Yeast.md', `${NOTES['Yeast.md']}\nMore.\n`],
    ['manage_tags', { id: 'yeast', add: ['x'] }, 'Yeast.md', `---\ntags:\n  - x\n---\n${NOTES['Yeast.md']}`],
    ['delete_node', { id: 'yeast' }, 'Yeast.md', undefined],
    ['clone_node', { id: 'yeast', folder: 'Copies' }, 'Copies/Yeast.md', '---\ncloneOf:\n  - "[[Yeast]]"\n---\n![[Yeast]]'],
    ['add_attachment', { id: 'yeast', filename: 'a.txt', content: 'SGk=' }, 'a.txt', 'Hi'],
  ])('%s: the plan of a dry run is applied exactly', async (tool, args, path, text) => {
    const world = openVault(NOTES)
    const ask = await openSdk(world)
    const tried = await ask(tool, { ...args, dry_run: true })
    expect(tried.plan_id).toEqual(expect.any(String))
    expect(JSON.stringify(tried)).toContain(tool === 'add_attachment' ? 'a.txt' : '"diff":"')
    expect(snapshot(world.vault)).toEqual(NOTES)
    const { error } = await ask('apply_changes', { plan_id: tried.plan_id, dry_run: true })
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', hint: expect.stringContaining('Leave out dry_run') })
    expect(await ask('apply_changes', { plan_id: tried.plan_id })).toMatchObject({ change_id: expect.any(String) })
    expect(snapshot(world.vault)[path]?.trim()).toBe(text?.trim())
  })

  test('applies a plan exactly as shown, or not at all', async () => {
    const world = openVault(NOTES)
    const ask = await openSdk(world)
    const operations = [
      { tool: 'update_node', arguments: { id: 'yeast', append: 'More.' } },
      { tool: 'move_node', arguments: { id: 'folder/salt', to: 'Salt.md' } },
      { tool: 'create_node', arguments: { id: 'sugar.md', content: 'Sweet.' } },
    ]
    const stale = await ask('apply_changes', { operations, dry_run: true })
    expect(stale.diff).toMatch(/^\+More\.$/m)
    expect(snapshot(world.vault)).toEqual(NOTES)
    world.write('Yeast.md', 'Someone else.\n')
    const changed = { ...NOTES, 'Yeast.md': 'Someone else.\n' }
    expect((await ask('apply_changes', { plan_id: stale.plan_id })).error.code).toBe('CONFLICT')
    expect(snapshot(world.vault)).toEqual(changed)
    const { plan_id } = await ask('apply_changes', { operations, dry_run: true })
    const { change_id } = await ask('apply_changes', { plan_id })
    expect(Object.keys(snapshot(world.vault))).toEqual(['Bread.md', 'Salt.md', 'Yeast.md', 'sugar.md'])
    const { error } = await ask('apply_changes', {
      operations: [...operations.slice(0, 1), { tool: 'delete_node', arguments: { id: 'sugar', expected_hash: 'f'.repeat(64) } }],
    })
    expect(error.code).toBe('CONFLICT')
    expect(readFileSync(join(world.vault, 'Yeast.md'), 'utf8').match(/More/g)).toHaveLength(1)
    await ask('undo', { change_id })
    expect(snapshot(world.vault)).toEqual(changed)
  })

  test('cannot undo over a later edit', async () => {
    const world = openVault(NOTES)
    const ask = await openSdk(world)
    const { change_id } = await ask('update_node', { id: 'yeast', content: 'Ours.\n' })
    world.write('Yeast.md', 'Theirs.\n')
    const { error } = await ask('undo', { change_id })
    expect(error.code).toBe('CONFLICT')
    expect(JSON.stringify(error)).toMatch(/Theirs/)
    expect(snapshot(world.vault)).toEqual({ ...NOTES, 'Yeast.md': 'Theirs.\n' })
  })
})

describe('killed in the middle of a large move', () => {
  const COUNT = 150
  const before: Snapshot = {
    'Hub.md': 'The hub.\n',
    ...Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`n${n}.md`, `Note ${n} links [[Hub]].\n`])),
  }
  const MOVE = { id: 'hub', to: 'Center.md' }

  /** Kills a server at a given moment within its move. */
  async function killWithin(world: World, moment: (vault: string) => boolean): Promise<void> {
    const server = await open(world)
    await server.ask('list_tags')
    let isAnswered = false
    const answered = () => {
      isAnswered = true
    }
    server.call('move_node', MOVE).then(answered, answered)
    // On a busy machine, the moment may pass before it is noticed.
    while (!moment(world.vault) && !isAnswered) await sleep(0)
    world.killServers()
    server.child.kill('SIGKILL')
    await server.ended
  }

  const drafted = (vault: string) => readdirSync(vault).some((name) => name.includes('.roux-'))
  const isRelinked = (vault: string) => {
    try {
      return readFileSync(join(vault, 'n0.md'), 'utf8').includes('[[Center]]')
    } catch {
      // For a few microseconds, no file has the name, because the old file has been set aside and the new one is not in place
      // yet.
      return false
    }
  }
  const moments: readonly (readonly [string, (vault: string) => boolean])[] = [
    ['while drafts are written', drafted],
    ['when a link follows already', isRelinked],
    ['when it has its new name', (vault) => existsSync(join(vault, 'Center.md'))],
  ]

  test.each(moments)('%s: a server without --write recovers before its first answer, a probe does not', async (_, moment) => {
    const world = openVault(before)
    await killWithin(world, moment)
    const left = snapshot(world.vault)

    const probe = world.serve([world.vault])
    await probe.initialize()
    probe.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await probe.request('tools/list')
    await sleep(200)
    expect((await probe.end()).code).toBe(0)
    expect(snapshot(world.vault)).toEqual(left)

    const server = await open(world, [])
    const [hub] = await server.ask('get_hubs', { limit: 1 })
    const found = snapshot(world.vault)
    expect(Object.keys(found).filter((name) => name.includes('.roux-'))).toEqual([])
    const isDone = 'Center.md' in found
    expect(found).toEqual(isDone ? moved(before) : before)
    expect(hub).toMatchObject({ id: isDone ? 'center.md' : 'hub.md', score: COUNT })
    expect((await server.end()).code).toBe(0)
  })

  test('edits made in the vault since then are kept', async () => {
    const world = openVault(before)
    await killWithin(world, isRelinked)
    writeFileSync(join(world.vault, 'n0.md'), 'Mine.\n')
    // The server may have been killed while a note was set aside.
    const other = ['n1', 'n2'].find((name) => existsSync(join(world.vault, `${name}.md`))) ?? ''
    renameSync(join(world.vault, `${other}.md`), join(world.vault, 'elsewhere.md'))
    const server = await open(world, [])
    await server.ask('get_hubs')
    const found = snapshot(world.vault)
    expect(found['n0.md']).toBe('Mine.\n')
    expect(found['elsewhere.md']).toMatch(/^Note [12] links \[\[(Hub|Center)\]\]\.\n$/)
    expect(Object.keys(found).filter((name) => name.includes('.roux-'))).toEqual([])
  })

  function moved({ 'Hub.md': hub = '', ...notes }: Snapshot): Snapshot {
    const links = Object.entries(notes).map(([path, text]) => [path, text.replace('[[Hub]]', '[[Center]]')])
    return { 'Center.md': hub, ...Object.fromEntries(links) }
  }
})
