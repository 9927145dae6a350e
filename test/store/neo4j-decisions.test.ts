import { describe, expect, onTestFinished, test } from 'vitest'
import { emptyVault, openNeo4jIndexWriter, removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import { decisionsOf } from '../../src/store/neo4j/shared-state.ts'
import { NEO4J_URL, neo4jPlace } from '../support/neo4j.ts'

describe.skipIf(NEO4J_URL === undefined)('decisions about a vault in a Neo4j database', () => {
  async function fed(place = neo4jPlace()) {
    const connection = connect(place)
    await openNeo4jIndexWriter(connection).state()
    onTestFinished(async () => {
      await removeVault(connection)
      await connection.close()
    })
    return { connection, place }
  }
  function connect(place: Neo4jPlace): Connection {
    return new Connection(place)
  }

  test('are visible to every process, but only for this vault', async () => {
    const { connection, place } = await fed()
    const other = await fed()
    const decisions = decisionsOf(connection)
    await decisions.setLabel('c2', 'On "water"')
    await decisions.setLabel('c3', 'Gone')
    await decisions.setLabel('c3', undefined)
    await decisions.dismiss('cut:a.md')
    await decisions.dismiss('cut:a.md')
    await decisions.dismiss('link:a.md//b.md')
    expect([await decisions.restore('link:a.md//b.md'), await decisions.restore('link:a.md//b.md')]).toEqual([true, false])
    const elsewhere = connect(place)
    onTestFinished(() => elsewhere.close())
    const read = decisionsOf(elsewhere)
    expect([...(await read.labels())]).toEqual([['c2', 'On "water"']])
    expect([...(await read.dismissed())]).toEqual(['cut:a.md'])
    const none = decisionsOf(other.connection)
    expect([(await none.labels()).size, (await none.dismissed()).size]).toEqual([0, 0])
  })

  test('survive a new feed of the vault, and are deleted with it', async () => {
    const { connection } = await fed()
    const decisions = decisionsOf(connection)
    await decisions.dismiss('wanted:nowhere')
    await emptyVault(connection)
    expect((await decisions.dismissed()).size).toBe(1)
    await removeVault(connection)
    expect((await decisions.dismissed()).size).toBe(0)
  })
})
