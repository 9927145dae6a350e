import type { Store } from '../../src/core/store.ts'
import { openNeo4jIndexWriter, removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { openNeo4jSearchWriter } from '../../src/store/neo4j/feed/search-writer.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import type { Engine } from './memory-engine/open.ts'

/** Where a Neo4j server for tests is; `npm run test:neo4j` starts one where it can. Without one these tests are skipped. */
export const NEO4J_URL = process.env.ROUX_STORE_NEO4J_URL

let opened = 0

/** A vault of its own in the server for tests. */
export function neo4jPlace(vault = `test ${process.pid}-${++opened} "'\`$x`): Neo4jPlace {
  const { ROUX_STORE_NEO4J_USER: user = 'neo4j', ROUX_STORE_NEO4J_PASSWORD: password = '' } = process.env
  return { type: 'neo4j', url: NEO4J_URL ?? '', user, password, database: '', vault, file: '', insightFile: '' }
}

/** Both sides of the engine on a vault of its own, which is removed when the index writer is closed. */
export function neo4jEngine(vault?: string, place = neo4jPlace()): Engine<Store> {
  const connection = new Connection(place)
  const index = openNeo4jIndexWriter(connection)
  // One connection for all three: who opened it closes it, with the vault.
  const close = async (): Promise<void> => {}
  return {
    index: {
      ...index,
      close: async () => {
        await removeVault(connection)
        await connection.close()
      },
    },
    search: { ...openNeo4jSearchWriter(connection), close },
    store: Object.assign(openNeo4jStore(connection, vault), { close }),
  }
}
