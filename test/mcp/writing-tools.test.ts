import { describe, expect, test } from 'vitest'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import type { WriteRequest } from '../../src/core/operations.ts'
import { callTool } from '../../src/mcp/calls/call-tool.ts'
import type { SwitchedOffBy } from '../../src/mcp/definition/define-tool.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { OPERATION_TOOLS } from '../../src/mcp/tools/write.ts'
import { fakeWriting, PNG, writableCore } from '../app/write/fake-writing.ts'
import { callRequest, stdioPair, type Wire } from '../support/stdio-client.ts'

interface Called {
  readonly result: Wire
  readonly requests: readonly WriteRequest[]
}

async function call(name: string, args: object, switchedOffBy: SwitchedOffBy = () => undefined): Promise<Called> {
  const writing = fakeWriting()
  const tool = TOOLS.find((one) => one.name === name)
  if (tool === undefined) throw new Error(name)
  const result = await callTool(tool, args, {
    vaults: vaultsOnDemand([], async () => writableCore(writing)),
    log: () => {},
    switchedOffBy,
  })
  return { result, requests: writing.requests }
}

test('a client that may not read notes gets only ids and hashes of a change', async () => {
  const blind = async (name: string, args: object) => {
    const tool = TOOLS.find((one) => one.name === name)
    if (tool === undefined) throw new Error(name)
    const vaults = vaultsOnDemand([], async () => writableCore())
    return (await callTool(tool, args, { vaults, log: () => {}, mayRead: false })).structuredContent as Wire
  }
  const { node } = await blind('manage_tags', { id: 'home', add: ['x'] })
  expect(Object.keys(node).sort()).toEqual(['change_id', 'hash', 'id'])
  expect(node.hash).toMatch(/^partial:[0-9a-f]{64}$/)
  const changed = await blind('apply_changes', {
    operations: [{ tool: 'manage_tags', arguments: { id: 'home', add: ['x'] } }],
    dry_run: true,
  })
  expect(Object.keys(changed).filter((key) => !['ids', 'plan_id', 'change_id'].includes(key))).toEqual([])
  expect(await blind('delete_node', { id: 'Humus' })).toEqual({ deleted: true, change_id: 'c1' })
  expect((await blind('read_attachment', { id: 'soil/worm' })).error ?? null).toBeNull()
})

const errorOf = ({ result }: Called): { code: string; message: string; hint?: string } => result.structuredContent.error

