import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Rankings } from '../../src/app/links/rankings.ts'
import type { Scope, Store, StoreChange } from '../../src/core/store.ts'
import { pageRank } from '../../src/graph/analytics.ts'
import { emptyVault, openNeo4jIndexWriter, removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { openLease } from '../../src/store/neo4j/feed/lease.ts'
import { openNeo4jSearchWriter } from '../../src/store/neo4j/feed/search-writer.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection, type Run, type Values } from '../../src/store/neo4j/server/connection.ts'
import { examineDatabase } from '../../src/store/neo4j/server/examine.ts'
import { explainError } from '../../src/store/neo4j/server/explain-error.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import { FORMAT, wordNames } from '../../src/store/neo4j/server/schema.ts'
import { openStoredVault } from '../../src/store/neo4j/stored-vault.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { eventually } from '../support/eventually.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'
import { NEO4J_URL, neo4jEngine, neo4jPlace, pooledEngines } from '../support/neo4j.ts'

const nothingListens: Neo4jPlace = {
  ...neo4jPlace(),
  url: 'bolt://ann:secret-in-url@127.0.0.1:1',
  user: 'ann',
  password: 'secret-word',
}

function connect(to: Neo4jPlace | Connection): Connection {
  const connection = to instanceof Connection ? to : new Connection(to)
  onTestFinished(() => connection.close())
  return connection
}

const countNotes = (store: Store) => store.read(async (snapshot) => (await snapshot.select({}, { offset: 0, limit: 1 })).total)

test('an unreachable server is an error with its address and a hint, without a password', async () => {
  const error = await countNotes(openNeo4jStore(connect(nothingListens))).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'Neo4j at 127.0.0.1:1 cannot be reached.',
    hint: expect.stringContaining('store.neo4j.url'),
    isTransient: true,
  })
  expect(JSON.stringify(error)).not.toContain('secret')
})

test.each(['http://ann:secret-in-url@db.example:7687', 'db.example:7687', 'bolt://ann:secret-in-url@db.example:port'])(
  '%s is not a database address: the error says what to write',
  async (url) => {
    const error = await countNotes(openNeo4jStore(connect({ ...nothingListens, url }))).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'store.neo4j.url is not the address of a Neo4j server.',
      hint: expect.stringContaining('bolt://'),
      isTransient: false,
    })
    expect(JSON.stringify(error)).not.toContain('secret')
  },
)

test('a signal cancels a question before the server answers', async () => {
  const store = openNeo4jStore(connect(nothingListens))
  await expect(store.read(async () => 1, AbortSignal.abort(new Error('no one waits')))).rejects.toThrow('no one waits')
})

