import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import type { Insight } from '../../src/core/insight/insight.ts'
import type { SharedResults } from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import { InsightClient, type InsightRuns } from '../../src/workers/insight-client.ts'
import { memoryCache, memoryInsightState, runsHere } from '../support/insights.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'
import { memoryResults } from '../support/shared-results.ts'
import { slowStore } from '../support/slow-store.ts'

const GARDEN = {
  'Bees.md': 'Bees make honey in the hive. See [[Roses]].\n',
  'Hive.md': 'Honey comes from the hive of the bees.\n',
  'Roses.md': 'Roses need pruning with shears in March.\n',
  'Shears.md': 'Sharp shears for pruning roses in March.\n',
  'templates/Day.md': 'Bees, honey, hive.\n',
}
const LONG = { wait: 10_000 }

interface Opened {
  readonly client: InsightClient
  readonly steps: readonly string[]
  readonly files: MemoryVault
  write(path: string, text: string): Promise<void>
}

async function open(
  notes: Readonly<Record<string, string>>,
  own: { readonly texts?: Texts; readonly runs?: InsightRuns; readonly cache?: ReturnType<typeof memoryCache> } = {},
): Promise<Opened> {
  const files = new MemoryVault(notes)
  const vault = await new IndexedVault(files).index()
  const steps: string[] = []
  const runs = own.runs ?? runsHere(own.cache, (step) => steps.push(step))
  const client = new InsightClient({
    kind: 'whole',
    store: vault.store,
    texts: own.texts ?? vault.texts,
    runs,
    file: 'unused',
    state: memoryInsightState(),
    isIgnored: (path) => path.startsWith('templates/'),
  })
  const write = async (path: string, text: string): Promise<void> => {
    files.write(path, text)
    await vault.indexer.reconcile({ all: true })
  }
  return { client, steps, files, write }
}

function nearestTo({ ids, nearest: { kept, notes } }: Insight, id: string): string | undefined {
  return ids[notes[ids.indexOf(id as never) * kept] ?? -1]
}

async function followed(client: InsightClient): Promise<Insight> {
  const found = await client.follow(LONG)
  if (found === undefined) throw new Error('there is no insight')
  return found.insight
}

test('waits for the first insight, which has every listed note that is not excluded', async () => {
  const { client } = await open(GARDEN)
  const insight = await followed(client)
  expect(insight.ids).toEqual(['bees.md', 'hive.md', 'roses.md', 'shears.md'])
  expect([...insight.ownWords]).toEqual([8, 8, 7, 7])
  expect(['bees.md', 'roses.md'].map((id) => nearestTo(insight, id))).toEqual(['hive.md', 'shears.md'])
})

test('a caller that stops waiting gets the progress, and the next one waits for the same run', async () => {
  const seen: unknown[] = []
  const runs = runsHere(undefined, (step) => seen.push([step, client.progress()]))
  const { client } = await open(GARDEN, { runs })
  expect(await client.follow({ wait: 0 })).toBeUndefined()
  expect((await followed(client)).ids).toHaveLength(4)
  expect(seen).toEqual([
    ['begin', undefined],
    ['notes', undefined],
    ['plan', undefined],
    ['texts', { done: 0, total: 4 }],
    ['finish', { done: 4, total: 4 }],
    ['close', { done: 4, total: 4 }],
  ])
  expect(client.progress()).toBeUndefined()
})

test('computes an insight once per generation, however many callers ask', async () => {
  const { client, steps } = await open(GARDEN)
  const [one, other] = await Promise.all([client.follow(LONG), client.follow(LONG)])
  expect(other?.insight).toBe(one?.insight)
  expect((await client.follow(LONG))?.insight).toBe(one?.insight)
  expect(steps.filter((step) => step === 'begin')).toHaveLength(1)
})

test('after an edit, the last insight serves while a new one is computed from the changed note only', async () => {
  const { client, steps, write } = await open(GARDEN)
  const before = await followed(client)
  await write('Roses.md', 'Honey comes from the hive.\n')
  const stale = await client.follow(LONG)
  expect(stale).toEqual({ insight: before, isCurrent: false })
  await expect.poll(async () => (await client.follow(LONG))?.isCurrent).toBe(true)
  expect(nearestTo(await followed(client), 'roses.md')).toBe('hive.md')
  expect(steps.filter((step) => step === 'texts')).toHaveLength(2)
})

