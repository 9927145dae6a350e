import { auth, driver } from 'neo4j-driver'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { RouxError } from '../../src/core/errors.ts'
import type { NodeId } from '../../src/core/ids.ts'
import { prepareCall } from '../../src/mcp/calls/prepare-call.ts'
import type { Tool } from '../../src/mcp/definition/define-tool.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { openNeo4jSearchWriter } from '../../src/store/neo4j/feed/search-writer.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection, type Values } from '../../src/store/neo4j/server/connection.ts'
import { openStoredVault } from '../../src/store/neo4j/stored-vault.ts'
import { KnownBag } from '../app/search-core.ts'
import { ask } from '../support/ask.ts'
import { BagOfWords, bagOf } from '../support/bag-of-words.ts'
import { eventually } from '../support/eventually.ts'
import { LONG } from '../support/long.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'
import { NEO4J_URL, neo4jEngine, neo4jPlace, pooledEngines } from '../support/neo4j.ts'
import { storedCore } from '../support/stored-core.ts'

const LONG_LIST = LONG ? 100_000 : 20_000

/** Records all statements. */
class Recording extends Connection {
  readonly asked: (readonly [cypher: string, values: Values])[] = []

  override async read<T>(cypher: string, values: Values = {}, signal?: AbortSignal): Promise<readonly T[]> {
    this.asked.push([cypher, values])
    return await super.read<T>(cypher, values, signal)
  }
}

/** Waits until no statement has been sent for a while. */
async function settled(spied: {
  readonly mock: { readonly calls: readonly unknown[]; readonly settledResults: readonly { readonly type: string }[] }
}) {
  const isAtRest = () => spied.mock.settledResults.every(({ type }) => type !== 'incomplete')
  await eventually(() => expect(spied.mock.calls.length).toBeGreaterThan(15))
  for (let before = -1; before !== spied.mock.calls.length || !isAtRest(); ) {
    before = spied.mock.calls.length
    await new Promise((done) => setTimeout(done, 500))
  }
}

function connect<T extends Connection>(connection: T): T {
  onTestFinished(() => connection.close())
  return connection
}

const engines = pooledEngines()
afterAll(engines.close)

/** An empty vault, which is emptied again when the test finishes. */
function opened() {
  const { place, engine } = engines.openPlace()
  onTestFinished(() => engine.index.close())
  return { place, engine }
}

async function fedVault(files: Readonly<Record<string, string>>, { place, engine } = opened()) {
  const memory = new MemoryVault(files)
  return { place, memory, fed: await new FedVault(memory, engine).index() }
}

function manyNotes(count: number, text: (at: number) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`Notes/n${at}.md`, text(at)]))
}

