import type { Store } from '../../src/core/store.ts'
import { emptyVault, openNeo4jIndexWriter, removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { openNeo4jSearchWriter } from '../../src/store/neo4j/feed/search-writer.ts'
import { openNeo4jStore } from '../../src/store/neo4j/open-store.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import type { Engine } from './memory-vault.ts'

/** A Neo4j server for tests; `npm run test:neo4j` starts one if possible. Without one, these tests are skipped. */
export const NEO4J_URL = process.env.ROUX_STORE_NEO4J_URL

let opened = 0

/** A new vault in the test server. */
export function neo4jPlace(vault = `test ${process.pid}-${++opened} "'\`$x`): Neo4jPlace {
  const { ROUX_STORE_NEO4J_USER: user = 'neo4j', ROUX_STORE_NEO4J_PASSWORD: password = '' } = process.env
  return {
    type: 'neo4j',
    url: NEO4J_URL ?? '',
    user,
    password,
    database: '',
    vault,
    file: '',
    insightFile: '',
    layoutFile: '',
    pictureFile: '',
  }
}

/**
 * Returns engines whose emptied vaults are reused after their index writer is closed. With a new index per test, the server would
 * have to plan all queries again.
 */
export function pooledEngines() {
  const free: Neo4jPlace[] = []
  const openPlace = (vault?: string) => {
    const place = free.pop() ?? neo4jPlace()
    const empty = async (connection: Connection): Promise<void> => {
      await emptyVault(connection)
      free.push(place)
    }
    return { place, engine: neo4jEngine(vault, place, empty) }
  }
  return {
    openPlace,
    open: (vault?: string): Engine<Store> => openPlace(vault).engine,
    async close(): Promise<void> {
      for (const place of free) {
        const connection = new Connection(place)
        await removeVault(connection)
        await connection.close()
      }
    },
  }
}

/** Both sides of the engine on a new vault, which is removed when the index writer closes. */
export function neo4jEngine(vault?: string, place = neo4jPlace(), remove = removeVault): Engine<Store> {
  const connection = new Connection(place)
  const index = openNeo4jIndexWriter(connection)
  // All three share one connection, which the owner of the vault closes.
  const close = async (): Promise<void> => {}
  return {
    index: {
      ...index,
      close: async () => {
        await remove(connection)
        await connection.close()
      },
    },
    search: { ...openNeo4jSearchWriter(connection), close },
    store: Object.assign(openNeo4jStore(connection, vault), { close }),
  }
}
