import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { callTool } from '../../src/mcp/calls/call-tool.ts'
import type { ToolResult } from '../../src/mcp/calls/tool-result.ts'
import type { Tool } from '../../src/mcp/definition/define-tool.ts'
import type { PropertySchema } from '../../src/mcp/definition/schemas.ts'
import { instructionsFor, WRITING_INSTRUCTIONS } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { writableCore } from '../app/write/fake-writing.ts'
import { fakeCore, fakeEmbedding, fakeStore } from '../support/fake-store.ts'
import type { Wire } from '../support/stdio-client.ts'
import { CHAT } from '../support/tool-calls.ts'

const core: GraphCore = {
  ...writableCore(),
  embedding: fakeEmbedding(),
  chat: CHAT,
}
const logged: string[] = []
const call = async (name: string, args: unknown): Promise<Wire> => {
  const tool = TOOLS.find((one) => one.name === name)
  if (tool === undefined) throw new Error(name)
  const result = await callTool(tool, args, { vaults: vaultsOnDemand([], async () => core), log: (line) => logged.push(line) })
  expect(JSON.parse(textOf(result))).toBeDefined()
  return result
}
/** The first text of a result. */
function textOf({ content: [first] }: ToolResult): string {
  return first?.type === 'text' ? first.text : ''
}
const definitions = TOOLS.map((tool) => tool.definition())
const folder = new URL('./snapshots/', import.meta.url)

/** Valid arguments for every tool. */
const VALID: Readonly<Record<string, object>> = {
  search: { query: 'a plan for spring' },
  find_nodes: { query: '#soil tomato' },
  similar_nodes: { id: 'home' },
  context_pack: { query: 'home' },
  impact: { id: 'home' },
  compare: { a: 'home', b: 'home' },
  changes_since: { since: '7d' },
  suggest_links: {},
  get_node: { id: 'home' },
  get_neighbors: { id: 'home' },
  find_path: { source: 'home', target: 'beds/tomato.md' },
  get_hubs: {},
  map: {},
  gaps: {},
  resolve_nodes: { names: ['x'] },
  search_by_tags: { tags: ['soil'] },
  list_nodes: {},
  list_tags: {},
  list_properties: {},
  get_tree: {},
  random_node: {},
  nodes_exist: { ids: ['home'] },
  verify_quote: { id: 'home', quote: 'a plan for spring' },
  get_problems: {},
  suggest_tags: { id: 'home' },
  ask: { question: 'why?' },
  create_node: { id: 'notes/new.md', content: '# New' },
  update_node: { id: 'home', append: 'More.' },
  delete_node: { id: 'home' },
  move_node: { id: 'home', to: 'Start.md' },
  restore_node: { id: 'home' },
  rename_heading: { id: 'home', heading: ['Compost'], to: 'Soil' },
  rename_tag: { tag: 'soil', to: 'earth' },
  manage_tags: { id: 'home', add: ['x'] },
  create_folder: { path: 'new' },
  clone_node: { id: 'home', folder: 'soil' },
  add_attachment: { id: 'home', filename: 'a.txt', content: 'aGk=' },
  delete_attachment: { id: 'photo.png' },
  apply_changes: { operations: [{ tool: 'manage_tags', arguments: { id: 'home', add: ['x'] } }] },
  list_changes: {},
  undo: { change_id: 'c1' },
  list_attachments: { id: 'home' },
  read_attachment: { id: 'photo.png' },
}

/** Words with `_` in the instructions that are not tool names. */
const NO_TOOLS = ['next_offset', 'max_tokens', 'missing_note', 'replace_text', 'dry_run', 'change_id']

