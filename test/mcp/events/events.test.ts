import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import type { NodeId } from '../../../src/core/ids.ts'
import type { IndexStatus } from '../../../src/core/indexing.ts'
import type { StoreChange } from '../../../src/core/store.ts'
import { type EventFeed, feedOf, ServerEvents } from '../../../src/mcp/events/events.ts'
import { followVault } from '../../../src/mcp/events/follow-vaults.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeCore, fakeStore, withSnapshot } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'
import { clientTransport, SDK_CLIENTS } from '../../support/sdk-clients.ts'
import { callRequest, type StdioPair, stdioPair, type Wire } from '../../support/stdio-client.ts'

/** A core that changes on demand. */
function changingCore() {
  const changeListeners = new Set<(change: StoreChange) => void>()
  const statusListeners = new Set<(status: IndexStatus) => void>()
  const base = fakeCore(fakeStore(GARDEN))
  let status: IndexStatus = { ...base.indexing.status() }
  let release = () => {}
  let gate: Promise<void> = Promise.resolve()
  const core: GraphCore = {
    ...base,
    store: {
      ...base.store,
      onChange(listener) {
        changeListeners.add(listener)
        return () => changeListeners.delete(listener)
      },
    },
    indexing: {
      ...base.indexing,
      status: () => status,
      ready: async () => {
        await gate
        return true
      },
      onStatus(listener) {
        statusListeners.add(listener)
        return () => statusListeners.delete(listener)
      },
    },
  }
  return {
    core,
    listeners: () => changeListeners.size + statusListeners.size,
    change: (...ids: string[]) => {
      for (const listener of changeListeners) listener({ generation: 2, ids: ids as NodeId[] })
    },
    become: (over: Partial<IndexStatus>) => {
      status = { ...status, ...over }
      for (const listener of [...statusListeners]) listener(status)
    },
    /** Makes calls wait for the index until `release`. */
    hold: () => {
      gate = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => release(),
  }
}

let pair: StdioPair
afterEach(() => pair?.stdin.end())

/** A legacy client that keeps all its notifications. */
async function legacy(world: ReturnType<typeof changingCore>, options: Parameters<typeof stdioPair>[1] = {}) {
  pair = stdioPair(async () => world.core, options)
  await pair.initialize()
  pair.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const told: Wire[] = []
  let id = 0
  const ask = async (method: string, params: object = {}) => {
    id += 1
    pair.send({ jsonrpc: '2.0', id, method, params })
    for (;;) {
      const message = (await pair.next()) as Wire
      if (message.id === id) return message
      told.push(message)
    }
  }
  await ask('resources/read', { uri: 'roux://recent' })
  return { ask, told }
}
const updatesOf = (told: readonly Wire[]) =>
  told.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params.uri)
const gathered = () => new Promise((resolve) => setTimeout(resolve, 300))

