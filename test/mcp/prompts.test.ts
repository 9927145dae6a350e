import { afterEach, describe, expect, test } from 'vitest'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { prepareCall } from '../../src/mcp/calls/prepare-call.ts'
import { BUILT_IN } from '../../src/mcp/prompts/built-in.ts'
import { getPrompt } from '../../src/mcp/prompts/prompts.ts'
import { listPrompts } from '../../src/mcp/prompts/vault-prompts.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { type FakeFile, fakeCore, fakeStore } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { clientTransport, SDK_CLIENTS } from '../support/sdk-clients.ts'
import { type StdioPair, stdioPair, type Wire } from '../support/stdio-client.ts'

const FILES: Readonly<Record<string, FakeFile>> = {
  ...GARDEN,
  'Prompts/Plan my Week!.md': {
    properties: {
      description: 'A plan for some beds.',
      arguments: [{ name: 'bed', description: 'Which one.', required: true }, { name: 'weather' }],
    },
    body: 'Plan {{bed}} for {{ weather }}, and {{bed}} again; {{other}} stays.\n',
  },
  'Prompts/plan-my-week.md': { properties: { arguments: ['a', 'a', 7] }, body: 'Second: {{a}}\n' },
  'Prompts/explore_hubs.md': { body: 'Mine.\n' },
}
const core = fakeCore(fakeStore(FILES))
let pair: StdioPair
afterEach(() => pair?.stdin.end())

async function raw(options: Parameters<typeof stdioPair>[1] = {}, over: GraphCore = core) {
  pair = stdioPair(async () => over, options)
  await pair.initialize()
  let id = 0
  return async (method: string, params: object = {}): Promise<Wire> => {
    id += 1
    pair.send({ jsonrpc: '2.0', id, method, params })
    return await pair.next()
  }
}
const inFolder = { promptsFolder: () => 'prompts' }
const textOf = ({ result }: Wire): string => result.messages[0].content.text

describe.each(SDK_CLIENTS)('%s', (_, make) => {
  test('lists prompts and gets one', async () => {
    pair = stdioPair(async () => core)
    const client = make()
    await client.connect(clientTransport(pair))
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual(BUILT_IN.map(({ definition }) => definition))
    for (const { title, description } of prompts) expect(title.length * description.length).toBeGreaterThan(0)
    const { messages, description } = await client.getPrompt({ name: 'trace_path', arguments: { from: 'Home', to: 'Tomatoes' } })
    expect(description).toBe('How two notes are connected, and through which sentences.')
    expect(messages).toHaveLength(1)
    expect(messages[0].role).toBe('user')
    expect(messages[0].content.text).toContain('find_path {"source":"Home","target":"Tomatoes","count":3}')
    await client.close()
  })
})

describe('built-in prompts', () => {
  test('mention only existing tools with valid arguments', async () => {
    const ask = await raw()
    const filled = { from: 'Home', to: 'Worms', note: 'humus', topic: 'soil', folder: 'beds', days: '3' }
    for (const { definition } of BUILT_IN) {
      const text = textOf(await ask('prompts/get', { name: definition.name, arguments: filled }))
      const calls = [...text.matchAll(/^- (\w+) (\{.*\})$/gm)]
      expect(calls.length).toBeGreaterThan(0)
      for (const [, name, args = ''] of calls) {
        const tool = TOOLS.find((one) => one.name === name)
        if (tool === undefined) throw new Error(`There is no tool ${name}.`)
        expect(() => prepareCall(tool, JSON.parse(args), { vaults: { names: [], open: async () => core } })).not.toThrow()
      }
    }
    expect(textOf(await ask('prompts/get', { name: 'weekly_review', arguments: { days: '3' } }))).toContain('in the last 3 days')
  })

  test.each([
    ['an unknown prompt', { name: 'explore_hub' }, { nearest: ['explore_hubs'] }],
    ['one that is no name of ours', { name: '__proto__' }, { nearest: [] }],
    ['a missing argument', { name: 'trace_path', arguments: { from: 'home' } }, { missing: ['to'] }],
    ['an empty argument', { name: 'summarize_note', arguments: { note: ' ' } }, { missing: ['note'] }],
    ['days that are none', { name: 'weekly_review', arguments: { days: 'many' } }, undefined],
    ['no days', { name: 'weekly_review', arguments: { days: '0' } }, undefined],
  ])('%s', async (_, params, data) => {
    const ask = await raw()
    const { error } = await ask('prompts/get', params)
    expect(error.code).toBe(-32602)
    if (data !== undefined) expect(error.data).toMatchObject(data)
  })

  test('complete arguments that are notes', async () => {
    const ask = await raw()
    const complete = async (name: string, argument: string) => {
      const ref = { type: 'ref/prompt', name }
      return (await ask('completion/complete', { ref, argument: { name: argument, value: 'soil/w' } })).result.completion.values
    }
    expect(await complete('trace_path', 'to')).toContain('soil/worms.md')
    expect(await complete('explore_hubs', 'folder')).toEqual([])
    expect(await complete('nothing', 'to')).toEqual([])
  })
})