describe('the list of tools', () => {
  test.each(definitions)('$name matches its snapshot', (definition) => {
    const file = new URL(`${definition.name}.json`, folder)
    const now = `${JSON.stringify({ tokens: encode(JSON.stringify(definition)).length, ...definition }, null, 2)}\n`
    // New snapshots are written and show up in the diff. Changed ones must be checked, and are written only with
    // UPDATE_SNAPSHOTS=1.
    if (process.env.UPDATE_SNAPSHOTS || !readdirSync(folder).includes(`${definition.name}.json`)) writeFileSync(file, now)
    expect(readFileSync(file, 'utf8')).toBe(now)
  })

  test('has no snapshots of deleted tools', () => {
    expect(readdirSync(folder).sort()).toEqual(definitions.map(({ name }) => `${name}.json`).sort())
  })

  test('stays within 2,200 tokens for ten core tools, 3,600 for all read tools, 4,800 with the whole-vault tools, and 8,400 for everything', () => {
    const tokens = (some: readonly Tool[]) => encode(JSON.stringify(some.map((tool) => tool.definition()))).length
    const reading = TOOLS.filter(({ needs, needsChatModel }) => needs === undefined && needsChatModel !== true)
    const least = tokens(reading.filter(({ group }) => group === undefined))
    const [usual, all] = [tokens(reading), tokens(TOOLS)]
    const core = reading.filter(({ profile }) => profile === undefined)
    expect(core).toHaveLength(10)
    expect(tokens(core)).toBeLessThanOrEqual(2_200)
    console.log(
      `tools/list: ${tokens(core)} tokens for the core, ${least} tokens, ${usual} with the tools for a whole vault, ${all} with writing`,
    )
    expect(least).toBeLessThanOrEqual(3_600)
    expect(usual).toBeLessThanOrEqual(4_800)
    expect(all).toBeLessThan(8_400)
  })

  test('has instructions short enough for every client', () => {
    const all = instructionsFor({ tools: TOOLS, offered: TOOLS }, [])
    expect(all.endsWith(WRITING_INSTRUCTIONS)).toBe(true)
    expect(Buffer.byteLength(all)).toBeLessThan(2_048)
    for (const name of all.match(/\b[a-z]+_(?:[a-z]+_)?[a-z]+\b/g) ?? []) {
      if (!NO_TOOLS.includes(name)) expect(Object.keys(VALID)).toContain(name)
    }
  })

  test('has instructions that mention only offered tools', () => {
    const offered = TOOLS.filter(({ needs, profile }) => needs === undefined && profile === undefined)
    const told = instructionsFor({ tools: TOOLS, offered }, [])
    for (const { name } of TOOLS.filter((tool) => !offered.includes(tool))) expect(told).not.toMatch(new RegExp(`\\b${name}\\b`))
    expect(told).toContain('- What is this vault about? map, then map with one community.\n')
    expect(told).not.toContain('What changed?')
  })

  test.each(definitions)('$name is simple enough for every client', ({ name, inputSchema, description, title, annotations }) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,29}$/)
    expect(title.length).toBeGreaterThan(3)
    expect(description.length).toBeLessThan(2_048)
    expect(inputSchema.type).toBe('object')
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const)
      expect(typeof annotations[hint]).toBe('boolean')
    expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|\$schema|anyOf|oneOf|allOf|9007199254740991/)
    for (const property of Object.values(inputSchema.properties)) {
      expect(property.description).toMatch(/\.$/)
      expect(typeof property.type).toBe('string')
    }
  })
})

describe('declared answers', () => {
  const declared = TOOLS.filter((tool) => tool.definition().outputSchema !== undefined)

  test.each(declared)('$name returns what it declares, also on failure', async ({ name }) => {
    const { properties = {} } = TOOLS.find((tool) => tool.name === name)?.definition().outputSchema ?? {}
    const { structuredContent, isError } = await call(name, VALID[name])
    expect(isError).toBeUndefined()
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(structuredContent).slice(0, 1)))
    const valid = z.fromJSONSchema({ type: 'object', properties } as never)
    expect(valid.safeParse(structuredContent).error).toBeUndefined()
    const failed = await call(name, { nonsense: true })
    expect(failed.isError).toBe(true)
    expect(valid.safeParse(failed.structuredContent).error).toBeUndefined()
    for (const key of Object.keys(properties)) expect(valid.safeParse({ [key]: null }).success).toBe(false)
  })

  test('exist for some tools', () => expect(declared.length).toBeGreaterThan(5))
})