test('a generation that arrives during a run is computed next', async () => {
  const { client, write } = await open(GARDEN)
  const first = client.follow(LONG)
  await write('New.md', 'Something.\n')
  await first
  await expect.poll(async () => (await followed(client)).ids).toContain('new.md')
  expect((await client.follow(LONG))?.isCurrent).toBe(true)
})

test('a restart uses the stored result, unless something changed', async () => {
  const cache = memoryCache()
  const first = await followed((await open(GARDEN, { cache })).client)
  const again = await open(GARDEN, { cache })
  expect({ ...(await followed(again.client)), generation: first.generation }).toEqual(first)
  expect(again.steps).toEqual(['begin', 'notes', 'plan', 'close'])
  const changed = await open({ ...GARDEN, 'Hive.md': 'Empty.\n' }, { cache })
  await followed(changed.client)
  expect(changed.steps).toEqual(['begin', 'notes', 'plan', 'texts', 'finish', 'close'])
})

test('vaults with no note or one note have an insight, too', async () => {
  expect((await followed((await open({})).client)).ids).toEqual([])
  expect((await followed((await open({ 'A.md': 'a' })).client)).ids).toEqual(['a.md'])
})

test('callers without time, or that cancel, do not wait, and the run continues for the next one', async () => {
  const { client } = await open(GARDEN)
  expect(await client.follow({ wait: 0 })).toBeUndefined()
  const aborted = new AbortController()
  const waiting = client.follow({ ...LONG, signal: aborted.signal })
  aborted.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  expect((await followed(client)).ids).toHaveLength(4)
})

test('a failed run is retried once, then reported; the next call tries again', async () => {
  let failures = 3
  const { client } = await open(GARDEN, {
    runs: runsHere(memoryCache(), (step) => {
      if (step === 'finish' && failures-- > 0) throw new Error('out of memory')
    }),
  })
  await expect(client.follow(LONG)).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringContaining('out of memory'),
  })
  expect((await followed(client)).ids).toHaveLength(4)
})

test('if a new insight cannot be computed, the last one serves', async () => {
  let isBroken = false
  const { client, write } = await open(GARDEN, {
    runs: runsHere(memoryCache(), (step) => {
      if (step === 'plan' && isBroken) throw new Error('the worker ended')
    }),
  })
  const before = await followed(client)
  isBroken = true
  await write('New.md', 'Something.\n')
  for (let time = 0; time < 5; time++) {
    expect(await client.follow(LONG)).toEqual({ insight: before, isCurrent: false })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})

test('notes whose files do not respond are included by name only, and reported', async () => {
  const files = new MemoryVault(GARDEN)
  const { texts } = new IndexedVault(files)
  const holding: Texts = {
    read: async (versions) => {
      const read = await texts.read(versions)
      return versions.map(({ path }, at) => (path === 'Hive.md' ? 'unread' : read[at]))
    },
  }
  const cache = memoryCache()
  const { client } = await open(GARDEN, { texts: holding, cache })
  const insight = await followed(client)
  expect(insight.unread).toEqual(['hive.md'])
  expect([...insight.ownWords]).toEqual([8, 0, 7, 7])
  // There is no immediate retry, because it would be as slow as the first attempt.
  expect((await client.follow(LONG))?.insight).toBe(insight)
  // An insight with missing texts must not be stored.
  expect([...(await followed((await open(GARDEN, { cache })).client)).ownWords]).toEqual([8, 8, 7, 7])
})

test('closing the vault ends all waiting calls', async () => {
  const { client } = await open(GARDEN, { runs: runsHere(memoryCache(), (step) => step === 'notes' && client.close()) })
  await expect(client.follow(LONG)).rejects.toThrow('the vault is closed')
})

test('needs few round trips to a remote store', async () => {
  const files = new MemoryVault(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`Note ${at}.md`, `words of ${at}`])))
  const vault = await new IndexedVault(files).index()
  const store = slowStore(vault.store)
  const client = new InsightClient({
    kind: 'whole',
    store,
    texts: vault.texts,
    runs: runsHere(),
    file: 'unused',
    state: memoryInsightState(),
    isIgnored: () => false,
  })
  await followed(client)
  expect(store.trips).toEqual(['topology', 'versions+namesOf'])
})