describe.skipIf(NEO4J_URL === undefined)('a Neo4j server', () => {
  const engines = pooledEngines()
  afterAll(engines.close)
  const opened = async (files: Readonly<Record<string, string>>) => {
    const { place, engine } = engines.openPlace()
    const connection = connect(place)
    onTestFinished(() => engine.index.close())
    return { place, connection, fed: await new FedVault(new MemoryVault(files), engine).index() }
  }

  test.skipIf((process.env.ROUX_STORE_NEO4J_PASSWORD ?? '') === '')(
    'rejects a wrong password with an error that does not show it',
    async () => {
      const error = await countNotes(openNeo4jStore(connect({ ...neo4jPlace(), password: 'wrong-word' }))).catch(
        (caught: unknown) => caught,
      )
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', hint: expect.stringContaining('ROUX_STORE_NEO4J_PASSWORD') })
      expect(JSON.stringify(error)).not.toContain('wrong-word')
    },
  )

  test('lacks the database: the error names its setting', async () => {
    const store = openNeo4jStore(connect({ ...neo4jPlace(), database: 'nowhere' }))
    await expect(countNotes(store)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('"nowhere"'),
      hint: expect.stringContaining('store.neo4j.database'),
    })
  })

  test("planning the feeder's next change ahead changes nothing", async () => {
    const { place, connection } = await opened({ 'a.md': '[[b]] [[missing]]', 'b.md': '' })
    const everything = async () =>
      await connection.read(
        `MATCH (n) WHERE n.vault IN [$vault, ''] OPTIONAL MATCH (n)-[l]->() RETURN elementId(n) AS id, properties(n) AS known, count(l) AS links ORDER BY id`,
        { vault: place.vault },
      )
    const before = await everything()
    expect(before.length).toBeGreaterThan(3)
    await openNeo4jIndexWriter(connection).tidy()
    expect(await everything()).toEqual(before)
  })

  test('of two writers that start from one generation, the second is told that it was late, and none of its changes is visible', async () => {
    const { place, fed } = await opened({ 'a.md': '[[b]]', 'b.md': '' })
    const { generation, ...state } = await fed.store.read(async ({ generation: now }) => ({
      generation: now,
      outside: [],
      nextKey: 9,
      complete: true,
    }))
    const other = openNeo4jIndexWriter(connect(place))
    const [first, second] = [await openNeo4jIndexWriter(connect(place)).begin(generation), await other.begin(generation)]
    const removal = { put: [], touch: [], ids: () => ({ files: [], missing: (name: string) => name as never }) }
    await first.put({ ...removal, remove: [0] })
    const late = second.put({ ...removal, remove: [0, 1] })
    expect(await first.commit(state)).toBe(generation + 1)
    await late
    expect(await second.commit(state)).toBeUndefined()
    expect(await countNotes(fed.store)).toBe(1)
  })

  test('deletes nodes last in a generation, after all lookups, which would go through the deleted nodes', async () => {
    const { place } = await opened({})
    const statements: string[] = []
    class Watched extends Connection {
      override async open() {
        const transaction = await super.open()
        const run: Run = async (cypher, values) => {
          statements.push(cypher)
          return await transaction.run(cypher, values)
        }
        return { ...transaction, run }
      }
    }
    const vault = new MemoryVault({ 'a.md': '[[missing]]', 'b.md': '[[a]] [[gone]]' })
    const index = openNeo4jIndexWriter(connect(new Watched(place)))
    const fed = await new FedVault(vault, { ...neo4jEngine(undefined, place), index }).index()
    vault.remove('a.md')
    vault.write('b.md', '')
    statements.length = 0
    await fed.indexer.reconcile({ all: true })
    const isDeletion = (cypher: string): boolean => /DELETE [nm]\b/.test(cypher)
    const forRows = statements.filter((cypher) => cypher.startsWith('UNWIND $rows'))
    const deletions = forRows.filter(isDeletion)
    expect(deletions.length).toBeGreaterThan(0)
    expect(forRows.slice(-deletions.length)).toEqual(deletions)
  })

  test('reports a change on the next poll if the first query after it failed', async () => {
    const { place, fed } = await opened({ 'a.md': '' })
    let isFailing = true
    class Failing extends Connection {
      override async read<T>(cypher: string, values: Values = {}, signal?: AbortSignal): Promise<readonly T[]> {
        if (isFailing && cypher.includes('f.generation > $since')) {
          isFailing = false
          throw new Error('the connection was lost')
        }
        return await super.read<T>(cypher, values, signal)
      }
    }
    const store = openNeo4jStore(connect(new Failing(place)))
    onTestFinished(() => store.close())
    const told: StoreChange[] = []
    store.onChange((change) => told.push(change))
    await store.refresh()
    fed.vault.write('b.md', '')
    await fed.indexer.reconcile({ all: true })
    await eventually(() => expect(told).toEqual([{ generation: 2, ids: ['b.md'] }]))
    expect(isFailing).toBe(false)
  })

  test('ranks hubs for a read-only user, with scores kept in this process', async () => {
    const { place } = await opened({ 'a.md': '[[b]] [[c]]', 'In/b.md': '[[c]]', 'c.md': '', 'In/d.md': '[[c]] [[b]]' })
    class ReadOnly extends Connection {
      override async transaction<T>(): Promise<T> {
        const refusal = Object.assign(new Error('no'), { code: 'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase' })
        throw explainError(refusal, place)
      }
    }
    const store = openNeo4jStore(connect(new ReadOnly(place)))
    const rankings = new Rankings(store, { run: async (_, topology) => ({ scores: pageRank(topology) }) })
    const hubs = (scope: Scope, limit: number) =>
      store.read(async (snapshot) => (await snapshot.hubs('pagerank', scope, limit))?.items.map(({ id }) => id))
    expect(await hubs({}, 9)).toBeUndefined()
    await rankings.follow('pagerank', { wait: 60_000 })
    expect(await hubs({}, 9)).toEqual(['c.md', 'in/b.md', 'a.md', 'in/d.md'])
    expect(await hubs({}, 1)).toEqual(['c.md'])
    expect(await hubs({ folder: 'in' }, 9)).toEqual(['in/b.md', 'in/d.md'])
    expect(await hubs({}, 0)).toEqual([])
  })

  test('deletes the vectors of another embedder in parts', async () => {
    const { place, connection, fed } = await opened({ 'a.md': 'Leek.', 'b.md': 'Salt.' })
    await fed.indexSearch(new BagOfWords())
    const statements: string[] = []
    class Watched extends Connection {
      override async write<T>(cypher: string, values: Values = {}): Promise<readonly T[]> {
        statements.push(cypher)
        return await super.write<T>(cypher, values)
      }
      override transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
        return super.transaction((run) =>
          work((cypher, values) => {
            statements.push(cypher)
            return run(cypher, values)
          }),
        )
      }
    }
    await openNeo4jSearchWriter(connect(new Watched(place))).keepOnly('another')
    const ofVectors = statements.filter((cypher) => cypher.includes('RouxVectors') && cypher.includes('DELETE'))
    expect(ofVectors.length).toBeGreaterThan(0)
    expect(ofVectors.filter((cypher) => !cypher.includes('LIMIT'))).toEqual([])
    const left = await connection.read(
      'MATCH (n {vault: $vault}) WHERE n:RouxVectors OR n:RouxChunk OR n:RouxName OR n:RouxEmbedder RETURN n',
      { vault: place.vault },
    )
    expect(left).toEqual([])
  })

  test('a feeder that stopped is not reported as missing, and one that died is, counted from its last change', async () => {
    const { place, connection } = await opened({ 'a.md': '' })
    const lease = openLease(connection)
    const { store, indexing } = openStoredVault(place)
    onTestFinished(() => store.close())
    const silentMinutes = async () => {
      await store.read(async () => undefined)
      await indexing.ready(0)
      const seconds = indexing.status().feed?.silent
      return seconds === undefined ? undefined : Math.round(seconds / 60)
    }
    const ago = (property: string, ms: number) =>
      connection.write(
        `MATCH (v:RouxVault {vault: $vault}) MATCH (h:RouxFeeder {vault: $vault}) SET ${property} = timestamp() - $ms`,
        {
          vault: place.vault,
          ms,
        },
      )
    await lease.take()
    await ago('h.heard', 600_000)
    await ago('v.fed', 120_000)
    expect(await silentMinutes()).toBe(2)
    await ago('v.fed', 5_000)
    expect(await silentMinutes()).toBeUndefined()
    await ago('v.fed', 600_000)
    expect(await silentMinutes()).toBe(10)
    await lease.release()
    expect(await silentMinutes()).toBeUndefined()
  })

  test("computes the age of changes with the server's clock", async () => {
    const { place } = await opened({ 'a.md': '' })
    const { store, graphLog } = openStoredVault(place)
    onTestFinished(() => store.close())
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 7_200_000)
    onTestFinished(() => clock.mockRestore())
    await store.read(async () => undefined)
    expect(Math.abs((graphLog.now?.() ?? 0) + 7_200_000 - Date.now())).toBeLessThan(600_000)
  })

  test('shows a generation only after its commit', async () => {
    const { place, fed } = await opened({ 'a.md': '[[b]]', 'b.md': '' })
    const generation = await fed.store.read(async (snapshot) => snapshot.generation)
    const connection = connect(place)
    const open = await openNeo4jIndexWriter(connection).begin(generation)
    await open.put({ put: [], touch: [], remove: [0, 1], ids: () => ({ files: [], missing: (name) => name as never }) })
    expect(await countNotes(fed.store)).toBe(2)
    await connection.close()
    expect(await countNotes(fed.store)).toBe(2)
  })

  test('a reader that meets a generation becoming visible reads again', async () => {
    const { connection, fed } = await opened({ 'a.md': '', 'b.md': '' })
    const generation = await fed.store.read(async (snapshot) => snapshot.generation)
    const announce = (to: number) =>
      connection.write('MATCH (p:RouxPending {vault: $vault}) SET p.generation = $to, p.at = timestamp()', {
        vault: connection.vault,
        to,
      })
    let runs = 0
    const total = await fed.store.read(async (snapshot) => {
      if (++runs === 1) await announce(generation + 1)
      try {
        return (await snapshot.select({}, { offset: 0, limit: 9 })).total
      } catch (error) {
        // The notification arrives while the reader waits for it.
        setTimeout(() => void announce(generation), 200)
        throw error
      }
    })
    expect([runs > 1, total]).toEqual([true, 2])
  })

  test('a vault that is being emptied never looks complete', async () => {
    const { place, fed } = await opened({ 'a.md': '[[b]]', 'b.md': '' })
    const known = async () => fed.store.read(async ({ complete, files }) => ({ complete, files }))
    expect(await known()).toEqual({ complete: true, files: 2 })
    const seen: unknown[] = []
    class Watched extends Connection {
      override async write<T>(cypher: string, values: Values = {}): Promise<readonly T[]> {
        if (cypher.includes('DETACH DELETE')) seen.push(await known())
        return await super.write<T>(cypher, values)
      }
    }
    const connection = new Watched(place)
    onTestFinished(() => connection.close())
    await emptyVault(connection)
    expect(seen.length).toBeGreaterThan(1)
    expect(seen).not.toContainEqual(expect.objectContaining({ complete: true }))
  })

  test('two feeders are distinct even with equal host names and process ids', async () => {
    const { place } = await opened({ 'a.md': '' })
    const [first, second] = [openLease(connect(place)), openLease(connect(place))]
    expect((await first.take()).isHeld).toBe(true)
    expect((await second.take()).isHeld).toBe(false)
    await second.release()
    expect((await first.take()).isHeld).toBe(true)
    await first.release()
    expect((await second.take()).isHeld).toBe(true)
    await second.release()
  })

  const setVersion = (connection: Connection, to: number) =>
    connection.write("MATCH (s:RouxSchema {name: 'schema'}) SET s.version = $to", { to })

  test('refuses to read or write a newer format', async () => {
    const { connection, place, fed } = await opened({ 'a.md': '' })
    await setVersion(connection, FORMAT + 1)
    try {
      const refused = {
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('newer'),
        hint: expect.stringContaining('Update Roux'),
      }
      await expect(countNotes(fed.store)).rejects.toMatchObject(refused)
      await expect(openNeo4jIndexWriter(connect(place)).state()).rejects.toMatchObject(refused)
    } finally {
      await setVersion(connection, FORMAT)
    }
    expect(await countNotes(fed.store)).toBe(1)
  })

  const leeks = (store: Store) =>
    store.read(async (snapshot) => {
      const term = { form: 'leek', stem: 'leek', match: 'stem', count: 1, parts: [] } as const
      return (await snapshot.words([term], {}, 9)).hits.length
    })

  test('the next writer upgrades the first format, with one word index for all vaults', async () => {
    const vaults = [await opened({ 'a.md': 'Leek.' }), await opened({ 'a.md': 'Leek.', 'b.md': 'Leek soup.' })] as const
    const [{ connection, place, fed }, other] = vaults
    for (const { place: own, fed: one } of vaults) {
      await one.indexSearch()
      const { wordIndex, wordLabel } = wordNames(own.vault)
      await connection.write(`DROP INDEX ${wordIndex}`)
      await connection.write(`MATCH (w:${wordLabel}) REMOVE w:${wordLabel} SET w.owner = 'owner'`)
    }
    await connection.write(
      `CREATE FULLTEXT INDEX roux_words FOR (n:RouxWords) ON EACH [n.owner, n.titleStems, n.bodyStems, n.titleForms, n.bodyForms]`,
    )
    await setVersion(connection, 1)
    try {
      await expect(countNotes(fed.store)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('older'),
        hint: expect.stringContaining('roux index'),
      })
      await openNeo4jIndexWriter(connect(place)).state()
    } finally {
      await setVersion(connection, FORMAT)
      await connection.write('DROP INDEX roux_words IF EXISTS')
    }
    expect([await leeks(fed.store), await leeks(other.fed.store)]).toEqual([1, 2])
  })

  test('a lost word index is reported, and the next writer creates it again', async () => {
    const { connection, place, fed } = await opened({ 'a.md': 'Leek.' })
    await fed.indexSearch()
    const { wordIndex } = wordNames(place.vault)
    await connection.write(`DROP INDEX ${wordIndex}`)
    const missing = async () => (await examineDatabase(connection)).find(({ message }) => message.includes('indexes'))
    expect(await missing()).toMatchObject({ state: 'warn', message: expect.stringContaining(wordIndex) })
    await expect(leeks(fed.store)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      hint: expect.stringContaining('roux index'),
    })
    await openNeo4jIndexWriter(connect(place)).state()
    expect([await leeks(fed.store), (await missing())?.state]).toEqual([1, 'ok'])
  })

  test('ranks words by how rare they are in the vault, whatever other vaults contain', async () => {
    // The word that is rare in this vault is frequent in the whole database.
    const { fed } = await opened({
      ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`Frequent ${at}.md`, 'Salt is here.'])),
      'Rare.md': 'Leek is here.',
    })
    const other = await opened(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`Other ${at}.md`, 'Leek is here.'])))
    await fed.indexSearch()
    await other.fed.indexSearch()
    const terms = ['salt', 'leek'].map((word) => ({ form: word, stem: word, match: 'stem', count: 1, parts: [] }) as const)
    const { hits } = await fed.store.read((snapshot) => snapshot.words(terms, {}, 3))
    expect(hits.map(({ id }) => id)[0]).toBe('rare.md')
  })

  test('keeps no index of a removed vault', async () => {
    const { connection, place, fed } = await opened({ 'a.md': 'Leek.' })
    await fed.indexSearch()
    const { wordIndex } = wordNames(place.vault)
    const indexes = async () =>
      (await connection.read<{ readonly name: string }>('SHOW INDEXES YIELD name RETURN name')).map(({ name }) => name)
    expect(await indexes()).toContain(wordIndex)
    await removeVault(connection)
    expect(await indexes()).not.toContain(wordIndex)
  })
})
