import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { openNeo4jIndexWriter } from '../../src/store/neo4j/feed/index-writer.ts'
import { openLease } from '../../src/store/neo4j/feed/lease.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection, type Timeouts } from '../../src/store/neo4j/server/connection.ts'
import { explainError } from '../../src/store/neo4j/server/explain-error.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import { refusingServer, silentServer, wireTo } from '../support/bolt.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'
import { NEO4J_URL, neo4jPlace, pooledEngines } from '../support/neo4j.ts'

/** These timeouts are short to keep the tests fast. */
const SHORT: Timeouts = { connect: 200, read: 300, write: 400, beat: 100 }
/** These timeouts are long enough for a busy server. */
const REAL: Timeouts = { connect: 20_000, read: 10_000, write: 20_000, beat: 10_000 }

function connect(place: Neo4jPlace, timeouts?: Timeouts): Connection {
  const connection = new Connection(place, timeouts)
  onTestFinished(() => connection.close())
  return connection
}

const at = (url: string): Neo4jPlace => ({ ...neo4jPlace('garden'), url, user: 'ann', password: 'secret-word' })
const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('a server that accepts connections and never answers', () => {
  test.each<[string, (connection: Connection) => Promise<unknown>]>([
    ['a question', (connection) => connection.read('RETURN 1')],
    ['a use case', (connection) => openNeo4jStore(connection).read(async () => 1)],
    ['a change', (connection) => connection.write('RETURN 1')],
    ['several changes', (connection) => connection.transaction((run) => run('RETURN 1'))],
    ['a generation', (connection) => connection.open()],
    ['a writer', (connection) => openNeo4jIndexWriter(connection).state()],
    ['a feeder', (connection) => openLease(connection).take()],
  ])('fails %s in time, with a hint', async (_, ask) => {
    expect(await failure(ask(connect(at(await silentServer()), SHORT)))).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/^Neo4j at 127\.0\.0\.1:\d+ cannot be reached\.$/),
      hint: expect.stringContaining('store.neo4j.url'),
      isTransient: true,
    })
  })
})

describe('a server that rejects', () => {
  test.each<[string, string, string]>([
    ['Neo.ClientError.Security.Forbidden', 'does not let the user "ann" do this', 'create indexes and constraints'],
    [
      'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase',
      'does not accept changes in the default database',
      'Make it writable',
    ],
    ['Neo.ClientError.Cluster.NotALeader', 'does not accept changes in the default database', 'neo4j://'],
    ['Neo.ClientError.Database.DatabaseNotFound', 'has no default database', 'store.neo4j.database'],
    [
      'Neo.TransientError.General.MemoryPoolOutOfMemoryError',
      'does not have enough memory for this',
      'server.memory.heap.max_size',
    ],
    ['Neo.ClientError.Transaction.TransactionTimedOut', 'took too long', 'request less'],
    ['Neo.ClientError.Statement.SyntaxError', 'does not understand a query', 'Use Neo4j 5.26 or newer'],
    ['Neo.ClientError.Procedure.ProcedureNotFound', 'does not understand a query', 'Use Neo4j 5.26 or newer'],
    ['Neo.DatabaseError.General.UnknownError', 'could not answer (Neo.DatabaseError.General.UnknownError)', 'log of Neo4j'],
  ])('with %s is explained, without the query', async (code, message, hint) => {
    const connection = connect(at(await refusingServer(code)))
    for (const error of [
      await failure(connection.read('MATCH (secret) RETURN secret')),
      await failure(openNeo4jIndexWriter(connection).state()),
    ]) {
      expect(error).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      })
      expect(JSON.stringify(error)).not.toContain('secret')
    }
  })

  test('certificate and TLS errors are explained, a full disk asks for a restart, and a lost connection is never an internal error', () => {
    const explained = (given: Readonly<Record<string, unknown>>, place: Partial<Neo4jPlace> = {}) => {
      const { message = '', ...rest } = given
      return explainError(Object.assign(new Error(String(message)), rest), { ...at('bolt+s://db.example:7687'), ...place })
    }
    const unreachable = { code: 'ServiceUnavailable' }
    expect(
      explained({ ...unreachable, message: 'Client network socket disconnected before secure TLS connection was established' }),
    ).toMatchObject({
      message: 'Neo4j at db.example:7687 does not speak TLS.',
      hint: expect.stringContaining('without +s'),
    })
    expect(explained({ code: 'ServiceUnavailable', message: 'Caused by: self-signed certificate' })).toMatchObject({
      message: 'Neo4j at db.example:7687 has a certificate that is not trusted here.',
      hint: expect.stringContaining('+ssc'),
    })
    expect(explained({ code: 'Neo.ClientError.Security.Unauthorized' }, { password: '' })).toMatchObject({
      message: 'Neo4j at db.example:7687 requires a password, but none is set.',
    })
    expect(
      explained({
        code: 'Neo.DatabaseError.General.UnknownError',
        message: 'The database has encountered a critical error, and needs to be restarted.',
      }),
    ).toMatchObject({
      message: expect.stringContaining('full disk'),
      hint: expect.stringContaining('restart'),
      isTransient: false,
    })
    for (const lost of [
      { name: 'Neo4jError', code: '' },
      { name: 'Neo4jError' },
      { code: 'ECONNRESET', syscall: 'read' },
      { syscall: 'write' },
    ]) {
      expect(explained(lost)).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('cannot be reached') })
    }
    const mistake = new TypeError('this is no failure of the server')
    expect(explainError(mistake, at('bolt://db.example'))).toBe(mistake)
  })

  test('the password is explained, but not shown', async () => {
    const connection = connect(at(await refusingServer('Neo.ClientError.Security.Unauthorized', 'login')))
    const error = await failure(connection.read('RETURN 1'))
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('refused the password of the user "ann"'),
      hint: expect.stringContaining('ROUX_STORE_NEO4J_PASSWORD'),
    })
    expect(JSON.stringify(error)).not.toContain('secret')
  })
})