describe('operations of the write tools', () => {
  test.each<[string, object, object]>([
    [
      'create_node',
      { id: 'Notes/New.md', content: 'x', properties: { a: 1 }, relations: { up: ['Home'] } },
      { kind: 'create', id: 'Notes/New.md', content: 'x', tags: [], properties: { a: 1 }, relations: { up: ['Home'] } },
    ],
    [
      'update_node',
      { id: 'home', content: 'x' },
      { kind: 'update', id: 'home', content: 'x', mode: 'replace', updateLinks: false },
    ],
    [
      'update_node',
      { id: 'home', replace_text: { find: 'a', replace: '' }, expected_hash: 'h', update_links: true, title: 'T', tags: [] },
      {
        kind: 'update',
        id: 'home',
        replaceText: { find: 'a', replace: '', count: 1 },
        expectedHash: 'h',
        updateLinks: true,
        title: 'T',
        tags: [],
        mode: 'replace',
      },
    ],
    [
      'update_node',
      { id: 'home', section: ['A'], mode: 'insert_after', content: 'x', properties: { a: null } },
      {
        kind: 'update',
        id: 'home',
        section: ['A'],
        mode: 'insert_after',
        content: 'x',
        properties: { a: null },
        updateLinks: false,
      },
    ],
    [
      'update_node',
      { id: 'home', content: 'x', replace_all: true, replace_text: { find: 'a', replace: 'b', line: 3 } },
      {
        kind: 'update',
        id: 'home',
        content: 'x',
        replaceAll: true,
        replaceText: { find: 'a', replace: 'b', count: 1, line: 3 },
        updateLinks: false,
        mode: 'replace',
      },
    ],
    ['delete_node', { id: 'home', expected_hash: 'h' }, { kind: 'delete', id: 'home', expectedHash: 'h' }],
    ['move_node', { id: 'home', to: 'b' }, { kind: 'move', id: 'home', to: 'b' }],
    ['restore_node', { id: 'home' }, { kind: 'restore', id: 'home' }],
    [
      'rename_heading',
      { id: 'home', heading: ['A', 'B'], to: 'C' },
      { kind: 'renameHeading', id: 'home', heading: ['A', 'B'], to: 'C' },
    ],
    ['rename_tag', { tag: 'a', to: 'b' }, { kind: 'renameTag', tag: 'a', to: 'b' }],
    ['manage_tags', { id: 'home', remove: ['a'] }, { kind: 'manageTags', id: 'home', add: [], remove: ['a'] }],
    ['create_folder', { path: 'a/b' }, { kind: 'createFolder', path: 'a/b' }],
    ['clone_node', { id: 'home', folder: '' }, { kind: 'clone', id: 'home', folder: '' }],
    [
      'add_attachment',
      { id: 'home', filename: 'a.txt', content: 'aGk=', mime_type: 'text/plain', title: 'T' },
      { kind: 'addAttachment', id: 'home', filename: 'a.txt', content: 'aGk=', mimeType: 'text/plain', title: 'T' },
    ],
    ['delete_attachment', { id: 'photo.png' }, { kind: 'deleteAttachment', id: 'photo.png' }],
  ])('%s %j', async (name, args, operation) => {
    const { result, requests } = await call(name, args)
    expect(result.isError).toBeUndefined()
    expect(requests).toEqual([{ title: expect.stringContaining(name), operations: [operation], dryRun: false }])
    const together = await call('apply_changes', { operations: [{ tool: name, arguments: args }] })
    expect(together.requests[0]?.operations).toEqual([operation])
  })

  // Deleting requires an existing note, so it is covered by the tests of the whole program.
  const tried = OPERATION_TOOLS.map(({ name }) => name).filter((name) => !name.startsWith('delete'))
  test.each(tried)('%s supports a dry run', async (name) => {
    const args = {
      id: 'home',
      tag: 'a',
      heading: ['A'],
      to: 'b',
      add: ['x'],
      path: 'f',
      folder: 'f',
      filename: 'f.png',
      ...(name === 'create_node' || name === 'add_attachment' ? { content: 'eA==' } : { append: 'x' }),
    }
    const { properties } = TOOLS.find((tool) => tool.name === name)?.definition().inputSchema ?? { properties: {} }
    const own = Object.fromEntries(Object.entries(args).filter(([key]) => key in properties))
    const { result, requests } = await call(name, { ...own, dry_run: true })
    expect(requests[0]?.dryRun).toBe(true)
    const { node = result.structuredContent } = result.structuredContent
    expect(node).toMatchObject({ plan_id: 'p1' })
    expect(node).not.toHaveProperty('change_id')
  })
})

