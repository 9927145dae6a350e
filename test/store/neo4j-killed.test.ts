import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openNeo4jIndexWriter } from '../../src/store/neo4j/feed/index-writer.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import { ask } from '../support/ask.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'
import { neo4jEngine, neo4jPlace } from '../support/neo4j.ts'

/** Set by `npm run test:neo4j` when it starts the server itself: the start command and the data folder. */
const { ROUX_TEST_NEO4J_STARTER: STARTER = '', NEO4J_DATA = '' } = process.env

describe.skipIf(STARTER === '' || NEO4J_DATA === '')('a Neo4j server of our own', () => {
  test('killed in the middle of a generation loses nothing and shows nothing partial', async () => {
    const place = neo4jPlace()
    const engine = neo4jEngine(undefined, place)
    onTestFinished(() => engine.index.close())
    const vault = new MemoryVault({ 'a.md': '[[b]]', 'b.md': '' })
    const fed = await new FedVault(vault, engine).index()
    const ids = async () => (await ask(fed.store).select({}, { offset: 0, limit: 9 })).items.map(({ id }) => id)
    const connection = new Connection(place)
    onTestFinished(() => connection.close())
    const half = await openNeo4jIndexWriter(connection).begin(1)
    await half.put({ put: [], touch: [], remove: [0, 1], ids: () => ({ files: [], missing: (name) => name as never }) })

    process.kill(Number(readFileSync(join(NEO4J_DATA, 'run/neo4j.pid'), 'utf8')), 'SIGKILL')
    const refused = { code: 'STORE_UNAVAILABLE', hint: expect.any(String), isTransient: true }
    await expect(half.commit({ outside: [], nextKey: 9, complete: true })).rejects.toMatchObject(refused)
    await expect(ids()).rejects.toMatchObject(refused)

    expect(spawnSync(STARTER, ['start'], { stdio: 'ignore' }).status).toBe(0)
    // The port of the server opens before recovery has finished.
    await expect.poll(() => ids().catch(() => [])).toEqual(['a.md', 'b.md'])
    vault.write('c.md', 'New.')
    await fed.indexer.reconcile({ all: true })
    expect(await ids()).toEqual(['a.md', 'b.md', 'c.md'])
  })
})