describe('the legacy era', () => {
  test('notifies of subscribed resources under the spelling used, once for many changes', async () => {
    const world = changingCore()
    const { ask, told } = await legacy(world)
    const spellings = ['roux://node/Soil/Worms', 'roux://node/soil%2Fworms.md', 'roux://recent']
    for (const uri of spellings) expect(await ask('resources/subscribe', { uri })).toMatchObject({ result: {} })
    for (let at = 0; at < 1000; at += 1) world.change('soil/worms.md', `other/${at}.md`)
    await gathered()
    await ask('ping')
    expect(updatesOf(told).sort()).toEqual([...spellings].sort())
    expect(told).toHaveLength(3)
    for (const uri of spellings) await ask('resources/unsubscribe', { uri })
    world.change('soil/worms.md')
    await gathered()
    await ask('ping')
    expect(told).toHaveLength(3)
  })

  test('limits the number of subscriptions', async () => {
    const { ask } = await legacy(changingCore())
    for (const params of [{}, { uri: `roux://node/${'a'.repeat(5_000)}` }, { uri: 'roux://node/../a' }, { uri: 'file:///a' }])
      expect(await ask('resources/subscribe', params)).toMatchObject({ error: { code: -32602 } })
    const subscribe = (at: number) => ask('resources/subscribe', { uri: `roux://node/${at}` })
    let answer: Wire
    for (let at = 0; at <= 5_000; at += 1) answer = await subscribe(at)
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('subscriptions') })
    expect(await subscribe(1)).toMatchObject({ result: {} })
    await ask('resources/unsubscribe', { uri: 'roux://node/1' })
    expect(await subscribe(5_000)).toMatchObject({ result: {} })
  })

  test('notifies of changed lists after initialization', async () => {
    const events = new ServerEvents()
    pair = stdioPair(async () => changingCore().core, { events })
    await pair.initialize()
    events.publish({ kind: 'tools_list_changed' })
    pair.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    pair.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(await pair.next()).toMatchObject({ id: 1 })
    events.publish({ kind: 'tools_list_changed' })
    events.publish({ kind: 'prompts_list_changed' })
    events.publish({ kind: 'resources_list_changed' })
    const methods = [await pair.next(), await pair.next(), await pair.next()].map(({ method }) => method)
    expect(methods).toEqual(['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`))
  })

  test('notifies of prompts when their folder changes', async () => {
    const world = changingCore()
    const { ask, told } = await legacy(world, { promptsFolder: () => '/Prompts/' })
    world.change('soil/worms.md')
    await gathered()
    world.change('prompts/plan.md')
    await gathered()
    await ask('ping')
    expect(told.map(({ method }) => method)).toEqual(['notifications/prompts/list_changed'])
  })

  test('logs when a vault disappears and returns, from the chosen level on', async () => {
    const world = changingCore()
    const { ask, told } = await legacy(world)
    world.become({ phase: 'missing' })
    world.become({ phase: 'idle' })
    world.become({ phase: 'failed', message: 'no disk' })
    await ask('ping')
    expect(told.map(({ params }) => [params.level, params.data])).toEqual([
      ['warning', expect.stringContaining('missing')],
      ['warning', 'The vault is back.'],
      ['warning', 'Indexing stopped: no disk.'],
    ])
    expect(await ask('logging/setLevel', { level: 'error' })).toMatchObject({ result: {} })
    world.become({ phase: 'missing' })
    await ask('ping')
    expect(told).toHaveLength(3)
    expect(await ask('logging/setLevel', { level: 'loud' })).toMatchObject({ error: { code: -32602 } })
  })

  test('logs that a vault, which another client may have opened, was missing before', async () => {
    const world = changingCore()
    world.become({ phase: 'missing' })
    const { ask, told } = await legacy(world)
    world.become({ phase: 'idle' })
    await ask('ping')
    expect(told.map(({ params }) => params.data)).toEqual([expect.stringContaining('is missing'), 'The vault is back.'])
  })
})

test('a stream of the modern era gets what it subscribed to', async () => {
  const world = changingCore()
  const events = new ServerEvents()
  pair = stdioPair(async () => world.core, { events })
  const client = SDK_CLIENTS[3]?.[1]() as Wire
  await client.connect(clientTransport(pair))
  await client.readResource({ uri: 'roux://recent' })
  const updated: string[] = []
  const lists: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }: Wire) => void updated.push(params.uri))
  client.setNotificationHandler('notifications/tools/list_changed', () => void lists.push('tools'))
  client.setNotificationHandler('notifications/prompts/list_changed', () => void lists.push('prompts'))
  await client.listen({ toolsListChanged: true, resourceSubscriptions: ['roux://node/Soil/Worms', 'roux://hubs'] })
  world.change('soil/worms.md', 'home.md')
  events.publish({ kind: 'tools_list_changed' })
  events.publish({ kind: 'prompts_list_changed' })
  await eventually(() => expect(updated.sort()).toEqual(['roux://hubs', 'roux://node/Soil/Worms']))
  expect(lists).toEqual(['tools'])
  await client.close()
})

test('closing the connection removes its listeners', async () => {
  const world = changingCore()
  const events = new ServerEvents()
  let listening = 0
  const subscribe = events.subscribe.bind(events)
  vi.spyOn(events, 'subscribe').mockImplementation((listener) => {
    const stop = subscribe(listener)
    listening += 1
    return () => {
      listening -= 1
      stop()
    }
  })
  await legacy(world, { events })
  expect([world.listeners(), listening]).toEqual([2, 1])
  pair.stdin.end()
  await pair.rest()
  expect([world.listeners(), listening]).toEqual([0, 0])
})