/** Every way in which a single argument can be wrong, according to its schema. */
function wrongValues(schema: PropertySchema): readonly (readonly [value: unknown, expected: string])[] {
  const alien = (...values: unknown[]) => values.map((value) => [value, ''] as const)
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const kind = schema.type === 'integer' ? 'an integer' : 'a number'
      return [
        ...['1', true, null, [], {}, ...(schema.type === 'integer' ? [0.5] : [])].map((value) => [value, kind] as const),
        ...(schema.minimum === undefined ? [] : [[schema.minimum - 1, String(schema.minimum)] as const]),
        ...(schema.maximum === undefined ? [] : [[schema.maximum + 1, String(schema.maximum)] as const]),
      ]
    }
    case 'boolean':
      return ['true', 1, null].map((value) => [value, 'true or false'] as const)
    case 'array':
      return [
        ...['x', 1, null, {}].map((value) => [value, 'an array'] as const),
        ...(schema.minItems === undefined
          ? []
          : [[[], schema.maxItems === undefined ? 'at least 1 item' : `of 1 to ${schema.maxItems} items`] as const]),
        ...alien([1], [null]),
      ]
    case 'object':
      return ['x', 1, null, [], true].map((value) => [value, 'an object'] as const)
    default:
      return [
        ...[1, null, ['x'], {}, true].map((value) => [value, schema.enum === undefined ? 'a string' : 'one of'] as const),
        ...(schema.enum === undefined ? [] : [['', 'one of'] as const, ['x', schema.enum.join(', ')] as const]),
      ]
  }
}

describe('expensive arguments', () => {
  const MANY = Array.from({ length: 200_000 }, (_, at) => `x${at}`)
  /** CPU limit in µs: far more than needed, far less than checking all members takes. */
  const AT_ONCE = 2_000_000

  test.each([
    ['resolve_nodes', 'names', { names: MANY }],
    ['nodes_exist', 'ids', { ids: MANY }],
    ['search_by_tags', 'tags', { tags: MANY }],
    ['random_node', 'tags', { tags: MANY.map(() => 1) }],
    ['get_neighbors', 'kinds', { id: 'home', kinds: MANY }],
    ['manage_tags', 'remove', { id: 'home', remove: MANY }],
    ['create_node', 'relations.up', { id: 'a.md', content: '', relations: { up: MANY.map(() => 1) } }],
    ['create_node', 'relations', { id: 'a.md', content: '', relations: Object.fromEntries(MANY.map((name) => [name, 1])) }],
    ['apply_changes', 'operations', { operations: MANY }],
    [
      'apply_changes',
      'operations[1].arguments.add',
      {
        operations: [{}, { tool: 'manage_tags', arguments: { id: 'home', add: MANY } }],
      },
    ],
  ])('%s rejects an overlong list in %s before checking its members', async (name, where, args) => {
    const { structuredContent } = await call(name, args)
    expect(structuredContent.error).toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(
        `${where}: expected at most 1000 ${where === 'relations' ? 'relations' : 'items'}, got 200000`,
      ),
    })
  })

  test('counts unknown argument names without comparing them all', async () => {
    const begun = process.cpuUsage()
    const unknown = Object.fromEntries(MANY.slice(0, 50_000).map((name) => [`argument_${name}`, 1]))
    const { structuredContent } = await call('get_hubs', unknown)
    expect(structuredContent.error.message).toMatch(/argument_x19: there is no such argument; and 49980 more\.$/)
    const operations = Array.from({ length: 1_000 }, () => ({
      tool: 'manage_tags',
      arguments: { id: 'home', ...Object.fromEntries(MANY.slice(0, 20).map((name) => [`argument_${name}`, 1])) },
    }))
    expect((await call('apply_changes', { operations })).structuredContent.error.message).toMatch(/and 19980 more\.$/)
    expect(process.cpuUsage(begun).user).toBeLessThan(AT_ONCE)
  })
})

