import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/store.ts'
import { openNeo4jIndexWriter } from '../../src/store/neo4j/feed/index-writer.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import { FORMAT } from '../../src/store/neo4j/server/schema.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'
import { NEO4J_URL, neo4jEngine, neo4jPlace } from '../support/neo4j.ts'

const nothingListens: Neo4jPlace = {
  ...neo4jPlace(),
  url: 'bolt://ann:secret-in-url@127.0.0.1:1',
  user: 'ann',
  password: 'secret-word',
}

function connect(place: Neo4jPlace): Connection {
  const connection = new Connection(place)
  onTestFinished(() => connection.close())
  return connection
}

const countNotes = (store: Store) => store.read(async (snapshot) => (await snapshot.select({}, { offset: 0, limit: 1 })).total)

test('a server that cannot be reached is said with its address and what to do, never with a password', async () => {
  const error = await countNotes(openNeo4jStore(connect(nothingListens))).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'Neo4j at 127.0.0.1:1 cannot be reached.',
    hint: expect.stringContaining('store.neo4j.url'),
    isTransient: true,
  })
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('a signal ends a question before a server answers', async () => {
  const store = openNeo4jStore(connect(nothingListens))
  await expect(store.read(async () => 1, AbortSignal.abort(new Error('no one waits')))).rejects.toThrow('no one waits')
})

describe.skipIf(NEO4J_URL === undefined)('a Neo4j server', () => {
  const opened = async (files: Readonly<Record<string, string>>) => {
    const place = neo4jPlace()
    const connection = connect(place)
    const engine = neo4jEngine(undefined, place)
    onTestFinished(() => engine.index.close())
    return { place, connection, fed: await new FedVault(new MemoryVault(files), engine).index() }
  }

  test.skipIf((process.env.ROUX_STORE_NEO4J_PASSWORD ?? '') === '')(
    'refuses a wrong password: it is said, and not shown',
    async () => {
      const error = await countNotes(openNeo4jStore(connect({ ...neo4jPlace(), password: 'wrong-word' }))).catch(
        (caught: unknown) => caught,
      )
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', hint: expect.stringContaining('ROUX_STORE_NEO4J_PASSWORD') })
      expect(JSON.stringify(error)).not.toContain('wrong-word')
    },
  )

  test('has no such database: it is said which setting names it', async () => {
    const store = openNeo4jStore(connect({ ...neo4jPlace(), database: 'nowhere' }))
    await expect(countNotes(store)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('"nowhere"'),
      hint: expect.stringContaining('store.neo4j.database'),
    })
  })

  test('of two writers from one generation the second is told that it was late, and nothing of it is seen', async () => {
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

  test('shows nothing of a generation before it is committed, and nothing of one that never is', async () => {
    const { place, fed } = await opened({ 'a.md': '[[b]]', 'b.md': '' })
    const generation = await fed.store.read(async (snapshot) => snapshot.generation)
    const connection = connect(place)
    const open = await openNeo4jIndexWriter(connection).begin(generation)
    await open.put({ put: [], touch: [], remove: [0, 1], ids: () => ({ files: [], missing: (name) => name as never }) })
    expect(await countNotes(fed.store)).toBe(2)
    await connection.close()
    expect(await countNotes(fed.store)).toBe(2)
  })

  test('a reader that meets a generation which is being made visible reads again', async () => {
    const { connection, fed } = await opened({ 'a.md': '', 'b.md': '' })
    const generation = await fed.store.read(async (snapshot) => snapshot.generation)
    const announce = (to: number) =>
      connection.write('MATCH (p:RouxPending {vault: $vault}) SET p.generation = $to, p.at = timestamp()', {
        vault: connection.vault,
        to,
      })
    let runs = 0
    const total = await fed.store.read(async (snapshot) => {
      runs++
      if (runs === 1) await announce(generation + 1)
      else await announce(generation)
      return (await snapshot.select({}, { offset: 0, limit: 9 })).total
    })
    expect([runs > 1, total]).toEqual([true, 2])
  })

  test.each([
    [FORMAT + 1, 'newer', 'Update Roux'],
    [FORMAT - 1, 'older', 'feed them again'],
  ])('in format %i, of a version that is %s, is neither read nor written', async (version, age, hint) => {
    const { connection, place, fed } = await opened({ 'a.md': '' })
    const setVersion = (to: number) => connection.write("MATCH (s:RouxSchema {name: 'schema'}) SET s.version = $to", { to })
    await setVersion(version)
    try {
      const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining(age), hint: expect.stringContaining(hint) }
      await expect(countNotes(fed.store)).rejects.toMatchObject(refused)
      await expect(openNeo4jIndexWriter(connect(place)).state()).rejects.toMatchObject(refused)
    } finally {
      await setVersion(FORMAT)
    }
    expect(await countNotes(fed.store)).toBe(1)
  })

  test('lost its index of words: it is said, and the next writer makes it again', async () => {
    const { connection, place, fed } = await opened({ 'a.md': 'Leek.' })
    await fed.indexSearch()
    const found = () =>
      fed.store.read(async (snapshot) => {
        const term = { form: 'leek', stem: 'leek', match: 'stem', count: 1, parts: [] } as const
        return (await snapshot.words([term], {}, 9)).hits.length
      })
    await connection.write('DROP INDEX roux_words IF EXISTS')
    await expect(found()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', hint: expect.stringContaining('roux index') })
    await openNeo4jIndexWriter(connect(place)).state()
    expect(await found()).toBe(1)
  })
})