/** A request of the modern era. */
function modernRequest(id: number, method: string, params: Wire = {}, meta: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'm', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  }
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
}

describe('the modern era, line by line', () => {
  test('says how long lists and reads may be cached', async () => {
    pair = stdioPair(async () => changingCore().core)
    const asked: Record<string, Wire> = {
      'server/discover': {},
      'tools/list': {},
      'resources/list': {},
      'resources/templates/list': {},
      'prompts/list': {},
      'resources/read': { uri: 'roux://hubs' },
    }
    const hints: Record<string, unknown> = {}
    for (const [method, params] of Object.entries(asked)) {
      pair.send(modernRequest(1, method, params))
      const { result } = await pair.next()
      hints[method] = [result.ttlMs, result.cacheScope]
      expect(JSON.stringify(result._meta)).not.toContain('svg')
    }
    expect(hints).toEqual({
      'server/discover': [300_000, 'private'],
      'tools/list': [300_000, 'private'],
      'resources/list': [300_000, 'private'],
      'resources/templates/list': [300_000, 'private'],
      'prompts/list': [60_000, 'private'],
      'resources/read': [0, 'private'],
    })
  })

  test('logs to clients that ask for it in the request', async () => {
    const { core } = changingCore()
    const hubs = () => Promise.reject(new Error('secret'))
    pair = stdioPair(async () => ({ ...core, ...fakeCore(withSnapshot(fakeStore({}), { hubs })) }))
    const call = { name: 'get_hubs', arguments: {} }
    pair.send(modernRequest(1, 'tools/call', call))
    expect(await pair.next()).toMatchObject({ id: 1, result: { isError: true } })
    pair.send(modernRequest(2, 'tools/call', call, { 'io.modelcontextprotocol/logLevel': 'warning' }))
    const told = await pair.next()
    expect(told).toMatchObject({ method: 'notifications/message', params: { level: 'error', logger: 'roux' } })
    expect(JSON.stringify(told)).not.toContain('secret')
    expect(await pair.next()).toMatchObject({ id: 2, result: { isError: true } })
    pair.send(modernRequest(3, 'tools/call', call, { 'io.modelcontextprotocol/logLevel': 'emergency' }))
    expect(await pair.next()).toMatchObject({ id: 3 })
  })

  test('reports progress, also of reads', async () => {
    const world = changingCore()
    world.become({ phase: 'verifying', done: 3, total: 9 })
    pair = stdioPair(async () => world.core)
    pair.send(modernRequest(1, 'resources/read', { uri: 'roux://hubs' }, { progressToken: 7 }))
    expect(await pair.next()).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 7, progress: 3, total: 9 },
    })
    expect(await pair.next()).toMatchObject({ id: 1, result: {} })
  })
})

describe('progress', () => {
  test('rises while a call waits for the index, and ends with the call', async () => {
    let now = 1000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const world = changingCore()
    world.become({ phase: 'building', done: 0, total: 50 })
    pair = stdioPair(async () => world.core)
    await pair.initialize()
    world.hold()
    const call = callRequest(1, 'list_tags')
    pair.send({ ...call, params: { ...call.params, _meta: { progressToken: 'p' } } })
    expect(await pair.next()).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 0, total: 50, message: 'Reading the vault: 0 of 50 files' },
    })
    const become = (done: number, later: number) => {
      now += later
      world.become({ done })
    }
    // This progress is too early or decreases, so it is not sent.
    become(1, 99)
    become(10, 1)
    become(5, 100)
    become(20, 100)
    expect((await pair.next()).params.progress).toBe(10)
    expect((await pair.next()).params.progress).toBe(20)
    world.release()
    expect(await pair.next()).toMatchObject({ id: 1, result: {} })
    become(50, 100)
    pair.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await pair.next()).toMatchObject({ id: 2 })
  })

  test('is not sent to clients that did not ask', async () => {
    const world = changingCore()
    world.become({ phase: 'building', done: 3, total: 50 })
    pair = stdioPair(async () => world.core)
    await pair.initialize()
    pair.send(callRequest(1, 'list_tags'))
    expect(await pair.next()).toMatchObject({ id: 1 })
  })
})