describe('prompts from notes of a folder', () => {
  test('get unique names', async () => {
    const ask = await raw(inFolder)
    const own = (await ask('prompts/list')).result.prompts.slice(BUILT_IN.length)
    expect(own).toEqual([
      { name: 'explore-hubs', title: 'explore_hubs' },
      {
        name: 'plan-my-week',
        title: 'Plan my Week!',
        description: 'A plan for some beds.',
        arguments: [{ name: 'bed', description: 'Which one.', required: true }, { name: 'weather' }],
      },
      { name: 'plan-my-week-2', title: 'plan-my-week', arguments: [{ name: 'a' }] },
    ])
  })

  test('are filled in one pass', async () => {
    const ask = await raw(inFolder)
    const bed = '{{weather}} $& $1'
    const got = await ask('prompts/get', { name: 'plan-my-week', arguments: { bed, weather: 'rain', other: 'x' } })
    expect(textOf(got)).toBe('Plan {{weather}} $& $1 for rain, and {{weather}} $& $1 again; {{other}} stays.')
    expect(textOf(await ask('prompts/get', { name: 'plan-my-week', arguments: { bed: 'B' } }))).toBe(
      'Plan B for , and B again; {{other}} stays.',
    )
    expect((await ask('prompts/get', { name: 'plan-my-week' })).error).toMatchObject({ code: -32602, data: { missing: ['bed'] } })
  })

  test('are paged', async () => {
    const many = Object.fromEntries(Array.from({ length: 230 }, (_, at) => [`Prompts/p${String(at).padStart(3, '0')}.md`, {}]))
    const ask = await raw(inFolder, fakeCore(fakeStore(many)))
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const { result } = await ask('prompts/list', cursor === undefined ? {} : { cursor })
      names.push(...result.prompts.map(({ name }: Wire) => name))
      cursor = result.nextCursor
      pages += 1
    } while (cursor !== undefined)
    expect(pages).toBe(3)
    expect(new Set(names).size).toBe(230 + BUILT_IN.length)
    const { nextCursor } = (await ask('prompts/list')).result
    for (const [method, wrong] of [
      ['prompts/list', 'x'],
      ['prompts/list', ''],
      ['prompts/list', `${nextCursor}=`],
      ['prompts/list', Buffer.from('prompts:5').toString('base64url')],
      ['prompts/list', Buffer.from('prompts:9000').toString('base64url')],
      ['tools/list', nextCursor],
      ['resources/list', nextCursor],
    ]) {
      expect((await ask(method, { cursor: wrong })).error, `${method} ${wrong}`).toMatchObject({ code: -32602 })
    }
  })
})

test('arguments stay as written, so a tool routes them to their vault', async () => {
  const named = (name: string, files: Readonly<Record<string, FakeFile>>): GraphCore => ({
    ...fakeCore(fakeStore(files, name)),
    name,
  })
  const vaults = [
    named('home', { 'prompts/tell.md': { properties: { arguments: ['topic'] }, body: 'Tell me of {{topic}}.' } }),
    named('work', { 'plan.md': { body: 'At work.' } }),
  ]
  const prompts = await listPrompts(vaults, 'prompts', {})
  const get = async (name: string, args: Readonly<Record<string, string>>) =>
    (await getPrompt(prompts, { name, args }, () => true)).messages[0].content.text
  expect(await get('tell', { topic: 'work:life balance' })).toBe('Tell me of work:life balance.')
  expect(await get('summarize_note', { note: 'work:plan' })).toContain('get_node {"id":"work:plan","depth":1}')
  expect(await get('find_gaps', { folder: 'work:x' })).toContain('the folder "work:x"')
})

test('a prompt mentions no disabled tool', async () => {
  const explore = async (options: Parameters<typeof raw>[0]) =>
    textOf(await (await raw(options))('prompts/get', { name: 'explore_hubs' }))
  expect(await explore({ switchedOffBy: ({ group }) => group })).not.toContain('- map ')
  expect(await explore({})).toContain('- map {}')
})