/** Separate processes over one vault, whose store shares results between them. */
function sharing(notes: Readonly<Record<string, string>>) {
  const files = new MemoryVault(notes)
  let kept = memoryResults()
  const results: SharedResults = {
    newer: (...asked) => kept.newer(...asked),
    keep: (...given) => kept.keep(...given),
  }
  const forget = (): void => {
    kept = memoryResults()
  }
  return async (own: { readonly name?: string; readonly ignored?: string; readonly isServer?: boolean } = {}) => {
    const vault = await new IndexedVault(files, {}, own.name).index()
    const steps: string[] = []
    const formers: (Uint8Array | undefined)[] = []
    const { beginInsight } = runsHere(memoryCache(), (step) => steps.push(step))
    const runs: InsightRuns = {
      async beginInsight(...begun) {
        const run = await beginInsight(...begun)
        return { ...run, finish: (former) => run.finish(formers[formers.push(former) - 1]) }
      },
    }
    const client = new InsightClient({
      kind: 'whole',
      name: own.name,
      store: { read: (use, signal) => vault.store.read(use, signal), results },
      texts: vault.texts,
      runs,
      file: 'unused',
      state: memoryInsightState(),
      isIgnored: () => false,
      ignored: own.ignored ?? '',
      isMaintainedElsewhere: () => own.isServer === true,
    })
    const write = async (path: string, text: string): Promise<void> => {
      files.write(path, text)
      await vault.indexer.reconcile({ all: true })
    }
    return { client, steps, formers, write, look: () => vault.indexer.reconcile({ all: true }), results, forget }
  }
}

test("servers take over the feeder's results, with their own ids", async () => {
  const process = sharing(GARDEN)
  const feeder = await process()
  await feeder.client.update()
  const server = await process({ name: 'home', isServer: true })
  const found = await server.client.follow(LONG)
  const { ids, ...own } = await followed(feeder.client)
  expect(found).toEqual({ insight: { ...own, ids: ids.map((id) => `home:${id}`) }, isCurrent: true })
  expect(server.steps).toEqual([])
})

test('while the feeder computes a newer insight, servers answer from the last one and compute nothing', async () => {
  const process = sharing(GARDEN)
  const feeder = await process()
  await feeder.client.update()
  const server = await process({ isServer: true })
  const before = await followed(server.client)
  await server.write('New.md', 'Something else.')
  expect(await server.client.follow(LONG)).toEqual({ insight: before, isCurrent: false })
  await feeder.look()
  await feeder.client.update()
  const after = await server.client.follow(LONG)
  expect([after?.isCurrent, after?.insight.ids]).toEqual([true, expect.arrayContaining(['new.md'])])
  expect(server.steps).toEqual([])
})

test('results from before the vault was fed anew are not used', async () => {
  const process = sharing(GARDEN)
  const feeder = await process()
  await feeder.write('New.md', 'Something else.')
  await feeder.client.update()
  const found = await feeder.results.newer('whole', 1)
  if (found === undefined) throw new Error('nothing was kept')
  // This is the state in which the other process would be if it had reached generation 100 before.
  await feeder.results.keep('whole', { ...found, bytes: serialize(withGeneration(found.bytes, 100)), generation: 100 })
  const server = await process({ isServer: true })
  expect(await server.client.follow(LONG)).toMatchObject({ insight: { generation: 100 } })
  server.forget()
  await server.write('Newer.md', 'Something else again.')
  await server.client.follow(LONG)
  await expect.poll(async () => (await server.client.follow(LONG))?.insight.ids).toContain('newer.md')
})

function withGeneration(bytes: Uint8Array, generation: number): unknown {
  const packed = deserialize(bytes)
  return { ...packed, insight: { ...packed.insight, generation } }
}

test('a server computes what nobody has stored, and stores nothing while another process is the feeder', async () => {
  const process = sharing(GARDEN)
  const server = await process({ isServer: true })
  expect((await followed(server.client)).ids).toContain('bees.md')
  expect(await server.results.newer('whole', -1)).toBeUndefined()
})

test('does not take over results computed with other exclusions', async () => {
  const process = sharing(GARDEN)
  await (await process()).client.update()
  const server = await process({ ignored: 'templates/**', isServer: true })
  await followed(server.client)
  expect(server.steps).toContain('finish')
})

test('the next feeder continues from the stored communities, so their ids stay', async () => {
  const process = sharing(GARDEN)
  const first = await process()
  await first.client.update()
  const next = await process()
  await next.write('New.md', 'Something else.')
  const before = await next.results.newer('communities', -1)
  await next.client.update()
  expect([first.formers, next.formers]).toEqual([[undefined], [before?.bytes]])
})