/** Resource notifications of a feed since the last call. */
function updatesHeard(feed: EventFeed): () => readonly string[] {
  const told: string[] = []
  feed.subscribe((event) => event.kind === 'resource_updated' && told.push(event.uri))
  return () => told.splice(0)
}

describe('subscribed addresses', () => {
  test('are notified in every spelling that someone still uses, independently of others', () => {
    const events = new ServerEvents()
    const [feed, other] = [feedOf(events), feedOf(events)]
    const [hear, otherHears] = [updatesHeard(feed), updatesHeard(other)]
    const ends = [
      feed.subscribeResources(['roux://node/A']),
      feed.subscribeResources(['roux://node/A', 'roux://attachment/a.md']),
    ]
    other.subscribeResources(Array.from({ length: 20_000 }, (_, at) => `roux://node/${at}`))
    events.filesUpdated(['a.md', 'b.md'])
    expect(hear()).toEqual(['roux://node/A', 'roux://attachment/a.md'])
    expect(otherHears()).toEqual([])
    ends[1]?.()
    ends[1]?.()
    events.filesUpdated('all')
    expect(hear()).toEqual(['roux://node/A'])
    expect(otherHears()).toHaveLength(20_000)
    ends[0]?.()
    events.filesUpdated(['a.md'])
    expect(hear()).toEqual([])
  })

  test('that name nothing here are ignored', () => {
    const feed = feedOf(new ServerEvents())
    expect(() => feed.subscribeResources(['file:///a', 'roux://node/..', ''])()).not.toThrow()
  })

  test('addresses without a vault refer to the first vault that the listener may see', () => {
    const events = new ServerEvents()
    const [all, work] = [feedOf(events, ['home', 'work']), feedOf(events, ['work'])]
    const [allHear, workHears] = [updatesHeard(all), updatesHeard(work)]
    for (const feed of [all, work]) feed.subscribeResources(['roux://node/A', 'roux://node/other:b.md', 'roux://recent'])
    events.filesUpdated(['home:a.md'], 'home')
    expect([allHear(), workHears()]).toEqual([['roux://node/A'], []])
    events.filesUpdated(['work:a.md', 'work:other:b.md'], 'work')
    expect([allHear(), workHears()]).toEqual([[], ['roux://node/A', 'roux://node/other:b.md']])
    events.filesUpdated('all', 'work')
    events.publish({ kind: 'resource_updated', uri: 'roux://recent', vault: 'home' })
    expect([allHear(), workHears()]).toEqual([['roux://recent'], ['roux://node/A', 'roux://node/other:b.md']])
  })
})