describe.each(definitions)('$name', ({ name, inputSchema }) => {
  const valid = VALID[name] ?? {}
  const refused = async (args: unknown) => {
    const result = await call(name, args)
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    expect(result.structuredContent.error.code).toBe('INVALID_PARAMS')
    return result.structuredContent.error
  }

  test('accepts valid arguments and every bound', async () => {
    expect((await call(name, valid)).isError).toBeUndefined()
    for (const [key, { minimum, maximum }] of Object.entries(inputSchema.properties)) {
      for (const bound of [minimum, maximum]) {
        if (bound !== undefined) expect((await call(name, { ...valid, [key]: bound })).isError).toBeUndefined()
      }
    }
  })

  test.each(inputSchema.required ?? [])('rejects a missing %s', async (key) => {
    const { message } = await refused({ ...valid, [key]: undefined })
    expect(message).toContain(`${key}: expected `)
    expect(message).toContain('got nothing')
  })

  // A single heading may also be given as a string.
  const takesText = (key: string) => key === 'section' || key === 'heading'

  test.each(
    Object.entries(inputSchema.properties).flatMap(([key, schema]) =>
      wrongValues(schema)
        .filter(([value]) => !(takesText(key) && value === 'x'))
        .map(([value, expected]) => ({ key, value, expected })),
    ),
  )('rejects $key = $value', async ({ key, value, expected }) => {
    const { message } = await refused({ ...valid, [key]: value })
    expect(message).toContain(key)
    expect(message).toContain(expected)
    const shown = Array.isArray(value) && value.length > 0 && inputSchema.properties[key]?.type === 'array' ? value[0] : value
    expect(message).toContain(`got ${JSON.stringify(shown)}`)
  })

  test('rejects an unknown argument and names the nearest one', async () => {
    const [known = ''] = Object.keys(inputSchema.properties)
    const { message, candidates } = await refused({ ...valid, [`${known}s_`]: 1 })
    expect(message).toContain(`${known}s_: there is no such argument, did you mean ${known}`)
    expect(candidates).toContain(known)
    const far = await refused({ ...valid, qqqqqqqq: 1 })
    expect(far.candidates).toBeUndefined()
    expect(far.hint).toContain(known)
  })

  test.each(['text', 5, [], true])('rejects %j as arguments', async (args) => {
    expect((await refused(args)).message).toContain('expected an object of arguments')
  })
})

test('reports all violations at once and shortens long values', async () => {
  const { structuredContent } = await call('get_neighbors', { limit: 99, offset: -1, direction: 'x'.repeat(500), lmit: 1 })
  const { message } = structuredContent.error
  expect(message).toMatch(/id: expected a string, got nothing/)
  expect(message).toMatch(/limit: expected an integer from 1 to 50, got 99/)
  expect(message).toMatch(/offset: expected an integer of at least 0, got -1/)
  expect(message).toMatch(/direction: expected one of in, out, both, got "xxx/)
  expect(message).toMatch(/lmit: there is no such argument, did you mean limit/)
  expect(message.length).toBeLessThan(400)
})

test('rejects a value nested deeper than the stack', async () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  const { structuredContent } = await call('get_node', { id: deep })
  expect(structuredContent.error.message).toMatch(/^Invalid arguments for get_node: id: expected a string, got an array\.$/)
})

