import { expect, test, vi } from 'vitest'
import { openNeo4jIndexWriter } from '../../src/store/neo4j/feed/index-writer.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import { neo4jPlace } from '../support/neo4j.ts'

vi.mock('neo4j-driver', () => {
  throw new Error("Cannot find package 'neo4j-driver'")
})

test.each([
  ['a reader', (connection: Connection) => openNeo4jStore(connection).read(async () => 1)],
  ['a writer', (connection: Connection) => openNeo4jIndexWriter(connection).state()],
])('without the driver, %s gets the command that installs it', async (_, ask) => {
  const error = await ask(new Connection(neo4jPlace())).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'The package neo4j-driver is not installed.',
    hint: expect.stringContaining('`npm install neo4j-driver@6`'),
  })
})