describe.skipIf(NEO4J_URL === undefined)('large requests to a Neo4j server', () => {
  test('tens of thousands of ids in one call are all answered, in order', async () => {
    const { place, fed } = await fedVault({ 'a.md': '---\naliases: [First]\n---\nTo [[b]].', 'b.md': '' })
    const ids = Array.from({ length: LONG_LIST }, (_, at) => (at % 1_000 === 0 ? 'a.md' : `no such note ${at}.md`) as NodeId)
    const isThere = (at: number): boolean => at % 1_000 === 0
    const check = (name: string, answers: readonly unknown[], known: unknown, unknown: unknown) => {
      expect([name, answers.length]).toEqual([name, LONG_LIST])
      const wrong = answers.findIndex((answer, at) => JSON.stringify(answer) !== JSON.stringify(isThere(at) ? known : unknown))
      expect([name, wrong, answers[wrong]]).toEqual([name, -1, undefined])
    }
    const store = ask(fed.store)
    check('kinds', await store.kinds(ids), 'note', undefined)
    check('names', await store.namesOf(ids), ['a', 'First'], [])
    const versions = await store.versions(ids)
    check('versions', versions, versions[0], undefined)
    check(
      'nodes',
      (await store.nodes(ids, { links: 3 })).map((node) => node?.links),
      [{ id: 'b.md', title: 'b' }],
      undefined,
    )
    const pairs = ids.map((id) => [id, 'b.md' as NodeId] as const)
    check(
      'occurrences',
      (await store.occurrences(pairs)).map((all) => all.map(({ line }) => line)),
      [4],
      [],
    )
    const { texts, store: stored } = openStoredVault(place)
    onTestFinished(() => stored.close())
    await connect(new Connection(place)).write("MATCH (f:RouxFile {vault: $vault, id: 'a.md'}) SET f.text = 'stored'", {
      vault: place.vault,
    })
    const asked = ids.map((id) => ({ id, path: id, kind: 'note', hash: '' }) as never)
    check(
      'texts',
      (await texts.read(asked)).map((text) => (text === 'unread' ? text : text?.text)),
      'stored',
      undefined,
    )
  })

  test("the server's memory for a question of many words does not grow with each matching note", async () => {
    const words = ['leek', 'salt', 'soup', 'spade', 'rake', 'flour', 'bread', 'fish', 'autumn', 'garden', 'kitchen', 'pot']
    const { place, fed } = await fedVault(manyNotes(1_500, (at) => `${words.join(' ')} ${at}`))
    await fed.indexSearch()
    const memoryOf = async (text: string): Promise<number> => {
      const connection = connect(new Recording(place))
      const found = await ask(openNeo4jStore(connection)).words(text, {}, 10)
      expect(found.hits).toHaveLength(10)
      const [cypher, values] = connection.asked.at(-1) ?? ['', {}]
      return await profiledMemory(cypher, values)
    }
    const [one, all] = [await memoryOf('leek'), await memoryOf(words.join(' '))]
    expect(one).toBeGreaterThan(0)
    expect(all / one).toBeLessThan(4)
  })

  test('a query is planned once, for any length of its texts and lists', async () => {
    const { place, fed } = await fedVault({ 'a.md': 'To [[b]].', 'b.md': '' })
    await fed.indexSearch()
    const connection = connect(new Connection(place))
    const store = ask(openNeo4jStore(connection))
    await store.state()
    const plansOf = async (sizes: readonly number[]): Promise<string> => {
      await connection.read('CALL db.clearQueryCaches()')
      for (const size of sizes) {
        const id = 'x'.repeat(size) as NodeId
        await store.nodes(Array(size).fill(id), { links: 3 })
        await store.paths('a.md' as NodeId, id, { direction: 'any', count: 1, avoidHubs: false })
        await store.select({ folder: id }, { offset: 0, limit: size })
      }
      const [cleared] = await connection.read<{ readonly value: string }>('CALL db.clearQueryCaches() YIELD value')
      return cleared?.value ?? ''
    }
    const one = await plansOf([3])
    expect(one).toMatch(/cleared of [1-9]/)
    expect(await plansOf([1, 3, 30, 300, 3_000])).toBe(one)
  })

  test('a starting server plans the most frequent queries in the background, and writes nothing', async () => {
    const { place, engine } = opened()
    const vault = new MemoryVault({ 'a.md': 'To [[b]].', 'b.md': 'Leek.' })
    const fed = await new FedVault(vault, engine, { keepsTexts: true }).index()
    await fed.indexSearch(new KnownBag())
    const core = await storedCore(place)
    onTestFinished(() => core.close())
    const sent = vi.spyOn(Connection.prototype, 'read')
    onTestFinished(() => sent.mockRestore())
    await core.store.read(async () => undefined)
    await core.indexing.ready(0)
    core.indexing.begin()
    await settled(sent)
    const planned = new Set(sent.mock.calls.map(([cypher]) => cypher))
    sent.mockClear()
    const unplanned = async (name: string, args: object) => {
      const tool = TOOLS.find((one) => one.name === name) as Tool
      const { value } = await prepareCall(tool, args, { vaults: { names: [], open: async () => core } })({})
      const statements = sent.mock.calls.map(([cypher]) => cypher)
      sent.mockClear()
      expect(statements.length).toBeGreaterThan(0)
      return [value, statements.filter((cypher) => !planned.has(cypher))]
    }
    expect(await unplanned('get_node', { id: 'a' })).toMatchObject([{ id: 'a.md' }, []])
    expect(await unplanned('get_neighbors', { id: 'b' })).toMatchObject([[{ id: 'a.md' }], []])
    expect(await unplanned('find_path', { source: 'a', target: 'b.md' })).toMatchObject([{ length: 1 }, []])
    expect(await unplanned('get_hubs', { metric: 'in_degree', limit: 1 })).toMatchObject([[{ id: 'b.md' }], []])
    expect(await unplanned('search', { query: 'leeks' })).toMatchObject([[{ id: 'b.md' }], []])
    expect(await unplanned('find_nodes', { query: 'leek' })).toMatchObject([[{ id: 'b.md' }], []])
    expect((await ask(fed.store).state()).generation).toBe(1)
  })

  test('a vault without notes does not seem to be waiting for embeddings', async () => {
    const { place } = await fedVault({})
    const core = await storedCore(place)
    onTestFinished(() => core.close())
    const tool = TOOLS.find(({ name }) => name === 'search') as Tool
    const { warnings } = await prepareCall(tool, { query: 'leek' }, { vaults: { names: [], open: async () => core } })({})
    expect(warnings).toEqual([{ code: 'NOTICE', message: expect.stringContaining('has no notes') }])
  })

  test('planning stops when the store closes, and sends nothing to a missing database', async () => {
    const { place } = await fedVault({ 'a.md': '' })
    const connection = new Recording(place)
    const store = openNeo4jStore(connection)
    store.planAhead()
    await store.close()
    store.planAhead()
    const nowhere = openNeo4jStore(new Recording({ ...place, url: 'bolt://127.0.0.1:1' }))
    nowhere.planAhead()
    await new Promise((done) => setTimeout(done, 3_000))
    await nowhere.close()
    expect(connection.asked).toEqual([])
  })

  test('a use case right after another sends only its own query, and sees commits in between', async () => {
    const { place, memory, fed } = await fedVault({ 'a.md': '[[b]]', 'b.md': '' })
    const connection = connect(new Recording(place))
    const store = openNeo4jStore(connection)
    // The clock stands still, however slow the server is.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => clock.mockRestore())
    const notes = () =>
      store.read(async (snapshot) => (await snapshot.select({}, { offset: 0, limit: 9 })).items.map(({ id }) => id))
    const generation = () => store.read(async (snapshot) => snapshot.generation)
    expect([await notes(), connection.asked.length]).toEqual([['a.md', 'b.md'], 2])
    expect([await notes(), connection.asked.length]).toEqual([['a.md', 'b.md'], 3])
    const before = await generation()
    memory.write('c.md', 'New.')
    await fed.indexer.reconcile({ all: true })
    expect(await generation()).toBe(before + 1)
    memory.write('d.md', 'New.')
    await fed.indexer.reconcile({ all: true })
    expect(await notes()).toEqual(['a.md', 'b.md', 'c.md', 'd.md'])
  })

  test('a lost vector index is reported, and the next writer creates it again', async () => {
    const bag = new BagOfWords()
    const { place, fed } = await fedVault(manyNotes(1_001, (at) => `Word${at} of garden`))
    await fed.indexSearch(bag)
    const connection = connect(new Connection(place))
    await openNeo4jSearchWriter(connection).maintain()
    const near = async () => (await ask(openNeo4jStore(connection)).nearest(bag.id, bagOf('word7 of garden'), {}, 3)).length
    const isIndexed = async () => (await ask(openNeo4jStore(connection)).vectorStates()).map(({ index }) => index)
    expect([await near(), await isIndexed()]).toEqual([3, ['neo4j']])
    for (const name of await vectorIndexesOf(connection)) await connection.write(`DROP INDEX ${name}`)
    await expect(near()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', hint: expect.stringContaining('roux index') })
    await openNeo4jSearchWriter(connection).maintain()
    expect(await near()).toBe(3)
  })

  test('a large generation is never seen in part while it becomes visible', async () => {
    const count = 3_000
    const { place, engine } = opened()
    const store = openNeo4jStore(connect(new Connection(place)))
    let isDone = false
    const seen = new Set<string>()
    const watched = (async () => {
      while (!isDone) {
        seen.add(
          await store.read(async (snapshot) => {
            const { total } = await snapshot.select({}, { offset: 0, limit: 1 })
            return snapshot.isMixed ? 'told' : `${snapshot.complete} ${snapshot.generation} ${total}`
          }),
        )
      }
    })()
    await new FedVault(new MemoryVault(manyNotes(count, (at) => `To [[n${at + 1}]].`)), engine).index()
    isDone = true
    await watched
    seen.delete('told')
    seen.delete('false 0 0')
    expect([...seen]).toEqual([`true 1 ${count}`])
  })

  test('a user without the right to create indexes can feed a vault that has them, with any number of vectors', async () => {
    class Restricted extends Connection {
      override async write<T>(cypher: string, values: Values = {}): Promise<readonly T[]> {
        if (/^\s*(?:CREATE|DROP)\b.*\b(?:INDEX|CONSTRAINT)/.test(cypher))
          throw new RouxError('STORE_UNAVAILABLE', 'It does not let the user do this.')
        return await super.write<T>(cypher, values)
      }
    }
    const bag = new BagOfWords()
    const { place, fed } = await fedVault(manyNotes(1_001, (at) => `Word${at} of garden`))
    await fed.indexSearch(bag)
    await expect(openNeo4jSearchWriter(connect(new Restricted(place))).maintain()).rejects.toThrow('does not let the user')
    await openNeo4jSearchWriter(connect(new Connection(place))).maintain()
    expect(await openNeo4jSearchWriter(connect(new Restricted(place))).maintain()).toBe(false)
  })

  test('quotes, backticks and query syntax in names are ordinary characters', async () => {
    const signs = '"`\'$x{}[]-> //\\:*?~^+&|!'
    const title = JSON.stringify(`All ${signs}`)
    const inNames = '"`\'$x{} -+&!~^'
    const place = neo4jPlace(`garden "'\`$x}) DETACH DELETE (n) //`)
    const engine = neo4jEngine(undefined, place)
    onTestFinished(() => engine.index.close())
    const { fed } = await fedVault(
      {
        [`Odd ${inNames}/It's "quoted" \`ticked\`.md`]: `---\ntitle: ${title}\naliases: [${title}]\n${title}: ${title}\ntags: [odd]\n---\n[[b]]\n`,
        'b.md': `[[It's "quoted" \`ticked\`]] and [[Missing " \` ' $x {}]]\n`,
      },
      { place, engine },
    )
    const store = ask(fed.store)
    const [odd] = await store.lookUp([`Odd ${inNames}/It's "quoted" \`ticked\``])
    expect(odd).toBe(`odd ${inNames}/it's "quoted" \`ticked\`.md`)
    expect((await store.named(`All ${signs}`, {})).map(({ id }) => id)).toEqual([odd])
    expect((await store.named(`All ${signs} so`, {}, 'similar', { limit: 3, minimum: 0.5 })).map(({ id }) => id)).toEqual([odd])
    expect((await store.neighbors('b.md' as NodeId, { direction: 'both' }, { offset: 0, limit: 9 })).items).toEqual([odd])
    expect((await store.select({ folder: `odd ${inNames}` }, { offset: 0, limit: 9 })).total).toBe(1)
    expect((await store.propertyValues(`all ${signs}`)).map(({ value }) => value)).toEqual([`All ${signs}`])
    expect((await store.wantedNotes({}, { offset: 0, limit: 9 })).items.map(({ name }) => name)).toEqual(['Missing " ` \' $x {}'])
    expect((await store.paths('b.md' as NodeId, odd as NodeId, { direction: 'any', count: 1, avoidHubs: false }))[0]).toEqual([
      'b.md',
      odd,
    ])
  })

  test('no operation on a vault changes other data in the database', async () => {
    const { place, memory, fed } = await fedVault({ 'a.md': '[[b]]', 'b.md': '', 'c.md': '[[gone]]' })
    const connection = connect(new Connection(place))
    const mark = `others-${process.pid}`
    onTestFinished(async () => {
      const cleaner = new Connection(place)
      await cleaner.write('MATCH (n {mark: $mark}) DETACH DELETE n', { mark })
      await cleaner.write('DROP INDEX notes_by_id IF EXISTS')
      await cleaner.close()
    })
    await connection.write('CREATE INDEX notes_by_id IF NOT EXISTS FOR (n:Note) ON (n.id)')
    await connection.write(
      `CREATE (p:Person {mark: $mark, vault: $vault, key: 0, name: 'someone'})-[:WROTE {vault: $vault}]->
         (n:Note:File {mark: $mark, vault: $vault, key: 1, id: 'a.md', generation: 1})
       CREATE (n)-[:LINKS]->(:Chunk {mark: $mark, vault: $vault, embedder: 'test', vector: [1.0, 0.0]})`,
      { mark, vault: place.vault },
    )
    const others = async () => [
      await connection.read(
        `MATCH (n) WHERE none(label IN labels(n) WHERE label STARTS WITH 'Roux')
         OPTIONAL MATCH (n)-[r]->(m) WITH n, r, m ORDER BY n.mark, n.key, n.vault
         RETURN labels(n) AS labels, properties(n) AS properties, type(r) AS type, properties(r) AS own, properties(m) AS end`,
      ),
      await connection.read("SHOW INDEXES YIELD name WHERE NOT name STARTS WITH 'roux_' RETURN name ORDER BY name"),
      await connection.read("SHOW CONSTRAINTS YIELD name WHERE NOT name STARTS WITH 'roux_' RETURN name ORDER BY name"),
    ]
    const before = await others()
    const bag = new BagOfWords()
    await fed.indexSearch(bag)
    memory.write('a.md', 'Changed. [[c]]')
    memory.remove('b.md')
    await fed.indexer.reconcile({ all: true })
    await fed.indexSearch(bag)
    await openNeo4jSearchWriter(connection).keepOnly('another')
    await openNeo4jSearchWriter(connection).reset()
    expect(await others()).toEqual(before)
    await removeVault(connection)
    expect(await others()).toEqual(before)
    const ours = await connection.read('MATCH (n {vault: $vault}) WHERE n.mark IS NULL RETURN labels(n) AS labels', {
      vault: place.vault,
    })
    expect(ours).toEqual([])
  })
})

/** The vector indexes of a vault. */
async function vectorIndexesOf(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.read<{ readonly name: string }>(
    `SHOW VECTOR INDEXES YIELD name, labelsOrTypes
     WHERE labelsOrTypes[0] IN COLLECT { MATCH (e:RouxEmbedder {vault: $vault}) UNWIND [e.chunkLabel, e.nameLabel] AS label RETURN label }
     RETURN name`,
    { vault: connection.vault },
  )
  return rows.map(({ name }) => name)
}

/** The memory the server reports for a statement. */
async function profiledMemory(cypher: string, values: Values): Promise<number> {
  const { url, user, password } = neo4jPlace()
  const server = driver(url, auth.basic(user, password), { disableLosslessIntegers: true })
  try {
    const { summary } = await server.executeQuery(`PROFILE ${cypher}`, values)
    return Number(summary.profile === false ? Number.NaN : summary.profile.arguments.GlobalMemory)
  } finally {
    await server.close()
  }
}
