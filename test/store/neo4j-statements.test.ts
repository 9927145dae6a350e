import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { prepareCall } from '../../src/mcp/calls/prepare-call.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { Neo4jStore } from '../../src/store/neo4j/open-store.ts'
import { KnownBag } from '../app/search-core.ts'
import { wireTo } from '../support/bolt.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'
import { NEO4J_URL, neo4jEngine, neo4jPlace } from '../support/neo4j.ts'
import { storedCore } from '../support/stored-core.ts'
import { CALLS, NOTES } from '../support/tool-calls.ts'

const MOST = 8

describe.skipIf(NEO4J_URL === undefined)('a server without the folder', () => {
  const place = { ...neo4jPlace(), log: { days: 30, bytes: 1 << 20 } }
  const engine = neo4jEngine(undefined, place)
  beforeAll(async () => {
    const fed = await new FedVault(new MemoryVault(NOTES), engine, { keepsTexts: true }).index()
    await fed.indexSearch(new KnownBag())
  })
  afterAll(() => engine.index.close())

  test.each(CALLS)('answers %s with at most eight Bolt statements, for any length of answer', async (name, argsFor) => {
    const planning = vi.spyOn(Neo4jStore.prototype, 'planAhead').mockReturnValue()
    onTestFinished(() => planning.mockRestore())
    const wire = await wireTo(place.url)
    const core = await storedCore({ ...place, url: wire.url })
    onTestFinished(() => core.close())
    const tool = TOOLS.find((one) => one.name === name)
    if (tool === undefined) throw new Error(`there is no ${name}`)
    const call = (limit: number) => prepareCall(tool, argsFor(limit), { vaults: { names: [], open: async () => core } })({})
    const statementsOf = async (limit: number): Promise<number> => {
      const before = wire.statements()
      await call(limit)
      return wire.statements() - before
    }
    // The first calls may compute results that later ones reuse.
    await call(1)
    await call(50)
    const few = await statementsOf(2)
    expect(few).toBeGreaterThan(0)
    expect(await statementsOf(50)).toBeLessThanOrEqual(MOST)
    expect(few).toBeLessThanOrEqual(MOST)
  })
})