describe('apply_changes', () => {
  test('accepts every tool that makes an operation', () => {
    const { inputSchema } = TOOLS.find(({ name }) => name === 'apply_changes')?.definition() ?? {}
    const names = OPERATION_TOOLS.map(({ name }) => name)
    expect(inputSchema?.properties.operations?.items?.properties?.tool?.enum).toEqual(names)
    const rest = TOOLS.filter((tool) => tool.needs !== undefined && !names.includes(tool.name)).map(({ name }) => name)
    expect(rest).toEqual(['apply_changes', 'list_changes', 'undo', 'list_attachments', 'read_attachment'])
  })

  test("reports every violation in every operation, by the tools' own schemas", async () => {
    const called = await call('apply_changes', {
      operations: [
        { tool: 'delete_node', arguments: { id: 'a' } },
        { tool: 'update_node', arguments: { replace_text: { find: '', count: 0 }, mode: 'over' } },
        { tool: 'move_node', arguments: { id: 5, to: 'b', dry_rn: true } },
        { tool: 'create_node', arguments: { id: 'a', content: 'x', relations: { up: 'Home', down: [1] } } },
        { tool: 'update_node', arguments: { id: 'a', properties: JSON.parse('{"__proto__": 1}') } },
        { tool: 'rename_tag', arguments: { tag: 'a', to: 'b', dry_run: true } },
      ],
    })
    expect(called.requests).toEqual([])
    expect(errorOf(called)).toEqual({
      code: 'INVALID_PARAMS',
      message: `Invalid arguments for apply_changes: ${[
        'operations[1].arguments.id: expected a string, got nothing',
        'operations[1].arguments.replace_text.find: expected a string of at least 1 character, got ""',
        'operations[1].arguments.replace_text.replace: expected a string, got nothing',
        'operations[1].arguments.replace_text.count: expected an integer of at least 1, got 0',
        'operations[1].arguments.mode: expected one of replace, append, prepend, insert_before, insert_after, got "over"',
        'operations[2].arguments.id: expected a string, got 5',
        'operations[2].arguments.dry_rn: there is no such argument, did you mean dry_run',
        'operations[3].arguments.relations.up: expected an array of strings, got "Home"',
        'operations[3].arguments.relations.down[0]: expected a string, got 1',
        'operations[4].arguments.properties: expected names other than __proto__, got {"__proto__":1}',
        'operations[5].arguments.dry_run: must be set for the whole call, not for one operation',
      ].join('; ')}.`,
      hint: 'apply_changes takes operations, dry_run, plan_id.',
      candidates: expect.arrayContaining(['dry_run']),
    })
  })

  test.each<[unknown, string]>([
    [{ tool: 'get_node', arguments: { id: 'a' } }, 'operations[0].tool: expected one of create_node, update_node, '],
    [{ tool: 'apply_changes', arguments: {} }, 'operations[0].tool: expected one of '],
    [{ tool: 'delete_node' }, 'operations[0].arguments: expected an object, got nothing'],
    [{ tool: 'delete_node', arguments: [] }, 'operations[0].arguments: expected an object, got []'],
    [{ tool: 'delete_node', arguments: { id: 'a' }, x: 1 }, 'operations[0].x: there is no such argument'],
    ['delete_node', 'operations[0]: expected an object, got "delete_node"'],
  ])('rejects %j as an operation', async (operation, message) => {
    const called = await call('apply_changes', { operations: [operation] })
    expect(errorOf(called)).toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining(message) })
    expect(called.requests).toEqual([])
  })

  test('counts many violations and shortens argument names', async () => {
    const operations = Array.from({ length: 1000 }, () => ({ tool: 'delete_node', arguments: { ['x'.repeat(10_000)]: 1 } }))
    const { message } = errorOf(await call('apply_changes', { operations }))
    expect(message).toMatch(/; and 1980 more\.$/)
    expect(message.length).toBeLessThan(4000)
    expect(errorOf(await call('apply_changes', { operations: [...operations, ...operations] })).message).toContain(
      'operations: expected at most 1000 items, got 2000',
    )
  })

  test('rejects an empty call', async () => {
    expect(errorOf(await call('apply_changes', {}))).toMatchObject({
      code: 'INVALID_PARAMS',
      hint: expect.stringContaining('plan_id'),
    })
  })

  test('rejects a disabled tool', async () => {
    const off: SwitchedOffBy = ({ needs }) => (needs === 'tools.attach' ? needs : undefined)
    const operations = [{ tool: 'delete_attachment', arguments: { id: 'photo.png' } }]
    const called = await call('apply_changes', { operations }, off)
    expect(called.requests).toEqual([])
    expect(errorOf(called)).toEqual({
      code: 'TOOL_DISABLED',
      message: 'The tool delete_attachment is switched off.',
      hint: 'Turn it on with the setting tools.attach.',
    })
  })
})

