import { expect, test } from 'vitest'
import { Rankings } from '../../src/app/links/rankings.ts'
import { betweenness, pageRank } from '../../src/graph/analytics.ts'
import { prepareCall } from '../../src/mcp/calls/prepare-call.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { slowStore } from '../support/slow-store.ts'
import { CALLS, CHAT, NOTES } from '../support/tool-calls.ts'
import { KnownBag, searchCore } from './search-core.ts'

/** The most store queries a call may make; `ask` makes another to look up citations after the model has answered. */
const MOST = 8
const mostOf = (tool: string) => (tool === 'ask' ? MOST + 1 : MOST)

test('every reading tool is covered', () => {
  const reading = TOOLS.filter(({ needs }) => needs === undefined).map(({ name }) => name)
  expect([...new Set(CALLS.map(([tool]) => tool))].sort()).toEqual([...reading].sort())
})

test.each(CALLS)('%s makes at most eight store queries, however long its answer is', async (name, argsFor) => {
  const core = await searchCore(NOTES, { embedder: new KnownBag() })
  const store = slowStore(core.store)
  const rankings = new Rankings(store, {
    run: async (metric, topology) => (metric === 'pagerank' ? { scores: pageRank(topology) } : betweenness(topology)),
  })
  const tool = TOOLS.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`there is no ${name}`)
  const vaults = { names: [], open: async () => ({ ...core, store, rankings, chat: CHAT }) }
  const countFor = async (limit: number): Promise<readonly string[]> => {
    const before = store.trips.length
    await prepareCall(tool, argsFor(limit), { vaults })({})
    return store.trips.slice(before)
  }
  // The first call may compute scores or measure a model for later ones.
  await countFor(1)
  const few = await countFor(2)
  const many = await countFor(50)
  expect(many.length, many.join(' ')).toBeLessThanOrEqual(mostOf(name))
  expect(many.length).toBeLessThanOrEqual(few.length + 1)
  await core.close()
})