describe.skipIf(NEO4J_URL === undefined)('a hanging network', () => {
  const countNotes = (connection: Connection) =>
    openNeo4jStore(connection).read(async (snapshot) => (await snapshot.select({}, { offset: 0, limit: 1 })).total)
  const engines = pooledEngines()
  afterAll(engines.close)
  const opened = async () => {
    const { place, engine } = engines.openPlace()
    onTestFinished(() => engine.index.close())
    await new FedVault(new MemoryVault({ 'a.md': '[[b]]', 'b.md': '' }), engine).index()
    // The first query takes longer than later ones.
    await countNotes(connect(place))
    const lease = openLease(connect(place))
    await lease.take()
    await lease.release()
    const wire = await wireTo(place.url)
    return { wire, far: { ...place, url: wire.url } }
  }

  test('fails a query in time, and does not block the next', async () => {
    const { wire, far } = await opened()
    const connection = connect(far, REAL)
    expect(await countNotes(connection)).toBe(2)
    wire.hang()
    expect(await failure(countNotes(connection))).toMatchObject({ code: 'STORE_UNAVAILABLE', isTransient: true })
    wire.cut()
    expect(await failure(countNotes(connection))).toMatchObject({ code: 'STORE_UNAVAILABLE', isTransient: true })
    wire.resume()
    expect(await countNotes(connection)).toBe(2)
  })

  test('ends a write, of which nothing becomes visible', async () => {
    const { wire, far } = await opened()
    const connection = connect(far, REAL)
    const writing = await openNeo4jIndexWriter(connection).begin(1)
    const ids = () => ({ files: [], missing: (name: string) => name as never })
    await writing.put({ put: [], touch: [], remove: [0], ids })
    wire.hang()
    const error = await failure(writing.commit({ outside: [], nextKey: 9, complete: true }))
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', isTransient: true })
    wire.cut()
    wire.resume()
    expect(await countNotes(connect(far))).toBe(2)
  })

  test("ends the feeder's lease attempt well before others may take over", async () => {
    const { wire, far } = await opened()
    const lease = openLease(connect(far, { ...REAL, write: 900_000 }))
    expect(await lease.take()).toMatchObject({ isHeld: true })
    wire.hang()
    expect(await failure(lease.take())).toMatchObject({ code: 'STORE_UNAVAILABLE', isTransient: true })
    wire.resume()
    expect(await lease.take()).toMatchObject({ isHeld: true })
  })
})