describe('results', () => {
  test('are compact JSON, and the same facts in an object', async () => {
    const cases: readonly (readonly [string, object, (value: unknown) => object])[] = [
      ['get_node', { id: 'home', depth: 1 }, (node) => ({ node })],
      ['random_node', {}, (node) => ({ node })],
      ['get_neighbors', { id: 'home' }, (results) => ({ results, total: (results as readonly unknown[]).length })],
      ['get_hubs', {}, (results) => ({ results, total: (results as readonly unknown[]).length })],
      ['nodes_exist', { ids: ['home', 'x'] }, (results) => ({ results })],
      ['list_nodes', {}, (value) => value as object],
      ['find_path', { source: 'home', target: 'beds/tomato' }, (value) => value as object],
      ['get_tree', {}, (value) => value as object],
      ['get_problems', {}, (value) => value as object],
    ]
    for (const [name, args, wrap] of cases) {
      const { content, structuredContent, isError } = await call(name, args)
      expect(isError).toBeUndefined()
      expect(content).toHaveLength(1)
      const value = JSON.parse(content[0].text)
      expect(content[0].text).toBe(JSON.stringify(value))
      expect(JSON.parse(JSON.stringify(structuredContent))).toEqual(wrap(value))
    }
  })

  test('carry warnings next to the facts and as a second text', async () => {
    const { content, structuredContent } = await call('get_node', { id: 'nope' })
    expect(content[0].text).toBe('null')
    expect(structuredContent).toEqual({ node: null, _warnings: [{ code: 'UNKNOWN_ID', message: expect.any(String) }] })
    expect(content[1].text).toMatch(/^UNKNOWN_ID: There is no node "nope"/)
    const drawn = await call('random_node', { tags: ['none'] })
    expect(drawn.structuredContent).toMatchObject({ node: null, _warnings: [{ code: 'UNKNOWN_ID' }] })
    const apart = await call('find_path', { source: 'home', target: 'alone' })
    expect(apart.structuredContent).toMatchObject({ result: null, _warnings: [{ code: 'NOTICE' }] })
    const folder = await call('get_tree', { path: 'nope' })
    expect(folder.structuredContent).toMatchObject({ result: null, _warnings: [{ code: 'UNKNOWN_ID' }] })
  })
})

describe('failures', () => {
  const failing = (thrown: unknown) => async (): Promise<never> => {
    throw thrown
  }
  const tool = TOOLS.find(({ name }) => name === 'get_node')
  if (tool === undefined) throw new Error('no tools')

  test('that are unexpected show only a reference; the log has the stack', async () => {
    logged.length = 0
    const core = failing(new Error('secret path /home/x'))
    const result = await callTool(tool, VALID.get_node, { vaults: vaultsOnDemand([], core), log: (line) => logged.push(line) })
    const text = textOf(result)
    const [, reference] = /reference (\w+)/.exec(text) ?? []
    expect(result.isError).toBe(true)
    expect(text).toContain('Internal error')
    expect(text).not.toContain('secret')
    expect(logged).toEqual([expect.stringMatching(new RegExp(`${reference}: Error: secret path.*\n +at `))])
  })

  test('that are known have a code, a hint and a number', async () => {
    const missing = fakeCore(fakeStore({}), { phase: 'missing' })
    const result = await callTool(tool, VALID.get_node, { vaults: vaultsOnDemand([], async () => missing), log: () => {} })
    expect(JSON.parse(textOf(result))).toEqual({
      error: {
        code: 'VAULT_NOT_FOUND',
        message: 'The vault "/vault" is missing or cannot be read.',
        hint: expect.any(String),
        number: -32002,
      },
    })
  })

  test('after the time limit are timeouts, and the work is aborted', async () => {
    let signal: AbortSignal | undefined
    const slow = {
      ...core,
      indexing: {
        ...core.indexing,
        ready: (_: number, given?: AbortSignal) => {
          signal = given
          return new Promise<boolean>(() => {})
        },
      },
    }
    const result = await callTool(tool, VALID.get_node, {
      vaults: vaultsOnDemand([], async () => slow),
      log: () => {},
      timeout: 20,
    })
    expect(result.structuredContent).toMatchObject({ error: { code: 'TIMEOUT', number: -32006 } })
    expect(signal?.aborted).toBe(true)
  })

  test('because of arguments open no vault', async () => {
    let opened = false
    const core = async () => {
      opened = true
      return fakeCore(fakeStore({}))
    }
    await callTool(tool, {}, { vaults: vaultsOnDemand([], core), log: () => {} })
    expect(opened).toBe(false)
  })
})