test('a stdio stream that ends frees its subscriptions, which are limited', async () => {
  const world = changingCore()
  pair = stdioPair(async () => world.core, { events: new ServerEvents() })
  const listenTo = (id: number, count: number) => {
    const resourceSubscriptions = Array.from({ length: count }, (_, at) => `roux://node/${at}`)
    pair.send(modernRequest(id, 'subscriptions/listen', { notifications: { resourceSubscriptions } }))
    return pair.next()
  }
  expect(await listenTo(1, 4_000)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  expect(await listenTo(2, 1_001)).toMatchObject({ id: 2, error: { code: -32602, message: expect.stringContaining('5000') } })
  pair.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  expect(await listenTo(3, 5_000)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
})

test('a refused stdio stream leaves room for others', async () => {
  pair = stdioPair(async () => changingCore().core, { events: new ServerEvents() })
  const listenTo = (id: number, filter: object) => {
    const resourceSubscriptions = Array.from({ length: 5_000 }, (_, at) => `roux://node/${at}`)
    pair.send(modernRequest(id, 'subscriptions/listen', { notifications: { resourceSubscriptions, ...filter } }))
    return pair.next()
  }
  expect(await listenTo(1, { toolsListChanged: 'yes' })).toMatchObject({ id: 1, error: { code: -32602 } })
  expect(await listenTo(2, {})).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
})

describe('a listener that may see only some vaults', () => {
  /** Notifications about two vaults, to a listener that sees `home` and one that sees all. */
  function twoVaults() {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const events = new ServerEvents()
    const follow = (name: string | undefined) => {
      const world = changingCore()
      const stop = followVault({ ...world.core, ...(name === undefined ? {} : { name }) }, events, () => 'prompts')
      onTestFinished(stop)
      return world
    }
    const hear = (feed: EventFeed) => {
      const heard: string[] = []
      feed.subscribe((event) => heard.push(event.kind === 'resource_updated' ? event.uri : event.kind))
      feed.onMessage(({ text }) => heard.push(text))
      return () => {
        vi.advanceTimersByTime(1000)
        return heard.splice(0)
      }
    }
    const [guest, owner] = [feedOf(events, ['home']), feedOf(events, ['home', 'work'])]
    return { events, guest, owner, follow, guestHears: hear(guest), ownerHears: hear(owner) }
  }

  test('receives no events of other vaults, not even that something changed', () => {
    const { guest, owner, follow, guestHears, ownerHears } = twoVaults()
    const [home, work] = [follow('home'), follow('work')]
    for (const feed of [guest, owner]) feed.subscribeResources(['roux://node/work:prompts/Plan', 'roux://recent'])
    work.change('work:prompts/plan.md')
    work.become({ phase: 'missing' })
    work.become({ phase: 'idle' })
    work.become({ phase: 'failed', message: 'the disk is full' })
    expect(guestHears()).toEqual([])
    const heard = ownerHears()
    expect(heard).toEqual(expect.arrayContaining(['roux://node/work:prompts/Plan', 'roux://recent', 'prompts_list_changed']))
    expect(heard.filter((text) => /^(?:The vault|Indexing) /.test(text))).toEqual([
      'The vault work is missing or cannot be read; answers resume when it is back.',
      'The vault work is back.',
      'Indexing of work stopped: the disk is full.',
    ])
    home.become({ phase: 'missing' })
    expect(guestHears()).toContain('The vault home is missing or cannot be read; answers resume when it is back.')
  })

  test('receives events of its own vault under every spelling', () => {
    const { guest, follow, guestHears } = twoVaults()
    guest.subscribeResources(['roux://node/HOME:Plan'])
    follow('home').change('home:plan.md')
    expect(guestHears()).toContain('roux://node/HOME:Plan')
  })

  test('receives all events of an unnamed vault it may see, and otherwise only setting changes', () => {
    const { events, follow } = twoVaults()
    const only = follow(undefined)
    const [owner, stranger] = [feedOf(events), feedOf(events, 'nothing')]
    const heard: Record<string, string[]> = { owner: [], stranger: [] }
    for (const [name, feed] of Object.entries({ owner, stranger })) {
      feed.subscribeResources(['roux://node/work:prompts/plan.md', 'roux://recent'])
      feed.subscribe((event) => heard[name]?.push(event.kind === 'resource_updated' ? event.uri : event.kind))
      feed.onMessage(({ text }) => heard[name]?.push(text))
    }
    only.change('work:prompts/plan.md', 'prompts/plan.md')
    only.become({ phase: 'missing' })
    vi.advanceTimersByTime(1000)
    events.publish({ kind: 'tools_list_changed' })
    expect(heard.owner).toEqual([
      expect.stringContaining('missing'),
      'roux://node/work:prompts/plan.md',
      'roux://recent',
      'prompts_list_changed',
      'tools_list_changed',
    ])
    expect(heard.stranger).toEqual(['tools_list_changed'])
  })
})

test('a vault that is read for the first time is announced once, and only for subscribed notes', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const events = new ServerEvents()
  const feed = feedOf(events)
  const world = changingCore()
  world.become({ phase: 'building' })
  onTestFinished(followVault(world.core, events, () => ''))
  const heard: string[] = []
  feed.subscribe((event) => event.kind === 'resource_updated' && heard.push(event.uri))
  const hear = () => {
    vi.advanceTimersByTime(1000)
    return heard.splice(0).filter((uri) => uri.includes('/node/') || uri.includes('/attachment/'))
  }
  feed.subscribeResources(['roux://node/Home'])
  world.change(...Array.from({ length: 5_000 }, (_, at) => `note ${at}.md`))
  expect(hear()).toEqual([])
  world.become({ phase: 'idle' })
  expect(hear()).toEqual(['roux://node/Home'])
  world.change('note 1.md', 'note 2.md')
  expect(hear()).toEqual([])
  world.change('home.md')
  expect(hear()).toEqual(['roux://node/Home'])
})