describe('hostile arguments', () => {
  const huge = 'x'.repeat(2 << 20)
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)

  test.each<[string, object, string]>([
    ['create_node', { id: huge, content: '' }, 'INVALID_PARAMS'],
    ['create_node', { id: 'a', content: huge }, 'TOO_LARGE'],
    ['create_node', { id: 'a', content: '', title: huge }, 'TOO_LARGE'],
    ['create_node', { id: 'a', content: '', tags: [huge] }, 'INVALID_PARAMS'],
    ['create_node', { id: 'a', content: '', properties: deep }, 'INVALID_PARAMS'],
    ['update_node', { id: 'home', mode: 'append', content: 'x' }, 'INVALID_PARAMS'],
    ['delete_node', { id: huge }, 'INVALID_PARAMS'],
    ['move_node', { id: 'home', to: huge }, 'INVALID_PARAMS'],
    ['move_node', { id: 'home', to: '' }, 'INVALID_PARAMS'],
    ['restore_node', { id: '' }, 'INVALID_PARAMS'],
    ['rename_heading', { id: 'home', heading: [huge], to: 'x' }, 'INVALID_PARAMS'],
    ['rename_tag', { tag: 'a', to: '' }, 'INVALID_PARAMS'],
    ['manage_tags', { id: 'home', add: [huge] }, 'INVALID_PARAMS'],
    ['create_folder', { path: huge }, 'INVALID_PARAMS'],
    ['clone_node', { id: 'home', folder: huge }, 'INVALID_PARAMS'],
    ['add_attachment', { id: 'home', filename: huge, content: '' }, 'INVALID_PARAMS'],
    ['undo', { change_id: '' }, 'INVALID_PARAMS'],
    ['read_attachment', { id: 'home' }, 'INVALID_PARAMS'],
  ])('%s: %#', async (name, args, code) => {
    const called = await call(name, args)
    expect(errorOf(called).code).toBe(code)
    expect(errorOf(called).message.length).toBeLessThan(400)
    expect(called.requests).toEqual([])
  })
})

describe('results', () => {
  test('have the node and what was done under one root', async () => {
    const { result } = await call('update_node', { id: 'home', append: 'x' })
    expect(result.structuredContent.node).toEqual(JSON.parse(result.content[0].text))
    expect(result.structuredContent.node).toMatchObject({ id: 'home.md', change_id: 'c1', diff: '' })
  })

  test('have a picture in its own block', async () => {
    const { result } = await call('read_attachment', { id: 'photo.png' })
    expect(result.content).toEqual([
      { type: 'text', text: expect.stringContaining('"mime_type":"image/png"') },
      { type: 'image', mimeType: 'image/png', data: Buffer.from(PNG).toString('base64') },
    ])
    expect(result.structuredContent).toEqual(JSON.parse(result.content[0].text))
  })

  test('a write that times out may still be done, and the error says so', async () => {
    const writing = { ...fakeWriting(), run: () => new Promise<never>(() => {}) }
    const tool = TOOLS.find(({ name }) => name === 'create_folder')
    if (tool === undefined) throw new Error('no tool')
    const core = async () => writableCore(writing)
    const { structuredContent } = await callTool(
      tool,
      { path: 'a' },
      { vaults: vaultsOnDemand([], core), log: () => {}, timeout: 20 },
    )
    expect(structuredContent).toMatchObject({ error: { code: 'TIMEOUT', hint: expect.stringContaining('list_changes') } })
  })
})

test('a read-only server hides its write tools, and a call names the setting that shows them', async () => {
  const pair = stdioPair(async () => writableCore(), { switchedOffBy: ({ needs }) => needs })
  const { result: hello } = await pair.initialize()
  expect(hello.instructions).not.toContain('update_node')
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const listed = (await pair.next()).result.tools.map(({ name }: Wire) => name)
  expect(listed).toEqual(TOOLS.filter(({ needs }) => needs === undefined).map(({ name }) => name))
  for (const [name, setting] of [
    ['undo', 'tools.write'],
    ['read_attachment', 'tools.attach'],
  ] as const) {
    pair.send(callRequest(name, name, {}))
    expect((await pair.next()).result.structuredContent.error).toEqual({
      code: 'TOOL_DISABLED',
      message: `The tool ${name} is switched off.`,
      hint: `Turn it on with the setting ${setting}.`,
    })
  }
  pair.stdin.end()
})
